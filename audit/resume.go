package audit

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// resume begins the proof at the end of the files of the log that have not changed since they were
// verified, and before the first entry about a transcript that has.
func (v *verifier) resume() error {
	if v.o.AtRest == nil || v.o.Since != nil {
		return nil
	}
	if err := v.look(); err != nil || v.o.AtRest.Before == nil {
		return err
	}
	if v.crowded {
		return errResume
	}
	k := resumed{Verified: v.o.AtRest.Before}
	k.files = v.unchanged(k.Files)
	limit := k.Open
	for _, f := range k.Files {
		if !k.files[f.Name] {
			limit = min(limit, f.First)
		}
	}
	var err error
	if k.parts, err = v.sameParts(k.Parts, limit); err != nil {
		return err
	}
	if len(k.parts) == 0 {
		return errResume
	}
	from, ok := k.parts[len(k.parts)-1].after()
	head, ok2 := parseHash([]byte(k.End.Head))
	if !ok || !ok2 {
		return errResume
	}
	if k.fresh, err = v.inFiles(k.files); err != nil {
		return err
	}
	v.from, v.before = from, &k
	v.o.Remember = append(slices.Clone(v.o.Remember), Point{k.End.Count, head})
	return v.carry()
}

// sum is the SHA-256 of the file behind a part of the log, which is open.
func (p segment) sum(size int64) (Hash, error) {
	if err := p.text.open(); err != nil {
		return Hash{}, err
	}
	return sumOf(p.text.file, size)
}

// inside reports whether a part of the log is in the file that it was listed as: it may have been
// packed since.
func (p segment) inside() bool { return filepath.Base(p.text.path) == p.file }

// unchanged returns the files of transcripts that are as they were.
func (v *verifier) unchanged(list []verifiedFile) map[string]bool {
	same := map[string]bool{}
	var mu sync.Mutex
	each(len(list), v.o.workers(), func(i int) {
		f := list[i]
		is := v.files[f.Name]
		ok := is.plain && is.size == f.Size
		if ok {
			sum, err := SumFile(v.o.AtRest.Path(f.Name), f.Size)
			ok = err == nil && sum.String() == f.Sum
		}
		mu.Lock()
		defer mu.Unlock()
		same[f.Name] = ok
		v.progress("files", int64(len(same)), int64(len(list)))
	})
	return same
}

// sameParts returns the first files of the log, up to a byte, that are as they were.
func (v *verifier) sameParts(list []verifiedPart, limit int64) ([]verifiedPart, error) {
	at := v.log.start.offset
	n := 0
	for ; n < len(list) && n < len(v.log.parts); n++ {
		was, is := list[n], v.log.parts[n]
		if was.Base != at || was.File != is.file || is.base != at || was.Size != is.size ||
			was.end() > limit || !is.inside() {
			break
		}
		at = was.end()
	}
	same := make([]bool, n)
	each(n, v.o.workers(), func(i int) {
		sum, err := v.log.parts[i].sum(list[i].Disk)
		same[i] = err == nil && sum.String() == list[i].Sum
	})
	if i := slices.Index(same, false); i >= 0 {
		// a changed file is for who reads all of it
		return nil, fmt.Errorf("%w: %q has changed", errResume, list[i].File)
	}
	return list[:n], nil
}

// inFiles returns the sessions whose transcripts are in files other than the unchanged ones. One
// that is in both was not verified as it would be read.
func (v *verifier) inFiles(unchanged map[string]bool) (map[string]bool, error) {
	fresh := map[string]bool{}
	for file := range v.files {
		if unchanged[file] {
			continue
		}
		ids, err := v.o.AtRest.In(file)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			fresh[id] = true
		}
	}
	sorted := slices.Sorted(maps.Keys(fresh))
	for file, same := range unchanged {
		first, last := v.o.AtRest.Span(file)
		i, _ := slices.BinarySearch(sorted, first)
		if !same || i == len(sorted) || sorted[i] > last {
			continue
		}
		ids, err := v.o.AtRest.In(file)
		if err != nil || slices.ContainsFunc(ids, func(id string) bool { return fresh[id] }) {
			return nil, errors.Join(errResume, err)
		}
	}
	return fresh, nil
}

// carry takes over what was found in the parts that are not parsed.
func (v *verifier) carry() error {
	r := &v.report
	r.First, r.Before = v.before.First, Before{Time: v.before.Time, Size: v.before.Size,
		Entries: v.from.seq - v.log.start.seq}
	for _, f := range v.before.Files {
		if v.before.files[f.Name] {
			r.Before.Transcripts += f.Count
		}
	}
	r.Before.Missing = v.before.Missing
	r.Before.Transcripts += v.before.Missing
	for _, p := range v.before.parts {
		r.Gaps = append(r.Gaps, p.Gaps...)
		for _, kept := range p.Lines {
			f, ok := splitLine([]byte(kept.Text))
			if !ok {
				return errResume
			}
			v.collect(f, sha256.Sum256([]byte(kept.Text)), kept.Offset, f.seq+1, &v.found)
			v.vouch()
			if kept.Before > 0 && len(v.found.seals) > 0 {
				v.found.seals[len(v.found.seals)-1].before = kept.Before
			}
		}
	}
	return nil
}

// there says which transcripts may be without an entry.
func (v *verifier) there(say func(sid string)) error {
	if v.before == nil {
		return v.o.Transcripts(say)
	}
	for sid := range v.before.fresh {
		say(sid)
	}
	for sid := range v.before.Beside {
		f, err := v.o.Transcript(sid)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		f.Close()
		say(sid)
	}
	return nil
}

// had checks a remembered point in the part that is not parsed. Where bytes are set apart, they may
// hold lines that look like entries.
func (v *verifier) had(p Point) error {
	for _, part := range v.before.parts {
		if len(part.Gaps) > 0 {
			return errResume
		}
	}
	at, err := v.find(p.Count - 1)
	if err == nil && at.head != p.Head {
		err = errResume
	}
	return err
}

// look looks at the files of transcripts, and at those of the log, before they are read.
func (v *verifier) look() error {
	v.files = map[string]look{}
	err := v.o.AtRest.Files(func(file string) {
		if v.crowded = v.crowded || len(v.files) >= mostFiles; v.crowded {
			return
		}
		v.files[file] = look{} // of what is no plain file there is no note
		if info, err := os.Lstat(v.o.AtRest.Path(file)); err == nil {
			v.files[file] = lookAt(info)
		}
	})
	if err != nil {
		return fmt.Errorf("listing the transcripts: %w", err)
	}
	if v.crowded {
		v.files = nil
	}
	v.looks = make([]look, len(v.log.parts))
	for i, p := range v.log.parts {
		if info, err := p.text.file.Stat(); err == nil {
			v.looks[i] = lookAt(info)
		}
	}
	return nil
}
