package tamper

import "errors"

// Refusals of a review: nothing was changed.
var (
	ErrNoReason     = errors.New("a reason is needed: one word at least")
	ErrClean        = errors.New("it is unchanged: nothing to review")
	ErrUnknownPath  = errors.New("it is not a protected file")
	ErrChangedSince = errors.New("changed_since_shown: it changed since it was shown; review it " +
		"again: tadactl tamper diff")
	ErrNotKept   = errors.New("no copy was kept; restore it by hand, then accept it")
	ErrInTheWay  = errors.New("a directory is in the way: move it away, then restore again")
	ErrElsewhere = errors.New("a parent directory is now a symbolic link; restore it by hand")
	ErrNotShown  = errors.New("review the change first: tadactl tamper diff")
	ErrNoPending = errors.New("no change of tamper_proof is pending")
)

// Failures of the store.
var (
	ErrBusy    = errors.New("another process has locked the protected files for too long")
	ErrCorrupt = errors.New("the baselines of the protected files are damaged")
	ErrTooMany = errors.New("too many names to protect")
)
