package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/integration/fleet/cosign"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/member"
	"github.com/tada-run/tada-run/launcher"
)

// An Agent serves one state directory.
type Agent struct {
	Launcher *launcher.Launcher
	Folder   member.Folder
	Etcd     *clientv3.Client
	Now      func() time.Time
	Out      io.Writer // one line for each thing that a person should know

	own    own
	lines  sync.Mutex
	place  place
	once   once
	orders orders
	news   news
	asking *cosign.Asking // other machines, to cosign checkpoints
}

// An own is what this machine is in the fleet.
type own struct {
	member.Membership
	labels document.Labels
}

// orders is locked while one is carried out, and says when to look at all again.
type orders struct {
	sync.Mutex
	learned learned // a fleet document
}

// A place is what an agent holds in the fleet.
type place struct {
	link    link
	unique  string        // random: names this agent among copies of the machine
	silence time.Duration // see the constant, unless a test sets it
}

// A news is what a machine says of itself besides that it is there.
type news struct {
	changed chan struct{}
	bad     remarks // bundles that cannot be used here, by name and stage
	refused remarks // machines whose log this one does not cosign, by id
	replays remarks // answers of before or of elsewhere that somebody gave it again
	record  remarks // why the record is not shipped
}

// ErrTaken is returned by Run while another agent serves the same machine.
var ErrTaken = errors.New("another agent serves this machine")

// ErrMoved is returned by Run when the administrators have moved etcd: a new agent connects there.
var ErrMoved = errors.New("etcd is somewhere else now")

// wait returns after a time, or when the context ends.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// say tells a person. What others wrote is quoted by the caller.
func (a *Agent) say(format string, args ...any) {
	a.lines.Lock()
	defer a.lines.Unlock()
	fmt.Fprintf(a.Out, "tada-fleet: "+format+"\n", args...)
}
