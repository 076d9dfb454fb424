//go:build !linux && !darwin

package caller

import "github.com/tada-run/tada-run/approval"

// Own knows nothing of the process: nothing can be decided where nothing runs.
func Own() approval.Caller { return approval.Caller{} }

func inOrOut(string) approval.Caller { return Own() }
