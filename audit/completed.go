package audit

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// complete reads what Verify has proven; whole reports what is missing.
func (v *verifier) complete() error {
	if !v.o.Complete {
		return nil
	}
	c := completeness{runs: map[string]*told{}, lives: map[string]*life{},
		grants: map[string]int{}, shown: map[string]bool{}, cut: v.from.seq > 0}
	defer c.begins.Close()
	w := walk{r: v.log, end: v.at.offset, at: v.from, open: true, entry: func(f fields, hash Hash,
		offset, line int64) {
		if v.partial != nil {
			return
		}
		kind := string(f.kind)
		c.begins.at = offset
		if reason := c.take(kind, f, hash, offset, line); reason != "" {
			v.partial = &BadEntry{File: logName, Seq: f.seq, Line: line, Offset: offset,
				Reason: reason}
		}
	}}
	if err := w.run(); err != nil && !errors.Is(err, errTorn) {
		return err
	}
	if err := c.again(v); err != nil || v.partial != nil {
		return err
	}
	v.partial = c.open(v)
	return nil
}

// again finds the first entry about a run that had ended, or a question that had died, before it
// was forgotten. It is found when all entries are sorted: so it counts if nothing before it is
// wrong.
func (c *completeness) again(v *verifier) error {
	for r, err := range c.begins.Records() {
		if err != nil {
			return err
		}
		if r.First && r.Text[0] == aboutRun[0] {
			v.report.Runs++
		}
		at, kind := int64(binary.BigEndian.Uint64(r.Rest)), string(r.Rest[8:])
		reason := c.wrong(string(r.Text), kind, !r.First)
		if reason == "" || v.partial != nil && at > v.partial.Offset {
			continue
		}
		found, _, err := v.log.entryFrom(at, v.at.offset)
		if err != nil {
			return err
		}
		v.partial = &BadEntry{File: logName, Seq: found.seq, Line: 1, Offset: at, Reason: reason}
	}
	return nil
}

// wrong says what is wrong with an entry that begins something: for the first time, or after that
// was forgotten.
func (c *completeness) wrong(id, kind string, second bool) string {
	run, id := strings.HasPrefix(id, aboutRun), id[1:]
	switch {
	case kind == KindFailed && (second || c.cut):
		return ""
	case kind == KindFailed:
		return fmt.Sprintf("%s of run %q, which was never announced", kind, id)
	case !second:
		return ""
	case kind == KindIntent:
		return fmt.Sprintf("announces run %q a second time", id)
	case run:
		return fmt.Sprintf("%s of run %q, which had ended", kind, id)
	case kind == kindIssued:
		return fmt.Sprintf("asks question %q a second time", id)
	}
	return fmt.Sprintf("question %q died a second time", id)
}
