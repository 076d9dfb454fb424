package audit

import (
	"bytes"
	"crypto/sha256"
)

// checkPruned proves the memory of removed segments: an entry that is still in the log must say the
// same.
func (v *verifier) checkPruned() error {
	p := v.log.pruned
	if p == nil || v.report.Since > 0 {
		return nil
	}
	t, err := p.load(v.dir)
	if err != nil {
		return err
	}
	v.report.Pruned = p.body.Count
	for _, e := range v.found.prunes {
		if bytes.Equal(e.Body, p.said) {
			v.removed = t
			return v.recall(p)
		}
	}
	return &BadEntry{File: p.name, Seq: p.body.Count,
		Reason: "no entry of the log says that its first segments were removed"}
}

// recall adds the removed seals, passkeys and heads to what is checked.
func (v *verifier) recall(p *pruned) error {
	var seals []sealEntry
	var paired []Entry
	for n, line := range p.lines {
		if f, ok := splitLine(line); ok && (string(f.kind) == kindSeal ||
			string(f.kind) == KindAccept) {
			seals = append(seals, sealEntry{Entry: f.entry(sha256.Sum256(line), 0, 0)})
		} else if ok && isAboutPasskey(string(f.kind), f.body) {
			paired = append(paired, f.entry(sha256.Sum256(line), 0, 0))
		}
		if h, ok := leafOf(line, int64(n)); ok && len(v.o.Remember) > 0 {
			v.found.points = append(v.found.points, Point{int64(n) + 1, h})
		}
	}
	v.found.seals = append(seals, v.found.seals...)
	v.found.signed = append(paired, v.found.signed...)
	return nil
}
