package audit

import "fmt"

// checkSeals checks that every seal is signed by the key that the one before it named, the first by
// the pinned key, with no number left out. A log that was accepted after tampering may have lost
// some: there the chain of keys starts again, and the report's Gaps say why.
func (v *verifier) checkSeals() error {
	var last *sealBody
	var at Entry
	for _, s := range v.found.seals {
		e := s.Entry
		if e.Kind == KindAccept {
			last = nil
			continue
		}
		if s.before > 0 {
			last = nil
			v.report.Seals += s.before
		}
		b, reason := checkSeal(e)
		first := v.report.Seals == 0
		switch {
		case reason != "":
		case last != nil && b.Epoch != last.Epoch+1:
			reason = fmt.Sprintf("seals epoch %d, not %d", b.Epoch, last.Epoch+1)
		case last != nil && b.Key != last.Next:
			reason = "is not sealed with the key that the seal before it named"
		case first && v.o.SealKey != "" && v.report.Since == 0 && b.Key != v.o.SealKey:
			reason = "is not sealed with the pinned key"
		case first && b.Epoch != 0 && len(v.report.Gaps) == 0 && v.report.Since == 0:
			reason = fmt.Sprintf("the first seal is of epoch %d", b.Epoch)
		}
		if reason != "" {
			return &BadEntry{File: logName, Seq: e.Seq, Line: e.Line, Offset: e.Offset,
				Reason: reason}
		}
		if first {
			v.report.FirstKey = b.Key
		}
		v.report.Seals++
		v.report.Sealed = e.Seq + 1
		last, at = &b, e
	}
	if v.report.Seals == 0 && v.o.SealKey != "" && v.report.Since == 0 {
		return &BadEntry{File: logName, Seq: v.at.seq,
			Reason: "a key is pinned, but nothing is sealed"}
	}
	return v.sealFile(last, at)
}

// sealFile compares the seals with the key file, if it can be read: a log cut back to an older seal
// has no key to continue from there.
func (v *verifier) sealFile(last *sealBody, at Entry) error {
	switch {
	case v.spoiled != "":
		return &BadEntry{File: sealKeyName, Reason: v.spoiled}
	case last == nil && v.report.Since > 0:
	case len(v.keys) == 0: // an auditor's copy has no secrets
		if last != nil {
			v.report.note("%s is missing, so it cannot be ruled out that a seal was cut off",
				sealKeyName)
		}
	case last == nil && len(v.found.seals) > 0: // only accept entries since
	case last == nil:
		if _, unused := keyOf(v.keys, 0); !unused {
			return &BadEntry{File: logName, Seq: v.at.seq,
				Reason: "nothing is sealed, but the key has been used"}
		}
	default:
		if k, ok := keyOf(v.keys, last.Epoch+1); !ok || k.public() != last.Next {
			return &BadEntry{File: logName, Seq: at.Seq + 1, Line: at.Line + 1,
				Reason: fmt.Sprintf(
					"%s is ahead of this log: the log was cut back to the seal of epoch %d, or "+
						"the key was replaced", sealKeyName, last.Epoch)}
		}
	}
	return nil
}
