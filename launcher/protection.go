package launcher

import (
	"fmt"

	"github.com/tada-run/tada-run/pathguard/tamper"
)

// A protection is the protected files that a plan can reach: tada-run's own, those of the
// workspace it runs in, and those of other workspaces that it names.
type protection struct {
	stores []*watched // tada-run's own first
	// all of them at the first look; the sandbox is built at the same time, so this never changes
	files []string
	ended bool
}

// watched is one store and what was found in it last.
type watched struct {
	*tamper.Store
	report  tamper.Report
	granted bool // the run may write some of it
}

// A ProtectionError says that protected files could not be verified. What cannot be verified does
// not run.
type ProtectionError struct{ Err error }

func (e *ProtectionError) Error() string {
	return fmt.Sprintf("protected files cannot be verified, so nothing runs: %v", e.Err)
}

// Unwrap returns the cause.
func (e *ProtectionError) Unwrap() error { return e.Err }
