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
	open := unkept{list: v.report.Transcripts}
	k.Missing = v.report.Before.Missing + open.index()
	if v.before != nil {
		for _, f := range v.before.Files {
			if v.before.files[f.Name] {
				k.Files = append(k.Files, f)
			}
		}
	}
	fresh := v.freshFiles(&open)
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
		for _, i := range f.sessions {
			open.kept[i] = true
		}
	}
	for n, i := range open.byID {
		if !open.kept[n] {
			k.Open = min(k.Open, open.list[i].first)
		}
	}
}

// An unkept is the sessions whose transcripts are there, of which there may be millions: some bytes
// for each.
type unkept struct {
	list []Session
	byID []int32 // those in list, sorted by id
	kept []bool  // they are in a file that is noted
	in   []uint8 // in how many files they are; 2 means more
}

// index sorts the sessions and returns how many transcripts are missing.
func (u *unkept) index() (missing int) {
	for i, s := range u.list {
		if s.Missing {
			missing++
		} else {
			u.byID = append(u.byID, int32(i))
		}
	}
	slices.SortFunc(u.byID, func(a, b int32) int {
		return strings.Compare(u.list[a].ID, u.list[b].ID)
	})
	u.kept, u.in = make([]bool, len(u.byID)), make([]uint8, len(u.byID))
	return missing
}

// find returns the place of a session in byID.
func (u *unkept) find(id string) (int32, bool) {
	i, ok := slices.BinarySearchFunc(u.byID, id, func(i int32, id string) int {
		return strings.Compare(u.list[i].ID, id)
	})
	return int32(i), ok
}

// A freshFile is a file of transcripts that was verified now.
type freshFile struct {
	verifiedFile
	sessions []int32 // of unkept.byID
}

// freshFiles returns the files of transcripts that were verified now, that nobody writes to, and
// that entries are about. Of a session in two files only one was read: both are left out.
func (v *verifier) freshFiles(open *unkept) (list []freshFile) {
	others := map[string]string{} // sessions that no entry is about, and their files
	strange := map[string]bool{}  // files that share one
	for name, was := range v.files {
		if v.before != nil && v.before.files[name] {
			continue
		}
		ids, err := v.o.AtRest.In(name)
		f := freshFile{verifiedFile: verifiedFile{Name: name, Size: was.size, First: v.at.offset}}
		for _, id := range ids {
			n, ok := open.find(id)
			if !ok {
				if other, twice := others[id]; twice {
					strange[other], strange[name] = true, true
				}
				others[id] = name
				continue
			}
			open.in[n] = min(open.in[n]+1, 2)
			f.sessions = append(f.sessions, n)
			f.First = min(f.First, open.list[open.byID[n]].first)
			f.Count++
		}
		busy := v.o.Running != nil && slices.ContainsFunc(ids, v.o.Running)
		if err == nil && was.info != nil && !busy && f.Count > 0 {
			list = append(list, f)
		}
	}
	list = slices.DeleteFunc(list, func(f freshFile) bool {
		return strange[f.Name] || slices.ContainsFunc(f.sessions,
			func(n int32) bool { return open.in[n] > 1 })
	})
	slices.SortFunc(list, func(a, b freshFile) int { return strings.Compare(a.Name, b.Name) })
	return list
}
