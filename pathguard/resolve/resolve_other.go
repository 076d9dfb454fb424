//go:build !linux

package resolve

import "github.com/tada-run/tada-run/shellparse"

// Resolve needs O_PATH: on other systems it returns ErrUnsupported.
func Resolve(*shellparse.Script, Caller) (*Plan, error) { return nil, ErrUnsupported }
