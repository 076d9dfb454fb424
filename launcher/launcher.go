package launcher

import (
	"sync/atomic"
	"time"

	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard"
)

// A Launcher judges and runs requests on one state directory.
type Launcher struct {
	*record.Record
	*permit.Approvals
	state   *state.Directory
	account string // the account's home directory
	policy  pathguard.Policy

	around atomic.Pointer[surroundings] // of the last request
	// the best sandbox of this machine; found by trying, once per boot
	level   func() sandbox.Level
	floor   string // the configuration that no user can loosen
	umask   func() int
	version func() string

	misconfigured
	early  *sandbox.Prepared // see OpenToRun; nil where that is not used
	stands bool              // undo stands for a question in every run; for tests

	frameTime time.Duration // for what a client of a session has begun to say
}

// misconfigured is a launcher whose configuration is refused, or in force only in part.
type misconfigured struct {
	mends   bool  // a configuration that is refused denies everything, and is no error
	refused error // why policy is the one that denies everything

	failed []pathguard.CaseResult // the cases for which the configuration before it applies too
}

// frameTime is how long a client of a session may take to greet, and to end what it has begun to
// say.
const frameTime = 10 * time.Second
