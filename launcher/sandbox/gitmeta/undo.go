package gitmeta

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
)

// ErrGone is returned by Undo for a repository that was removed.
var ErrGone = errors.New("what was deleted cannot be restored")

// held is what the name of a file that was moved aside ends with.
const held = ".tada-held"

var errHeld = errors.New("no free name to move it to")

// Undo undoes a change: a hook or pointer becomes what it was, or is removed; in a configuration
// only the settings that run something are removed, and what they replaced comes back. Everything
// else in the file stays as the command left it. If Undo cannot repair a file without losing work,
// it moves the file aside, where git does not look: aside is the new name, or that of a copy, and
// "" when there is none.
func (s *Snapshot) Undo(c Change) (aside string, err error) {
	if c.Kind == Removed {
		return "", fmt.Errorf("%q: %w", c.Path, ErrGone)
	}
	root, err := os.OpenRoot(s.roots[c.tree].name)
	if err != nil {
		return "", err
	}
	defer root.Close()
	u := undoing{root: root, name: path.Join(c.repo, c.file), path: c.Path, careful: s.Careful}
	u.old, u.had = s.former(c)
	w := walker{root: root, left: &budget{bytes: maxBytes}}
	u.now = w.read(u.name, u.old.role)
	switch {
	case c.Kind == Setting:
		return u.config(c)
	case c.Kind == Step && u.old.role == aTodo && u.now.mode.IsRegular() && u.now.whole:
		return u.todo()
	}
	return u.file()
}

// former returns what a file was.
func (s *Snapshot) former(c Change) (f file, had bool) {
	if c.loose {
		f, had = s.roots[c.tree].loose[c.file]
	} else {
		f, had = s.roots[c.tree].repos[c.repo][c.file]
	}
	if !had && c.Kind == Hook {
		f.role = aHook
	}
	for _, t := range telling {
		if !had && t.name == c.file {
			f.role = t.role
		}
	}
	return f, had
}

// An undoing is one file on its way back.
type undoing struct {
	root     *os.Root
	name     string // below the root
	path     string
	now, old file
	had      bool
	careful  bool
}

// todo takes new commands out of the steps of a rebase, which can go on without them.
func (u *undoing) todo() (aside string, err error) {
	if u.careful {
		if aside, err = u.copy(); err != nil {
			return "", err
		}
	}
	_, rest := newSteps(u.now.data, u.old.data)
	return aside, u.write(file{mode: u.now.mode, data: rest})
}

// file takes back a hook or a pointer.
func (u *undoing) file() (aside string, err error) {
	switch {
	case u.now.mode == absent && !u.had:
		return "", nil
	case u.now.mode.IsRegular() && u.old.mode.IsRegular() &&
		(!u.old.executable() || u.now.sameContent(u.old)) && u.old.role == aHook && u.had:
		// the content is what it was, or was nothing that runs
		return "", u.root.Chmod(u.name, u.old.mode.Perm())
	case u.had && u.old.whole && !u.careful:
		return u.replace()
	case !u.had && !u.careful && !u.now.mode.IsDir():
		return "", u.root.Remove(u.name)
	}
	return u.aside()
}

// config takes settings out of a configuration, or puts the former one in the place of one that
// cannot be read.
func (u *undoing) config(c Change) (aside string, err error) {
	settings, broken := parse([]byte(u.now.data))
	if u.now.mode.IsRegular() && u.now.whole && broken == nil {
		if len(fresh(c.repo, settings, u.old.data)) == 0 {
			return "", nil // with another setting of the same file
		}
		if u.careful {
			if aside, err = u.copy(); err != nil {
				return "", err
			}
		}
		return aside, u.write(file{mode: u.now.mode, data: cleaned(c.repo, u.now.data, u.old.data)})
	}
	if u.now.mode != absent {
		if aside, err = u.aside(); err != nil {
			return "", err
		}
	}
	if u.had && u.old.whole {
		err = u.write(u.old)
	}
	return aside, err
}

// cleaned returns a configuration without what it must not say.
func cleaned(dir, now, old string) string {
	settings, err := parse([]byte(now))
	if err != nil {
		return old
	}
	out := fresh(dir, settings, old)
	var in []setting
	if before, err := parse([]byte(old)); err == nil {
		in = fresh(dir, before, now)
	}
	return string(without([]byte(now), out, in))
}

// free returns the first name of those to move a file aside to that nothing has yet.
func (u *undoing) free() (string, error) {
	for i := range 100 {
		name := u.name + held
		if i > 0 {
			name += strconv.Itoa(i)
		}
		if _, err := u.root.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return name, nil
		} else if err != nil {
			return "", err
		}
	}
	return "", errHeld
}

// aside moves the file where git does not look, and makes it no program.
func (u *undoing) aside() (string, error) {
	to, err := u.free()
	if err != nil {
		return "", err
	}
	if err := u.root.Rename(u.name, to); err != nil {
		return "", err
	}
	if u.now.executable() {
		err = u.root.Chmod(to, u.now.mode.Perm()&^0o111)
	}
	return u.path + to[len(u.name):], err
}

// copy leaves what the file is now under another name.
func (u *undoing) copy() (string, error) {
	to, err := u.free()
	if err != nil {
		return "", err
	}
	other := *u
	other.name = to
	return u.path + to[len(u.name):], other.create(file{mode: u.now.mode, data: u.now.data})
}

// replace puts what the file was in its place.
func (u *undoing) replace() (aside string, err error) {
	if u.now.mode.IsDir() {
		if aside, err = u.aside(); err != nil {
			return "", err
		}
	}
	return aside, u.write(u.old)
}

// write puts f in the place of the name: first away with what is there, which may be a link.
func (u *undoing) write(f file) error {
	if err := u.root.Remove(u.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return u.create(f)
}

func (u *undoing) create(f file) error {
	if f.link() {
		return u.root.Symlink(f.data, u.name)
	}
	out, err := u.root.OpenFile(u.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.mode.Perm())
	if err != nil {
		return err
	}
	_, err = out.WriteString(f.data)
	return errors.Join(err, out.Close())
}
