package launcher

import (
	"sync/atomic"
	"time"

	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/preimage"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/launcher/upkeep"
	"github.com/tada-run/tada-run/pathguard"
)

// A Launcher judges and runs requests on one state directory.
type Launcher struct {
	storage
	account string // the account's home directory
	policy  pathguard.Policy

	around  atomic.Pointer[surroundings] // of the last request
	floor   string                       // the configuration that no user can loosen
	umask   func() int
	version func() string

	misconfigured
	first
	stands bool // undo stands for a question in every run; for tests

	frameTime time.Duration // for what a client of a session has begun to say
}

// A storage is the state directory, with what reads and writes its parts.
type storage struct {
	*past.Reader
	*permit.Approvals
	*upkeep.Keeper
	*preimage.History
	state *state.Directory
}

// A first is what is known and begun before there is a command.
type first struct {
	// the best sandbox of this machine; found by trying, once per boot
	level func() sandbox.Level
	once  bool              // the process ends after one command
	early *sandbox.Prepared // for that command; nil where it was taken, and where there is none

	fleetPolicy
}

// A fleetPolicy is what a machine of a fleet has of the fleet's policy.
type fleetPolicy struct {
	force []state.Bundle // in force: a floor
	tried []state.Bundle // they decide nothing; see trials.go

	member atomic.Int32 // what load saw, for the first judgement; see joined
}

// misconfigured is a launcher whose configuration is refused, or in force only in part.
type misconfigured struct {
	mends   bool  // a configuration that is refused denies everything, and is no error
	refused error // why policy is the one that denies everything
	named   bool  // the state directory was named, so how to mend it names it too

	failed []pathguard.CaseResult // the cases for which the configuration before it applies too
}

// frameTime is how long a client of a session may take to greet, and to end what it has begun to
// say.
const frameTime = 10 * time.Second
