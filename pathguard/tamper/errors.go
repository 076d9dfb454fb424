package tamper

import "errors"

// ErrUnsupported is returned by every operation on a system other than Linux.
var ErrUnsupported = errors.New("protected files need Linux")

// Refusals of a review: nothing was changed.
var (
	ErrNoReason     = errors.New("a reason is needed: one word at least")
	ErrClean        = errors.New("it is as it should be: nothing to review")
	ErrUnknownPath  = errors.New("it is not a protected file")
	ErrChangedSince = errors.New("changed_since_shown: it is not what was shown; look at it again: tadactl tamper diff")
	ErrNotKept      = errors.New("no copy of it was kept: put it back by hand, then accept it")
	ErrInTheWay     = errors.New("a directory is in the way: move it away, then restore again")
	ErrElsewhere    = errors.New("a directory on the way is a link now: put it back by hand")
	ErrNotShown     = errors.New("nobody has looked at it yet: tadactl tamper diff")
	ErrNoPending    = errors.New("no change of tamper_proof waits for a person")
)

// Failures of the store.
var (
	ErrBusy    = errors.New("another process holds the protected files for too long")
	ErrCorrupt = errors.New("the baselines of the protected files are damaged")
	ErrTooMany = errors.New("too many names to protect")
)
