package permit

import (
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/caller"
	"github.com/tada-run/tada-run/launcher/prompt"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
)

// Approvals are the questions, answers and standing approvals of one state directory: the store
// that has them, and the entries of the log that tell of them.
type Approvals struct {
	TTL    time.Duration          // how long a question may live
	Caller func() approval.Caller // this process, as the kernel sees it now
	Marks  string                 // folder of the marks of what was used; "" for none
	Store  *approval.Store        // set by ready

	Plain func() bool // whether questions are shown for a screen reader

	// Former returns for each of the plan's choices which commands of the record it would have
	// allowed besides the plan's own; nil knows none
	Former func(payload []byte) ([][]Former, error)

	// tells the person of a question that was made and waits elsewhere; nil tells no one
	Notify func(approval.Envelope)

	dir     *state.Directory
	record  *record.Record
	opening sync.Mutex
	closed  error // why Store is not set
}

// A Former is a command of the record, and how often it was asked for.
type Former struct {
	Command string
	Times   int
}

// Look is how questions are drawn on the terminal of this process.
func (p *Approvals) Look() prompt.Look { return prompt.LookHere(p.Plain()) }

// Open returns the approvals of a state directory. The store is opened when it is first
// needed.
func Open(dir *state.Directory, r *record.Record) (*Approvals, error) {
	ttl, err := approvalTTL(os.Getenv("APPROVAL_TTL_SECONDS"))
	if err != nil {
		return nil, err
	}
	return &Approvals{TTL: ttl, Caller: caller.Own, Marks: outsideFolder(), dir: dir, record: r,
		Plain: func() bool { return false }}, nil
}

// notify tells the person of a question that was just made.
func (p *Approvals) notify(e approval.Envelope, made bool) {
	if made && p.Notify != nil {
		p.Notify(e)
	}
}

// maxTTL is how long a question may live. The environment is the caller's, and the caller wants the
// answer: it can only make the time shorter.
const maxTTL = time.Hour

func approvalTTL(text string) (time.Duration, error) {
	if text == "" {
		return maxTTL, nil
	}
	seconds, err := strconv.Atoi(text)
	if err != nil || seconds <= 0 {
		return 0, &approval.ConfigError{Name: "APPROVAL_TTL_SECONDS", Value: strconv.Quote(text),
			Need: "it must be a number of seconds above 0"}
	}
	return time.Duration(min(seconds, int(maxTTL/time.Second))) * time.Second, nil
}

// outsideFolder is where the marks are: /dev/shm is there, and writable, without any session.
func outsideFolder() string { return "/dev/shm/tada-run.spent-" + strconv.Itoa(os.Getuid()) }
