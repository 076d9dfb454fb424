package audit

import (
	"errors"
	"io/fs"
	"slices"
)

// keep makes the note for the next Verify: the files of the log that are packed and sealed, and the
// files of transcripts that nobody writes to.
func (v *verifier) keep() error {
	if v.o.AtRest == nil || v.o.Since != nil || v.o.Transcript == nil || v.o.Transcripts == nil {
		return nil
	}
	k := &Verified{First: v.report.First, End: verifiedPoint{v.at.seq, v.at.head.String()},
		Size: v.at.offset, Open: v.at.offset, Beside: v.strange}
	if err := v.keepParts(k); err != nil || len(k.Parts) == 0 {
		return err
	}
	if err := v.keepFiles(k); err != nil {
		return err
	}
	v.report.Before.Next = k
	return nil
}

// keepParts notes the parts of the log from its beginning on.
func (v *verifier) keepParts(k *Verified) error {
	if v.before != nil {
		k.Parts = slices.Clone(v.before.parts)
	}
	for i := len(k.Parts); i < len(v.log.parts)-1; i++ {
		p := v.log.parts[i]
		next, ok, err := v.log.entryFrom(p.base+p.size, v.at.offset)
		if err != nil {
			return err
		}
		if !p.pack || !p.inside() || !ok || next.begins != p.base+p.size ||
			next.seq > v.report.Sealed {
			break
		}
		sum, err := p.sum()
		if err != nil {
			return err
		}
		part := verifiedPart{File: p.file, Base: p.base, Size: p.size, Sum: sum.String(),
			After: verifiedPoint{next.seq, string(next.prev)}, Time: string(next.time)}
		from := v.log.start.seq
		if i > 0 {
			from = k.Parts[i-1].After.Count
		}
		v.keepFound(&part, from)
		k.Parts = append(k.Parts, part)
	}
	return nil
}

// keepFound notes what was found in a part, whose first entry is number from.
func (v *verifier) keepFound(p *verifiedPart, from int64) {
	in := func(seq int64) bool { return seq >= from && seq < p.After.Count }
	for _, e := range slices.Concat(v.found.seals, v.found.prunes, v.found.signed) {
		if in(e.Seq) {
			line := appendLine(nil, e.Kind, e.Body, e.Prev, e.Seq, stampOf(e.Time))
			p.Lines = append(p.Lines, keptLine{e.Offset, string(line)})
		}
	}
	for _, g := range v.report.Gaps {
		if in(g.Seq) {
			p.Gaps = append(p.Gaps, g)
		}
	}
}

// keepFiles notes the files of transcripts, and where the first entry is about one in no such file.
func (v *verifier) keepFiles(k *Verified) error {
	open := map[string]int64{}
	k.Missing = v.report.Before.Missing
	for _, s := range v.report.Transcripts {
		if s.Missing {
			k.Missing++
		} else {
			open[s.ID] = s.first
		}
	}
	if v.before != nil {
		for _, f := range v.before.Files {
			if v.before.files[f.Name] {
				k.Files = append(k.Files, f)
			}
		}
	}
	fresh, err := v.freshFiles(open)
	if err != nil {
		return err
	}
	errs := make([]error, len(fresh))
	each(len(fresh), v.o.workers(), func(i int) {
		var sum Hash
		sum, errs[i] = v.o.AtRest.Sum(fresh[i].Name)
		fresh[i].Sum = sum.String()
	})
	k.Files = append(k.Files, fresh...)
	for _, first := range open {
		k.Open = min(k.Open, first)
	}
	return errors.Join(errs...)
}

// freshFiles returns the files of transcripts that were verified now and that nobody writes to, and
// removes their sessions from open.
func (v *verifier) freshFiles(open map[string]int64) (list []verifiedFile, err error) {
	files, err := v.o.AtRest.Files()
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		if v.before != nil && v.before.files[name] {
			continue
		}
		ids, err := v.o.AtRest.In(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // packed meanwhile
		}
		if err != nil {
			return nil, err
		}
		if v.o.Running != nil && slices.ContainsFunc(ids, v.o.Running) {
			continue
		}
		f := verifiedFile{Name: name, First: v.at.offset}
		for _, id := range ids {
			if first, ok := open[id]; ok {
				f.First = min(f.First, first)
				f.Count++
				delete(open, id)
			}
		}
		list = append(list, f)
	}
	return list, nil
}
