package launcher

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard"
)

// A Launcher judges and runs requests on one state directory.
type Launcher struct {
	*record.Record
	state   *state.Directory
	account string // the account's home directory
	policy  pathguard.Policy
	store   *approval.Store // set by ready
	opened  sync.Once
	closed  error // why store is not set
	ttl     time.Duration

	around  atomic.Pointer[surroundings] // of the last request
	level   func() sandbox.Level         // the best fence of this machine; found by trying, once per boot
	floor   string                       // the configuration that no user can loosen
	umask   func() int
	version func() string
	outside string // folder of the marks of what was used; "" for none

	mends   bool  // a configuration that is refused denies everything, and is no error
	refused error // why policy is the one that denies everything

	caller func() approval.Caller // this process, as the kernel sees it now

	frameTime time.Duration // for what a client of a session has begun to say
}

// frameTime is how long a client of a session may take to greet, and to end what it has begun to
// say.
const frameTime = 10 * time.Second

// maxTTL is how long a question may live. The environment is the caller's, and here that is
// whoever wants the answer: it can only make the time shorter.
const maxTTL = time.Hour

func approvalTTL(text string) (time.Duration, error) {
	if text == "" {
		return maxTTL, nil
	}
	seconds, err := strconv.Atoi(text)
	if err != nil || seconds <= 0 {
		return 0, &approval.ConfigError{Name: "APPROVAL_TTL_SECONDS", Value: strconv.Quote(text), Need: "it must be a number of seconds above 0"}
	}
	return time.Duration(min(seconds, int(maxTTL/time.Second))) * time.Second, nil
}
