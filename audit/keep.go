package audit

import (
	"os"
	"slices"
	"strings"
)

// keep makes the note for the next Verify: the files of the log that are packed and sealed, and the
// files of transcripts that nobody writes to. Without it the next one reads everything: so whatever
// goes wrong here is no verdict.
func (v *verifier) keep() error {
	if v.o.AtRest == nil || v.o.Since != nil || v.o.Transcript == nil || v.o.Transcripts == nil {
		return nil
	}
	if slices.ContainsFunc(v.report.Transcripts, func(s Session) bool { return s.back }) {
		return nil
	}
	k := &Verified{First: v.report.First, End: verifiedPoint{v.at.seq, v.at.head.String()},
		Size: v.at.offset, Open: v.at.offset, Beside: v.strange}
	if v.keepParts(k); len(k.Parts) > 0 {
		v.keepFiles(k)
		v.report.Before.Next = k
	}
	return nil
}

// keepParts notes the parts of the log from its beginning on.
func (v *verifier) keepParts(k *Verified) {
	if v.before != nil {
		k.Parts = slices.Clone(v.before.parts)
	}
	for i := len(k.Parts); i < len(v.log.parts)-1; i++ {
		p, was := v.log.parts[i], v.looks[i]
		next, ok, err := v.log.entryFrom(p.base+p.size, v.at.offset)
		if err != nil || !p.pack || !p.inside() || !ok || next.begins != p.base+p.size ||
			next.seq > v.report.Sealed {
			return
		}
		sum, err := p.sum(was.size)
		if err != nil {
			return
		}
		if info, err := p.text.file.Stat(); err != nil || !was.same(info) {
			return
		}
		part := verifiedPart{File: p.file, Base: p.base, Size: p.size, Disk: was.size,
			Sum: sum.String(), After: verifiedPoint{next.seq, string(next.prev)},
			Time: string(next.time)}
		from := v.log.start.seq
		if i > 0 {
			from = k.Parts[i-1].After.Count
		}
		v.keepFound(&part, from)
		k.Parts = append(k.Parts, part)
	}
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
func (v *verifier) keepFiles(k *Verified) {
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
	fresh := v.freshFiles(open)
	each(len(fresh), v.o.workers(), func(i int) {
		f := &fresh[i].verifiedFile
		path := v.o.AtRest.Path(f.Name)
		sum, err := SumFile(path, f.Size)
		if info, statErr := os.Lstat(path); err != nil || statErr != nil ||
			!v.files[f.Name].same(info) {
			f.Count = 0
			return
		}
		f.Sum = sum.String()
	})
	for _, f := range fresh {
		if f.Count == 0 {
			k.Open = min(k.Open, f.First)
			continue
		}
		k.Files = append(k.Files, f.verifiedFile)
		for _, id := range f.ids {
			delete(open, id)
		}
	}
	for _, first := range open {
		k.Open = min(k.Open, first)
	}
}

// A freshFile is a file of transcripts that was verified now.
type freshFile struct {
	verifiedFile
	ids []string
}

// freshFiles returns the files of transcripts that were verified now, that nobody writes to, and
// that entries are about. Of a session in two files only one was read: both are left out.
func (v *verifier) freshFiles(open map[string]int64) (list []freshFile) {
	in := map[string]int{} // how many files a session is in
	for name, was := range v.files {
		if v.before != nil && v.before.files[name] {
			continue
		}
		ids, err := v.o.AtRest.In(name)
		for _, id := range ids {
			in[id]++
		}
		busy := v.o.Running != nil && slices.ContainsFunc(ids, v.o.Running)
		if err != nil || was.info == nil || busy {
			continue
		}
		f := freshFile{verifiedFile{Name: name, Size: was.size, First: v.at.offset}, ids}
		for _, id := range ids {
			if first, ok := open[id]; ok {
				f.First = min(f.First, first)
				f.Count++
			}
		}
		if f.Count > 0 {
			list = append(list, f)
		}
	}
	list = slices.DeleteFunc(list, func(f freshFile) bool {
		return slices.ContainsFunc(f.ids, func(id string) bool { return in[id] > 1 })
	})
	slices.SortFunc(list, func(a, b freshFile) int { return strings.Compare(a.Name, b.Name) })
	return list
}
