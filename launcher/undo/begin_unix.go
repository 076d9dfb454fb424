//go:build linux || darwin

package undo

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval/flock"
)

// Open opens the store in a folder, which it makes if it is missing.
func Open(dir string, o Options) (*Store, error) {
	fd, err := private(dir)
	if err != nil {
		return nil, fmt.Errorf("open the undo store: %w", err)
	}
	unix.Close(fd)
	return &Store{dir, o}, nil
}

// A Journal is that of a run that goes on. Its methods may be called by several threads.
type Journal struct {
	store  *Store
	mu     sync.Mutex
	book   book
	places []*place
	pen
	index  index
	open   []*folder // those with an open handle, the oldest first
	n      int64     // number of the last object
	short  []byte    // for content on the way into the journal
	budget budget
}

// A pen writes the file.
type pen struct {
	out  *os.File // nil before the first record
	buf  []byte
	err  error     // of writing; nothing can be noted after it
	told time.Time // when the file last got a record or a time
}

// index finds what is noted.
type index struct {
	folders map[ID]*folder
	inodes  map[ID]*inode
	entries map[location]*entry
	made    map[ID]bool        // inodes that the run made and moved
	paths   map[string]*folder // where folders were last seen
	trees   []*folder
	after   *Journal // see Follows
	walked  bool     // what it was not told of was searched for
}

// Begin starts the journal of a run. Nothing is written before the run changes something.
func (s *Store) Begin(start Start) (*Journal, error) {
	if !oneName(start.Run) || slices.Contains([]string{lockName, ledgerName}, start.Run) {
		return nil, fmt.Errorf("%q cannot be the name of a run", start.Run)
	}
	// Files get the time of the last tick of the clock or later: what was born after now was made
	// after now, and see comes.
	var now unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_REALTIME, &now)
	if err != nil {
		return nil, fmt.Errorf("read the clock: %w", err)
	}
	j := &Journal{store: s, n: noObject, index: index{
		folders: map[ID]*folder{}, inodes: map[ID]*inode{}, entries: map[location]*entry{},
		made: map[ID]bool{}, paths: map[string]*folder{},
	}}
	j.budget = budget{dir: s.dir, run: start.Run, quota: s.o.Quota, stands: start.Stands}
	j.book.head = head{run: start.Run, start: now.Nano(), of: start.Of}
	_, at, err := stat(unix.AT_FDCWD, s.dir)
	if err != nil {
		return nil, &os.PathError{Op: "stat", Path: s.dir, Err: err}
	}
	j.places = []*place{{path: s.dir, mount: at.mount}}
	for _, tree := range start.Trees {
		if err := j.addTree(filepath.Clean(tree), start.Trees); err != nil {
			j.release()
			return nil, err
		}
	}
	for _, p := range j.places {
		j.book.head.places = append(j.book.head.places, p.path)
	}
	return j, nil
}

func (j *Journal) addTree(tree string, all []string) error {
	fd, err := openFolder(unix.AT_FDCWD, tree)
	if err != nil {
		return &os.PathError{Op: "open", Path: tree, Err: err}
	}
	state, at, err := stat(fd, "")
	if err != nil {
		unix.Close(fd)
		return &os.PathError{Op: "stat", Path: tree, Err: err}
	}
	if j.index.folders[state.ID] != nil {
		unix.Close(fd)
		return nil
	}
	f := &folder{name: tree, before: state, fd: fd, mount: at.mount}
	j.index.folders[state.ID] = f
	j.index.trees = append(j.index.trees, f)
	if !slices.ContainsFunc(j.places, func(p *place) bool { return p.mount == at.mount }) {
		if p := beside(tree, at.mount, all); p != nil {
			j.places = append(j.places, p)
		}
	}
	return nil
}

// Folders returns the folders with pre-images, which no sandbox may see.
func (j *Journal) Folders() []string { return slices.Clone(j.book.head.places) }

// release closes the handles.
func (j *Journal) release() {
	for _, f := range append(j.open, j.index.trees...) {
		if f.fd != 0 {
			unix.Close(f.fd)
			f.fd = 0
		}
	}
	for _, p := range j.places {
		if p.fd != 0 {
			unix.Close(p.fd)
			p.fd = 0
		}
		if p.used != nil {
			leave(p.used)
			p.used = nil
		}
	}
	if j.out != nil {
		_ = flock.Unlock(j.out) // a process that is just being started may have it too
		j.out.Close()
	}
}
