package audit

// passkeys checks what passkeys have signed, against the keys that the log itself has.
func (v *verifier) passkeys() error {
	if len(v.found.signed) == 0 {
		return nil
	}
	if v.o.Passkeys == nil {
		v.report.note("%s about passkeys: what they signed was not checked",
			Plural(int64(len(v.found.signed)), "entry"))
		return nil
	}
	check := v.o.Passkeys(v.o.Since != nil || v.log.start.seq > 0)
	for _, e := range v.found.signed {
		if reason := check.Take(e.Body); reason != "" {
			return &BadEntry{File: logName, Seq: e.Seq, Line: e.Line, Offset: e.Offset,
				Reason: e.Kind + ": " + reason}
		}
	}
	if n := check.Unknown(); n > 0 {
		v.report.note("%s by passkeys that were paired in an earlier part of the log, which was "+
			"not read: not checked", Plural(int64(n), "answer"))
	}
	return nil
}
