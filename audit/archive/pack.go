package archive

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tada-run/tada-run/audit"
)

const (
	// fewest are worth an archive.
	fewest = 16
	// block is what the smallest file takes on the disk.
	block = 4096
)

// Pack packs the transcripts of sessions that are over: the small ones into archives, unless they
// are few, the others each in a file of its own, unless they are smaller than a block of the disk.
// busy reports whether a session still goes on. What cannot be packed stays as it is, and the
// errors are returned together. When ctx ends, Pack returns its results so far and ctx.Err(). Call
// it when no user waits.
func (f *Folder) Pack(ctx context.Context, busy func(id string) bool) (done audit.Packed,
	err error) {
	names, err := f.names()
	if err != nil {
		return done, err
	}
	var closed []string // small ones
	for _, name := range names {
		id, ok := idOf(name)
		if !ok || !isID(id) || busy(id) {
			continue
		}
		info, err := os.Lstat(filepath.Join(f.Dir, name))
		if err == nil && info.Mode().IsRegular() && info.Size() <= small &&
			(strings.HasSuffix(name, castSuffix) || info.Size() <= block) {
			closed = append(closed, id)
		}
	}
	closed = slices.Compact(closed)
	err = errors.Join(f.mend(), f.forget(closed))
	if len(closed) >= fewest && ctx.Err() == nil {
		var gathered error
		done, gathered = f.gather(ctx, closed)
		err = errors.Join(err, gathered)
	}
	alone, aloneErr := audit.PackFolder(ctx, f.Dir, func(name string) bool {
		id := strings.TrimSuffix(name, castSuffix)
		info, err := os.Stat(filepath.Join(f.Dir, name))
		return err == nil && info.Size() > block && isID(id) && !busy(id)
	}, f.Codec)
	done.Files += alone.Files
	done.Before += alone.Before
	done.After += alone.After
	return done, errors.Join(err, aloneErr, ctx.Err())
}

// forget leaves out of the archives what is there as a whole file too: a process died that would
// have removed one of the two.
func (f *Folder) forget(ids []string) error {
	names, err := f.archives()
	if err != nil || len(ids) == 0 {
		return err
	}
	for _, name := range names {
		first, last, _ := span(name)
		if last < ids[0] || first > ids[len(ids)-1] {
			continue
		}
		a, openErr := open(f.in(), name, f.Codec)
		if openErr != nil {
			err = errors.Join(err, openErr)
			continue
		}
		both := map[string]bool{}
		var text []byte // read when a file is there too
		for _, id := range ids {
			e, ok := a.find(id)
			if ok && text == nil {
				text, openErr = a.all()
				err = errors.Join(err, openErr)
			}
			if ok && openErr == nil && f.isWhole(id, text[e.offset:e.offset+e.size]) {
				both[id] = true
			}
		}
		a.text.Close()
		if len(both) > 0 {
			err = errors.Join(err, f.rewrite(name, both))
		}
	}
	return err
}

// isWhole reports whether the file of a transcript may take the place of what an archive has of it:
// it is the same, or a transcript that is not cut.
func (f *Folder) isWhole(id string, archived []byte) bool {
	own, err := f.own(id)
	if err != nil || own == nil {
		return false
	}
	if bytes.Equal(own, archived) {
		return true
	}
	t, err := audit.NewReader(id, bytes.NewReader(own))
	for err == nil {
		_, err = t.Next()
	}
	return errors.Is(err, io.EOF)
}

// own reads the file of a transcript; nil if it is still written, or too long for an archive.
func (f *Folder) own(id string) ([]byte, error) {
	t, err := audit.OpenTranscript(filepath.Join(f.Dir, id+castSuffix), f.Codec)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	if audit.Recording(t) {
		return nil, nil
	}
	text, err := io.ReadAll(io.LimitReader(t, small+1))
	if err != nil || len(text) > small {
		return nil, err
	}
	return text, nil
}

// mend completes what a process began that died: it left drafts. An archive whose transcripts are
// all in another goes.
func (f *Folder) mend() error {
	names, err := namesIn(f.in())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	drafts := slices.DeleteFunc(slices.Clone(names),
		func(name string) bool { return !strings.HasPrefix(name, draftPrefix) })
	if err != nil || len(drafts) == 0 {
		return err
	}
	names, err = f.archives()
	for _, name := range names {
		if slices.ContainsFunc(names, func(other string) bool { return f.isIn(name, other) }) {
			err = errors.Join(err, f.removeArchive(name))
		}
	}
	for _, name := range drafts {
		err = errors.Join(err, os.Remove(filepath.Join(f.in(), name)))
	}
	return err
}

// isIn reports whether an archive has less than another, and nothing that the other has not.
func (f *Folder) isIn(name, other string) bool {
	first, last, _ := span(name)
	if name == other || !spans(other, first) || !spans(other, last) {
		return false
	}
	a, err := open(f.in(), name, f.Codec)
	if err != nil {
		return false
	}
	defer a.text.Close()
	b, err := open(f.in(), other, f.Codec)
	if err != nil {
		return false
	}
	defer b.text.Close()
	if len(a.list) >= len(b.list) {
		return false
	}
	less, err1 := a.all()
	more, err2 := b.all()
	return err1 == nil && err2 == nil && !slices.ContainsFunc(a.list, func(e entry) bool {
		o, ok := b.find(e.id)
		return !ok || !bytes.Equal(less[e.offset:e.offset+e.size], more[o.offset:o.offset+o.size])
	})
}

// gather moves transcripts into archives. It begins with the newest one, if that is not full.
func (f *Folder) gather(ctx context.Context, ids []string) (done audit.Packed, err error) {
	if err := os.Mkdir(f.in(), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return done, err
	}
	d, old := f.begun()
	var sources []string
	finish := func() error {
		if len(sources) == 0 {
			return nil
		}
		name, size, written, err := d.write(f.in(), f.Codec)
		if err != nil {
			return err
		}
		defer written()
		done.After += size
		if old != "" && old != name {
			err = f.removeArchive(old)
		}
		err = errors.Join(err, f.removeAll(sources))
		d, old, sources = &draft{}, "", nil
		return err
	}
	for _, id := range ids {
		if ctx.Err() != nil {
			return done, errors.Join(err, ctx.Err())
		}
		files, takeErr := f.take(d, id)
		err = errors.Join(err, takeErr)
		if len(files) > 0 {
			done.Files++
			done.Before += d.list[len(d.list)-1].size
			sources = append(sources, files...)
		}
		if len(d.text) >= full {
			if writeErr := finish(); writeErr != nil {
				return done, errors.Join(err, writeErr)
			}
		}
	}
	return done, errors.Join(err, finish())
}

// begun returns the newest archive as a draft, if there is room in it, and its name.
func (f *Folder) begun() (*draft, string) {
	names, _ := f.archives()
	newest, end := "", ""
	for _, name := range names {
		if _, last, ok := span(name); ok && last > end {
			newest, end = name, last
		}
	}
	if newest == "" {
		return &draft{}, ""
	}
	a, err := open(f.in(), newest, f.Codec)
	if err != nil {
		return &draft{}, "" // it is found by who reads it
	}
	defer a.text.Close()
	text, err := a.all()
	if err != nil || a.size > full/2 {
		return &draft{}, ""
	}
	return &draft{text, a.list}, newest
}

// take adds a transcript to a draft, and returns the files that it is in; none if it is still
// written, or longer than it looked.
func (f *Folder) take(d *draft, id string) (files []string, err error) {
	text, err := f.own(id)
	if err != nil || text == nil {
		return nil, err
	}
	at := time.Time{}
	for _, packed := range []string{castSuffix, castSuffix + suffix} {
		if info, err := os.Lstat(filepath.Join(f.Dir, id+packed)); err == nil {
			files = append(files, id+packed)
			if info.ModTime().After(at) {
				at = info.ModTime()
			}
		}
	}
	d.add(id, text, at)
	return files, nil
}

// rewrite makes an archive anew without some transcripts; it stays if it has none of them.
func (f *Folder) rewrite(name string, without map[string]bool) error {
	a, err := open(f.in(), name, f.Codec)
	if err != nil {
		return err
	}
	defer a.text.Close()
	out := func(e entry) bool { return without[e.id] }
	if !slices.ContainsFunc(a.list, out) {
		return nil
	}
	text, err := a.all()
	if err != nil {
		return err
	}
	d := &draft{}
	for _, e := range a.list {
		if !out(e) {
			d.add(e.id, text[e.offset:e.offset+e.size], e.at)
		}
	}
	if len(d.list) > 0 {
		_, _, written, err := d.write(f.in(), f.Codec)
		if err != nil {
			return err
		}
		defer written()
	}
	return f.removeArchive(name)
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// Remove removes transcripts wherever they are. It is no error if there are none.
func (f *Folder) Remove(ids ...string) error {
	names, err := f.archives()
	if err != nil {
		return err
	}
	gone, sorted := setOf(ids), slices.Sorted(slices.Values(ids))
	for _, name := range names {
		first, last, _ := span(name)
		if i, _ := slices.BinarySearch(sorted, first); i < len(sorted) && sorted[i] <= last {
			err = errors.Join(err, f.rewrite(name, gone))
		}
	}
	for _, id := range ids {
		err = errors.Join(err, f.removeAll([]string{id + castSuffix, id + castSuffix + suffix}))
	}
	return err
}

// RemovePacked removes what is packed of a transcript, beside a file that has taken its place.
func (f *Folder) RemovePacked(id string) error {
	names, err := f.archivesOf(id)
	for _, name := range names {
		err = errors.Join(err, f.rewrite(name, setOf([]string{id})))
	}
	return errors.Join(err, f.removeAll([]string{id + castSuffix + suffix}))
}

func (f *Folder) removeAll(names []string) (err error) {
	for _, name := range names {
		if e := os.Remove(filepath.Join(f.Dir, name)); e != nil && !errors.Is(e, os.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// removeArchive removes an archive, also from memory.
func (f *Folder) removeArchive(name string) error {
	f.mu.Lock()
	f.last = nil
	f.mu.Unlock()
	return os.Remove(filepath.Join(f.in(), name))
}
