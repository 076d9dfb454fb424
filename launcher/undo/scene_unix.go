//go:build linux || darwin

package undo

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// A scene is the trees of a run as they are now. It finds the folders of a book.
type scene struct {
	book  *book
	at    map[ID][]location // where the run is known to have had a folder
	was   map[ID][]location // where the folder was before the run
	known map[ID]bool       // folders of the run and of its trees
	fds   map[*folder]int
	now   renewals
	from  map[ID]ID // now, the other way
	search
}

// A search is how far the scene is in looking for a folder. A folder that is gone has several
// places where it may be, and each of those is in a folder that may be gone.
type search struct {
	going map[*folder]bool // being looked for
	gone  map[*folder]error
	loops int // how often it came to a folder that is being looked for
}

// renewals are what undos made anew, by the identity of what was there before.
type renewals map[ID]ID

func (r renewals) add(k *book) {
	for _, pair := range k.renewed {
		r[pair[0]] = pair[1]
	}
}

// same reports whether something has an identity, or was made in the place of that.
func (r renewals) same(now, id ID) bool {
	for range len(r) + 1 {
		if now == id {
			return true
		}
		next, ok := r[id]
		if !ok {
			return false
		}
		id = next
	}
	return false
}

// renewed reports whether something else was made in the place of what had an identity.
func (s *scene) renewed(id ID) bool { _, ok := s.now[id]; return ok }

// isOther reports whether a folder is one that the run knew, or was made in the place of that, and
// not the one that had an identity.
func (s *scene) isOther(now, was ID) bool {
	for range len(s.from) + 1 {
		if now == was || s.known[now] {
			return now != was
		}
		old, ok := s.from[now]
		if !ok {
			return false
		}
		now = old
	}
	return false
}

func newScene(k *book, now renewals) *scene {
	s := &scene{k, map[ID][]location{}, map[ID][]location{}, map[ID]bool{},
		map[*folder]int{}, now, map[ID]ID{}, search{map[*folder]bool{}, map[*folder]error{}, 0}}
	for old, id := range now {
		s.from[id] = old
	}
	for _, f := range k.folders {
		s.known[f.before.ID] = true
	}
	for _, e := range k.entries {
		if b := e.was(); b.Folder() {
			s.at[b.ID] = append(s.at[b.ID], location{e.in, e.name})
			s.was[b.ID] = append(s.was[b.ID], location{e.in, e.name})
			s.known[b.ID] = true
		}
		s.left(e)
	}
	return s
}

// wasAt are the places where a folder was before the run, or the one that an undo made anew as it.
func (s *scene) wasAt(id ID) []location {
	if at := s.was[id]; at != nil || len(s.now) == 0 {
		return at
	}
	for old, at := range s.was {
		if s.now.same(id, old) {
			return at
		}
	}
	return nil
}

func (s *scene) left(e *entry) {
	if e.left.Folder() {
		s.known[e.left.ID] = true
		s.at[e.left.ID] = append(s.at[e.left.ID], location{e.in, e.name})
	}
}

func (s *scene) close() {
	for _, fd := range s.fds {
		unix.Close(fd)
	}
	clear(s.fds)
}

// open returns a handle of a folder: the one of that identity or, if there is none any more, the
// one that was made in its place.
func (s *scene) open(f *folder) (int, error) {
	if fd, ok := s.fds[f]; ok {
		return fd, nil
	}
	if s.going[f] {
		s.loops++
		return -1, ErrMoved
	}
	if len(s.going) == 0 {
		clear(s.gone) // it may have been put back since
	}
	if err := s.gone[f]; err != nil {
		return -1, err
	}
	s.going[f] = true
	defer delete(s.going, f)
	loops := s.loops
	fd, err := s.find(f)
	if err != nil && loops == s.loops {
		s.gone[f] = err
	}
	if err != nil {
		return -1, err
	}
	s.fds[f] = fd
	return fd, nil
}

// trim closes handles if there are many; no one may have one.
func (s *scene) trim() {
	if len(s.fds) > 4*handles {
		s.close()
	}
}

func (s *scene) find(f *folder) (int, error) {
	if f.at == nil {
		fd, err := openFolder(unix.AT_FDCWD, f.name)
		if err != nil {
			return -1, err
		}
		if now, _, err := stat(fd, ""); err != nil || now.ID != f.before.ID {
			unix.Close(fd)
			return -1, fmt.Errorf("%q is another folder than it was", f.name)
		}
		return fd, nil
	}
	failed := error(ErrMoved)
	for n, at := range append([]location{{f.at, f.name}}, s.at[f.before.ID]...) {
		fd, err := s.openAt(at, f.before.ID)
		if err == nil {
			return fd, nil
		}
		if n == 0 && err == unix.EACCES {
			failed = err
		}
	}
	for _, at := range s.was[f.before.ID] {
		if fd, err := s.openAnew(at, f.before.ID); err == nil {
			return fd, nil
		}
	}
	return -1, failed
}

// openAt opens the folder of an identity at a location.
func (s *scene) openAt(at location, id ID) (int, error) {
	return s.openIf(at, func(now ID) bool { return s.now.same(now, id) })
}

// openAnew opens the folder at a location that may have been made in the place of another one.
func (s *scene) openAnew(at location, was ID) (int, error) {
	return s.openIf(at, func(now ID) bool { return !s.isOther(now, was) })
}

func (s *scene) openIf(at location, is func(ID) bool) (int, error) {
	in, err := s.open(at.in)
	if err != nil {
		return -1, err
	}
	fd, err := openFolder(in, at.name)
	if err != nil {
		return -1, err
	}
	now, _, err := stat(fd, "")
	if err != nil || !is(now.ID) {
		unix.Close(fd)
		return -1, ErrMoved
	}
	return fd, nil
}

// exists reports whether a folder with that identity is at one of its places.
func (s *scene) exists(id ID) bool {
	for _, at := range s.at[id] {
		if fd, err := s.openAt(at, id); err == nil {
			unix.Close(fd)
			return true
		}
	}
	return false
}

// state is what is at an entry now. Where its folder is gone, there is nothing; EACCES is that the
// folder cannot be seen.
func (s *scene) state(e *entry) (State, error) {
	fd, err := s.open(e.in)
	if err == unix.EACCES {
		return State{}, err
	}
	if err != nil {
		return State{}, nil
	}
	return look(fd, e.name)
}
