package archive

import (
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
	// small is the longest transcript that goes into an archive: of a longer one a reader wants to
	// seek in its file.
	small = 128 << 10
	// fewest are worth an archive.
	fewest = 16
	// full is how much text an archive gets: to find one transcript, all of it is unpacked.
	full = 4 << 20
	// block is what the smallest file takes on the disk.
	block = 4096
)

// Pack packs the transcripts of sessions that are over: the small ones into archives, unless they
// are few, the others each in a file of its own, unless they are smaller than a block of the disk.
// busy reports whether a session still goes on. When ctx ends, Pack returns its results so far and
// ctx.Err(). Call it when no user waits.
func (f *Folder) Pack(ctx context.Context, busy func(id string) bool) (done audit.Packed,
	err error) {
	names, err := f.names()
	if err != nil {
		return done, err
	}
	var closed []string // small ones
	for _, name := range names {
		id, ok := strings.CutSuffix(strings.TrimSuffix(name, suffix), castSuffix)
		if !ok || busy(id) {
			continue
		}
		info, err := os.Lstat(filepath.Join(f.Dir, name))
		if err == nil && info.Mode().IsRegular() && info.Size() <= small &&
			(strings.HasSuffix(name, castSuffix) || info.Size() <= block) {
			closed = append(closed, id)
		}
	}
	closed = slices.Compact(closed)
	if err := f.forget(closed); err != nil {
		return done, err
	}
	if len(closed) >= fewest {
		if done, err = f.gather(ctx, closed); err != nil {
			return done, err
		}
	}
	alone, err := audit.PackFolder(ctx, f.Dir, func(name string) bool {
		info, err := os.Stat(filepath.Join(f.Dir, name))
		return err == nil && info.Size() > block && !busy(strings.TrimSuffix(name, castSuffix))
	}, f.Codec)
	done.Files += alone.Files
	done.Before += alone.Before
	done.After += alone.After
	return done, err
}

// forget leaves out of the archives what is there as a file too: a process died that would have
// removed one of the two.
func (f *Folder) forget(ids []string) error {
	names, err := f.archives()
	if err != nil {
		return err
	}
	own := setOf(ids)
	for _, name := range names {
		first, last, _ := span(name)
		if len(ids) > 0 && last >= ids[0] && first <= ids[len(ids)-1] {
			if err := f.rewrite(name, own); err != nil {
				return err
			}
		}
	}
	return nil
}

// gather moves transcripts into archives. It begins with the newest one, if that is not full.
func (f *Folder) gather(ctx context.Context, ids []string) (done audit.Packed, err error) {
	if err := os.Mkdir(f.in(), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return done, err
	}
	if err := f.sweep(); err != nil {
		return done, err
	}
	d, old, err := f.begun()
	if err != nil {
		return done, err
	}
	var sources []string
	finish := func() error {
		if len(sources) == 0 {
			return nil
		}
		name, size, err := d.write(f.in(), f.Codec)
		if err != nil {
			return err
		}
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
			return done, ctx.Err()
		}
		files, err := f.take(d, id)
		if err != nil {
			return done, err
		}
		if len(files) > 0 {
			done.Files++
			done.Before += d.list[len(d.list)-1].size
			sources = append(sources, files...)
		}
		if len(d.text) >= full {
			if err := finish(); err != nil {
				return done, err
			}
		}
	}
	return done, finish()
}

// sweep removes what processes that died left of archives that they were writing.
func (f *Folder) sweep() error {
	names, err := namesIn(f.in())
	for _, name := range names {
		if strings.HasPrefix(name, draftPrefix) {
			err = errors.Join(err, os.Remove(filepath.Join(f.in(), name)))
		}
	}
	return err
}

// begun returns the newest archive as a draft, if there is room in it, and its name.
func (f *Folder) begun() (*draft, string, error) {
	names, err := f.archives()
	if err != nil {
		return nil, "", err
	}
	newest, end := "", ""
	for _, name := range names {
		if _, last, ok := span(name); ok && last > end {
			newest, end = name, last
		}
	}
	if newest == "" {
		return &draft{}, "", nil
	}
	a, err := open(f.in(), newest, f.Codec)
	if err != nil {
		return nil, "", err
	}
	defer a.text.Close()
	if a.size > full/2 {
		return &draft{}, "", nil
	}
	text, err := a.all()
	return &draft{text, a.list}, newest, err
}

// take adds a transcript to a draft, and returns the files that it is in; none if it is still
// written, or longer than it looked.
func (f *Folder) take(d *draft, id string) (files []string, err error) {
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
		if _, _, err := d.write(f.in(), f.Codec); err != nil {
			return err
		}
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
	for _, name := range names {
		if first, last, ok := span(name); ok &&
			slices.ContainsFunc(ids, func(id string) bool { return first <= id && id <= last }) {
			err = errors.Join(err, f.rewrite(name, setOf(ids)))
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
