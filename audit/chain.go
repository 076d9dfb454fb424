package audit

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
)

// chain checks the part of the log that the anchor remembers.
func (v *verifier) chain() error {
	slices.SortFunc(v.o.Remember, func(a, b Point) int { return cmp.Compare(a.Count, b.Count) })
	v.report.Slots = v.slots
	v.at = v.from
	if v.before == nil {
		v.report.Since = v.from.seq - v.log.start.seq
	}
	v.report.Segments = len(v.log.parts)
	end := min(v.size, v.anchor.Size)
	if err := v.parallel(end, v.o.workers()); err != nil {
		return err
	}
	v.tell()
	cut := &BadEntry{File: logName, Seq: v.at.seq, Line: v.at.line + 1, Offset: v.at.offset}
	last, _ := v.log.last()
	switch {
	case last < v.anchor.Segment:
		cut.Reason = fmt.Sprintf("%q is missing: the anchor remembers %s in %s",
			segmentName(v.anchor.Segment), Plural(v.anchor.Count, "entry"), Plural(v.anchor.Size,
				"byte"))
	case v.size < v.anchor.Size && (v.at.seq != v.anchor.Count || v.at.head == v.anchor.Head):
		// else the last entry is there, and shorter than it was
		cut.Reason = fmt.Sprintf("the log was cut here: the anchor remembers %s in %s",
			Plural(v.anchor.Count, "entry"), Plural(v.anchor.Size, "byte"))
	case v.at.seq != v.anchor.Count || v.at.head != v.anchor.Head:
		cut.Seq, cut.Offset = v.at.seq-1, v.anchor.Size-v.anchor.Last
		cut.Line = v.at.line
		cut.Reason = fmt.Sprintf("was changed: the anchor remembers %s and another head",
			Plural(v.anchor.Count, "entry"))
	default:
		return nil
	}
	return cut
}

// rest looks at what was written after the anchor. An unterminated line is an append that was
// interrupted: the next append sets it apart.
func (v *verifier) rest() error {
	w := v.walk(v.size)
	w.open = true
	err := w.run()
	if w.bare {
		w.at.offset-- // the newline is not there yet
	}
	v.report.NotAnchored = w.at.seq - v.at.seq
	v.at = w.at
	v.tell()
	var bad *BadEntry
	if err == nil || !errors.Is(err, errTorn) && !errors.As(err, &bad) {
		return err
	}
	torn, readErr := io.ReadAll(io.NewSectionReader(v.log, w.at.offset, min(v.size-w.at.offset,
		4*MaxLine)))
	if readErr != nil {
		return readErr
	}
	if !isTorn(torn) {
		return &BadEntry{File: logName, Seq: w.at.seq, Line: w.at.line + 1, Offset: w.at.offset,
			Reason: "another program appended to it"}
	}
	v.report.Torn = int64(len(torn))
	return nil
}

// remembered compares the heads that others remember.
func (v *verifier) remembered() error {
	for _, p := range v.o.Remember {
		if p.Count <= v.from.seq && v.report.Since > 0 || p.Count == 0 && p.Head == Genesis() ||
			slices.Contains(v.found.points, p) {
			continue
		}
		if v.before != nil && p.Count <= v.from.seq {
			if err := v.had(p); err != nil {
				return err
			}
			continue
		}
		bad := neverHad(p)
		if p.Count > v.at.seq {
			bad.Seq, bad.Line, bad.Offset = v.at.seq, v.at.line+1, v.at.offset
			bad.Reason = fmt.Sprintf("the log ends here, but it had %s", Plural(p.Count, "entry"))
		}
		return bad
	}
	return nil
}
