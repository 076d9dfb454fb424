package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// What Verify checks beside the chain: files that say something about the log, what they should
// contain, and files that the log does not mention.

const checkpointName = "checkpoint"

// checkpoint checks the signature of the checkpoint that is stored beside the log. Whether the log
// had its head is checked together with the other remembered heads. The root over the entries says
// the same as the head, and is compared where a witness or a proof needs it (Prove).
func (v *verifier) checkpoint() error {
	switch {
	case len(v.o.Checkpoint) == 0:
		return nil
	case v.o.Known == nil:
		v.report.note(
			"the checkpoint beside the log was not checked: the key that signed it is not here")
		return nil
	}
	p, err := CheckpointPoint(v.o.Checkpoint, v.o.Known)
	switch {
	case errors.Is(err, errNoHead):
		v.report.note("the checkpoint beside the log was not compared: it names no head")
		return nil
	case err != nil:
		return &BadEntry{File: checkpointName, Reason: err.Error()}
	}
	v.o.Remember = append(slices.Clone(v.o.Remember), p)
	return nil
}

// beside checks the small files around the log, and notes what they leave open.
func (v *verifier) beside() error {
	if reason := v.mark.missing(v.marked); reason != "" {
		return &BadEntry{File: filepath.Base(v.o.Mark), Reason: reason}
	}
	if len(v.locked) > 0 && string(v.locked) != lockMark {
		return &BadEntry{File: lockName, Reason: fmt.Sprintf("holds %q instead of nothing or %q",
			v.locked, lockMark)}
	}
	r := &v.report
	switch {
	case v.o.Mark == "":
	case v.mark.state != markWhole:
		r.note(
			"%s does not exist, so this machine cannot rule out that the log directory is an "+
				"older copy", filepath.Base(v.o.Mark))
	}
	if v.slots < 2 {
		r.note("one of the two copies in %s is damaged: a write was interrupted, or it was changed",
			anchorName)
	}
	if r.NotAnchored > 0 {
		r.note(
			"%s at the end of the log, not in %s: a process died between two writes, or another "+
				"program appended to the log", Plural(r.NotAnchored, "entry"), anchorName)
	}
	return nil
}

// unnamed finds the transcripts that the log does not mention: they belong to another log, or to
// entries that this one has lost.
func (v *verifier) unnamed() error {
	there, err := v.strangers, v.unlisted
	if err != nil {
		return fmt.Errorf("listing the transcripts: %w", err)
	}
	if len(there) == 0 {
		return nil
	}
	slices.Sort(there)
	known, err := v.runsNamed(there)
	v.strange = map[string]bool{}
	for _, sid := range there {
		was, before := v.before.strange(sid)
		if v.before != nil && !known[sid] && !before {
			return errResume
		}
		known[sid] = known[sid] || was
		v.strange[sid] = known[sid]
		switch {
		case !known[sid]:
			v.report.Unnamed = append(v.report.Unnamed, sid)
		case v.o.Running == nil || !v.o.Running(sid):
			v.report.Unvouched = append(v.report.Unvouched, sid)
		}
	}
	return err
}

// told is the kind of entries that say that the log knows a run. Where a part is not parsed it is
// the first of them: then all of them, and all about its transcript, are in the other part.
func (v *verifier) told() string {
	if v.before != nil {
		return KindIntent
	}
	return "exec."
}

// runsNamed returns which of some sessions, sorted, are runs that the log mentions.
func (v *verifier) runsNamed(of []string) (map[string]bool, error) {
	known := map[string]bool{}
	w := walk{r: v.log, end: v.at.offset, at: v.from, open: true, entry: func(f fields, _ Hash, _,
		_ int64) {
		var b struct{ SID string }
		if !strings.HasPrefix(string(f.kind), v.told()) || json.Unmarshal(f.body, &b) != nil {
			return
		}
		if _, asked := slices.BinarySearch(of, b.SID); asked {
			known[b.SID] = true
		}
	}}
	if err := w.run(); err != nil && !errors.Is(err, errTorn) {
		return known, err
	}
	return known, nil
}

// accepted collects what people accepted after tampering.
func (v *verifier) accepted() error {
	for _, e := range v.found.seals { // among them, those of removed segments
		g, ok := e.Gap()
		if !ok || !g.Accepted() {
			continue
		}
		v.report.Unproven = append(v.report.Unproven, g)
	}
	return nil
}

// whole is the last step of Complete: what is proven must be all there is.
func (v *verifier) whole() error {
	if !v.o.Complete {
		return nil
	}
	var reasons []string
	bad := &BadEntry{File: logName}
	if v.partial != nil {
		*bad = *v.partial
		reasons = append(reasons, bad.Reason)
	}
	for _, g := range v.report.Unproven {
		if len(reasons) == 0 {
			bad.Seq, bad.Offset = g.From.Count, g.From.Offset
		}
		reasons = append(reasons, g.Unproven())
	}
	if n := len(v.report.Unnamed); n > 0 {
		if len(reasons) == 0 {
			bad.File = v.report.Unnamed[0] + ".cast"
		}
		reasons = append(reasons, fmt.Sprintf("no entry of the log speaks of transcript %q",
			v.report.Unnamed[0]))
	}
	if len(reasons) == 0 {
		return nil
	}
	bad.Reason = strings.Join(reasons, "; ")
	return bad
}
