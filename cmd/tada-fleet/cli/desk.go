package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/tada-run/tada-run/cmd/tada-fleet/verbs"
	"github.com/tada-run/tada-run/integration/fleet/member"
	"github.com/tada-run/tada-run/integration/fleet/people"
	"github.com/tada-run/tada-run/launcher"
)

// A fleet is one run of the program.
type fleet struct {
	place launcher.Place
	json  bool
	o     verbs.Options
	// the exit status of a verb that has done its part and waits for others
	code int
	out  io.Writer
	err  io.Writer
}

// A usageError ends with exit status 2.
type usageError struct{ error }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// An exitError ends with a status of its own.
type exitError struct {
	error
	status int
}

// say prints v with --json, otherwise the text.
func (f *fleet) say(v any, format string, args ...any) error {
	if f.json {
		enc := json.NewEncoder(f.out)
		enc.SetEscapeHTML(false)
		return enc.Encode(v)
	}
	_, err := fmt.Fprintf(f.out, format, args...)
	return err
}

// none prints that a list is empty; with --json an empty list is no line.
func (f *fleet) none(text string) error {
	if f.json {
		return nil
	}
	return f.say(nil, "%s\n", text)
}

// dialWait is how long etcd may take to be reached.
const dialWait = 10 * time.Second

// maxAnswer bounds what etcd can make this process read at once.
const maxAnswer = 64 << 20

// A desk is a member machine, opened and connected.
type desk struct {
	l      *launcher.Launcher
	folder member.Folder
	own    member.Membership
	people.Office
}

// open opens the state directory and connects to the fleet that it is in. The caller closes Etcd. A
// configuration that is refused is no error: the agent is what mends the policy of the fleet.
func (f *fleet) open() (desk, error) {
	l, err := f.place.OpenToMend()
	if err != nil {
		return desk{}, err
	}
	d := desk{l: l, folder: member.In(l.Home())}
	if d.own, err = d.folder.Load(); err != nil {
		return desk{}, err
	}
	if d.Known, err = d.folder.Document(); err != nil {
		return desk{}, err
	}
	access, err := d.folder.Access()
	if err != nil {
		return desk{}, err
	}
	d.Etcd, err = clientv3.New(clientv3.Config{Endpoints: d.own.Endpoints, TLS: access,
		DialTimeout: dialWait, Logger: quiet(), MaxCallRecvMsgSize: maxAnswer})
	return d, err
}

// soon is a context that ends when etcd should have answered.
func soon(cmd *cobra.Command) (context.Context, context.CancelFunc) {
	return context.WithTimeout(cmd.Context(), dialWait)
}

// quiet is the log of the etcd client: what it would say is in the errors that it returns.
func quiet() *zap.Logger { return zap.NewNop() }
