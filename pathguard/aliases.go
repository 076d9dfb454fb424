package pathguard

import (
	"github.com/tada-run/tada-run/pathguard/intent"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse"
)

// The plan that is judged, by the names that callers know. Package resolve makes it.
type (
	Plan    = resolve.Plan
	Caller  = resolve.Caller
	Session = resolve.Session
	Kept    = resolve.Kept
	Look    = resolve.Look
	Local   = resolve.Local
	Target  = resolve.Target
	Program = resolve.Program
	Content = resolve.Content

	Registry = resolve.Registry
	Call     = resolve.Call
	Amount   = resolve.Amount
	ID       = walk.ID
	Intent   = intent.Intent
)

// Resolve finds the real files behind every name of the script and opens each once:
// [resolve.Resolve].
func Resolve(script *shellparse.Script, c Caller) (*Plan, error) {
	return resolve.Resolve(script, c)
}

// Readers is [resolve.Readers].
func Readers() (all, again []string) { return resolve.Readers() }

// ParseAmount reads what [Amount.Exact] wrote; ok is false for anything else.
func ParseAmount(s string) (a Amount, ok bool) { return resolve.ParseAmount(s) }
