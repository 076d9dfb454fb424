package audit

import (
	"encoding/binary"
	"os"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/audit/sorted"
)

// keep makes the note for the next Verify: the files of the log that are packed and sealed, and the
// files of transcripts that nobody writes to. Without it the next one reads everything: so whatever
// goes wrong here is no verdict.
func (v *verifier) keep() error {
	if v.o.AtRest == nil || v.o.Since != nil || v.o.Transcript == nil || v.o.Transcripts == nil {
		return nil
	}
	if v.back || v.crowded {
		return nil
	}
	k := &Verified{First: v.report.First, End: verifiedPoint{v.at.seq, v.at.head.String()},
		Size: v.at.offset, Open: v.at.offset, Beside: v.strange}
	if v.keepParts(k); len(k.Parts) > 0 && v.keepFiles(k) == nil {
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
	keep := func(e Entry, before int64) {
		line := appendLine(nil, e.Kind, e.Body, e.Prev, e.Seq, stampOf(e.Time))
		p.Lines = append(p.Lines, keptLine{e.Offset, string(line), before})
	}
	v.keepSeals(in, keep)
	for _, e := range slices.Concat(v.found.prunes, v.found.signed) {
		if in(e.Seq) {
			keep(e, 0)
		}
	}
	for _, g := range v.report.Gaps {
		if in(g.Seq) {
			p.Gaps = append(p.Gaps, g)
		}
	}
}

// keepSeals keeps what the check of later seals needs of those in a part: the first of all, which
// names the first key, the last, and what was accepted. The others were checked.
func (v *verifier) keepSeals(in func(seq int64) bool, keep func(e Entry, before int64)) {
	before, first := int64(0), true
	for i, s := range v.found.seals {
		begins := first && s.Kind == kindSeal
		first = first && !begins
		if !in(s.Seq) {
			continue
		}
		before += s.before
		last := i+1 == len(v.found.seals) || !in(v.found.seals[i+1].Seq) ||
			v.found.seals[i+1].Kind == KindAccept
		switch {
		case s.Kind == KindAccept:
			keep(s.Entry, 0)
		case last || begins:
			keep(s.Entry, before)
			before = 0
		default:
			before++
		}
	}
}

// What keepFiles knows of a session, in a record that begins with its id.
const (
	restSession = iota // where the first entry about it is, 8 bytes
	restFile           // the number of a file that it is in, 4 bytes
)

// keepFiles notes the files of transcripts, and where the first entry is about one in no such file.
func (v *verifier) keepFiles(k *Verified) error {
	k.Missing = v.report.Before.Missing + v.report.Missing
	if v.before != nil {
		for _, f := range v.before.Files {
			if v.before.files[f.Name] {
				k.Files = append(k.Files, f)
			}
		}
	}
	fresh := v.freshFiles()
	if err := v.match(fresh, k); err != nil {
		return err
	}
	each(len(fresh), v.o.workers(), func(i int) {
		fresh[i].whole = fresh[i].whole && v.sum(&fresh[i])
	})
	for _, f := range fresh {
		if f.whole && f.Count > 0 {
			k.Files = append(k.Files, f.verifiedFile)
		} else if f.Count > 0 {
			k.Open = min(k.Open, f.First)
		}
	}
	return nil
}

// sum makes the hash of a file that is as it was before it was read.
func (v *verifier) sum(f *freshFile) bool {
	path := v.o.AtRest.Path(f.Name)
	sum, err := SumFile(path, f.Size)
	info, statErr := os.Lstat(path)
	f.Sum = sum.String()
	return err == nil && statErr == nil && v.files[f.Name].same(info)
}

// A freshFile is a file of transcripts that was verified now.
type freshFile struct {
	verifiedFile
	whole bool // it can be noted
}

// freshFiles lists the files of transcripts that were verified now, and adds to what is known of
// sessions in which they are.
func (v *verifier) freshFiles() (list []freshFile) {
	for name, was := range v.files {
		if v.before == nil || !v.before.files[name] {
			list = append(list, freshFile{verifiedFile: verifiedFile{Name: name, Size: was.size,
				First: v.at.offset}})
		}
	}
	slices.SortFunc(list, func(a, b freshFile) int { return strings.Compare(a.Name, b.Name) })
	for i := range list {
		f := &list[i]
		ids, err := v.o.AtRest.In(f.Name)
		busy := v.o.Running != nil && slices.ContainsFunc(ids, v.o.Running)
		f.whole = err == nil && v.files[f.Name].plain && !busy
		for _, id := range ids {
			record := append(sorted.AppendKey(nil, id), restFile)
			v.rested.Add(binary.BigEndian.AppendUint32(record, uint32(i)))
		}
	}
	return list
}

// match says of each file where the first entry is about one of its sessions. Of a session in two
// files only one was read: neither is noted. One in no file is left open.
func (v *verifier) match(fresh []freshFile, k *Verified) error {
	first, in := int64(-1), []uint32{}
	end := func() {
		for _, i := range in {
			fresh[i].whole = fresh[i].whole && len(in) == 1
			if first >= 0 {
				fresh[i].First, fresh[i].Count = min(fresh[i].First, first), fresh[i].Count+1
			}
		}
		if len(in) == 0 && first >= 0 {
			k.Open = min(k.Open, first)
		}
		first, in = -1, in[:0]
	}
	for r, err := range v.rested.Records() {
		if err != nil {
			return err
		}
		if r.First {
			end()
		}
		if r.Rest[0] == restSession {
			first = int64(binary.BigEndian.Uint64(r.Rest[1:]))
		} else {
			in = append(in, binary.BigEndian.Uint32(r.Rest[1:]))
		}
	}
	end()
	return nil
}
