package audit

import "errors"

// errResume is returned by a step that needs entries which were not parsed: then all of them are.
var errResume = errors.New("what was verified before does not suffice")

// A resumed proof is what was verified before and has not changed since.
type resumed struct {
	*Verified
	parts []verifiedPart  // that are not parsed
	files map[string]bool // of transcripts, that are as they were
	fresh map[string]bool // the sessions in the other files
}

// rests reports whether a transcript that exists was verified with all that the log says about it:
// it is in a file that is as it was, and the last entry about it, at a byte of the log, is not new.
func (k *resumed) rests(sid string, last int64, dropped bool) (bool, error) {
	switch {
	case k == nil:
		return false, nil
	case dropped: // it may be back, and was counted among those that are gone
		return false, errResume
	case k.fresh[sid]:
		return false, nil
	case last >= k.Size:
		return false, errResume
	}
	return true, nil
}

// doubts reports whether a transcript that is gone may have been counted before: there is more
// about it in the part that was not parsed, or it was dropped before and the log has said more
// since.
func (k *resumed) doubts(events, drop, last int64) bool {
	return k != nil && (events == 0 || drop < k.Size && last >= k.Size)
}

// counted reports whether a session was counted before.
func (k *resumed) counted(s Session) bool {
	return s.rests || k != nil && s.Missing && s.last < k.Size
}

// strange reports whether a transcript was without an entry before, and whether its run was known.
func (k *resumed) strange(sid string) (known, was bool) {
	if k == nil {
		return false, false
	}
	known, was = k.Beside[sid]
	return known, was
}
