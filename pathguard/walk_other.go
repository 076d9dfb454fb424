//go:build !linux

package pathguard

import "github.com/tada-run/tada-run/shellparse"

// Resolve needs O_PATH: on other systems it returns ErrUnsupported.
func Resolve(*shellparse.Script, Caller) (*Plan, error) { return nil, ErrUnsupported }

// realOf is the name itself: without O_PATH nothing is judged, so nothing is resolved.
func realOf(name string) (string, ID, bool) { return name, ID{}, false }

// existing finds nothing: without a plan there is no fence.
func existing([]string) []string { return nil }
