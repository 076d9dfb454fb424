//go:build linux || darwin

package undo

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval/flock"
)

// A Run is the journal of a run that has ended, or that a crash has ended.
type Run struct {
	store *Store
	book  *book
	last  int64 // when the journal of a crash was last written, 0 of a run that ended in order
}

// Read reads the journal of a run. The errors are ErrUnknownRun, ErrRunning and DamagedError.
func (s *Store) Read(run string) (*Run, error) {
	if !oneName(run) {
		return nil, ErrUnknownRun
	}
	dir := filepath.Join(s.dir, run)
	f, err := openFile(filepath.Join(dir, closedName))
	closed := err == nil
	if errors.Is(err, fs.ErrNotExist) {
		f, err = openFile(filepath.Join(dir, journalName))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrUnknownRun
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := &Run{store: s}
	if !closed {
		if flock.Try(f) != nil {
			return nil, ErrRunning
		}
		defer func() { _ = flock.Unlock(f) }() // as unlock
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		r.last = info.ModTime().UnixNano()
	}
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	r.book, err = parse(b, closed)
	switch {
	case err == errNoHead && !closed && onlyJournal(dir):
		return nil, ErrUnknownRun // a crash ended it before its first change
	case err != nil:
		return nil, &DamagedError{run, err.Error()}
	}
	if r.book.head.run != run {
		return nil, &DamagedError{run, "it is that of another run"}
	}
	return r, nil
}

// onlyJournal reports whether a run's folder has no pre-images.
func onlyJournal(dir string) bool {
	list, err := os.ReadDir(dir)
	return err == nil && len(list) == 1
}

func openFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW, 0)
}

// lock takes the lock of a run's journal: of an undo, or of its deletion.
func (s *Store) lock(run string) (*os.File, error) {
	for _, name := range []string{closedName, journalName} {
		f, err := openFile(filepath.Join(s.dir, run, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if flock.Try(f) != nil {
			f.Close()
			return nil, ErrBusy
		}
		return f, nil
	}
	return nil, ErrUnknownRun
}

// unlock releases a lock also where a process that is just being started has the file too.
func unlock(f *os.File) {
	_ = flock.Unlock(f)
	f.Close()
}

// short opens content that is in the journal, as a file of its own.
func (r *Run) short(o object) (*os.File, error) {
	name := closedName
	if r.last != 0 {
		name = journalName
	}
	f, err := openFile(filepath.Join(r.store.dir, r.book.head.run, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, o.place)
	if _, err := f.ReadAt(b, o.n); err != nil {
		return nil, err
	}
	fd, err := openNameless(name)
	if err != nil {
		return nil, err
	}
	m := os.NewFile(uintptr(fd), name)
	if _, err := m.WriteAt(b, 0); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// Changes returns what the run changed, sorted by path. It is empty if the run did not end in
// order: what it left is not known.
func (r *Run) Changes() []Change {
	if r.book.end == nil {
		return nil
	}
	return r.book.changes()
}

// Summary returns the short form of the changes.
func (r *Run) Summary() Summary { return summary(r.book) }

// Runs returns the runs of which something is kept, the oldest first. A journal whose head cannot
// be read is left out.
func (s *Store) Runs() ([]Info, error) {
	names, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	var list []Info
	for _, d := range names {
		if info, err := s.info(d.Name()); err == nil {
			list = append(list, info)
		}
	}
	slices.SortFunc(list, func(a, b Info) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Run, b.Run))
	})
	return list, nil
}

// headSize is far above that of a head.
const headSize = 64 << 10

func (s *Store) info(run string) (Info, error) {
	f, err := openFile(filepath.Join(s.dir, run, closedName))
	ended := err == nil
	if err != nil {
		if f, err = openFile(filepath.Join(s.dir, run, journalName)); err != nil {
			return Info{}, err
		}
	}
	defer f.Close()
	b := make([]byte, 4096)
	n, err := f.Read(b)
	if err != nil {
		return Info{}, err
	}
	k, err := parseHead(b[:n])
	if err == errTorn {
		rest, _ := io.ReadAll(io.LimitReader(f, headSize))
		k, err = parseHead(append(b[:n], rest...))
	}
	if err != nil {
		return Info{}, &DamagedError{run, err.Error()}
	}
	return Info{k.head.run, k.head.start, k.head.of, ended}, nil
}
