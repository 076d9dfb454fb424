//go:build amd64 || arm64

package attack

import (
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// sharedRace writes to an own name that another thread turns into a link to a shared file and back.
func sharedRace(w World) error {
	name, link := w.Workspace+"/race", w.Workspace+"/race.link"
	own := w.Shared + "/mine"
	if err := os.WriteFile(own, nil, 0o600); err != nil {
		return err
	}
	go func() {
		for i := 0; ; i++ {
			_ = os.Remove(link)
			_ = os.Symlink([]string{own, w.Shared + "/cc1.s"}[i%2], link)
			_ = os.Rename(link, name)
		}
	}()
	return w.changed(races, func() { _ = overwrite(name, os.O_WRONLY) })
}

// nameRace opens a name whose bytes another thread changes: from an own file to a shared one.
func nameRace(w World) error {
	own, theirs := filepath.Join(w.Shared, "own1"), filepath.Join(w.Shared, "cc1.")
	if err := os.WriteFile(own+"s", nil, 0o600); err != nil {
		return err
	}
	b := append([]byte(own), 's', 0)
	var stop atomic.Bool
	defer stop.Store(true)
	go func() {
		for at := len(own) - 4; !stop.Load(); {
			copy(b[at:], theirs[len(theirs)-4:])
			copy(b[at:], own[len(own)-4:])
		}
	}()
	return w.changed(races, func() {
		if fd, err := openBytes(b, unix.O_WRONLY); err == nil {
			_, _ = unix.Write(fd, []byte("x"))
			unix.Close(fd)
		}
	})
}

// backRace writes to an own entry of the shared directory, which is a file or a link. By itself the
// link leads to the workspace; a link there leads back, to a shared file.
func backRace(w World) error {
	back, name := w.Workspace+"/back", w.Shared+"/race"
	if err := errors.Join(os.Symlink(w.Shared+"/cc1.s", back),
		os.WriteFile(w.Shared+"/mine.file", nil, 0o600),
		os.Symlink(back, w.Shared+"/mine.link")); err != nil {
		return err
	}
	var stop atomic.Bool
	defer stop.Store(true)
	go func() {
		for _ = os.Rename(w.Shared+"/mine.file", name); !stop.Load(); {
			_ = unix.Renameat2(unix.AT_FDCWD, w.Shared+"/mine.link", unix.AT_FDCWD, name,
				unix.RENAME_EXCHANGE)
		}
	}()
	return w.changed(races/5, func() { _ = overwrite(name, os.O_WRONLY) })
}

// makeRace makes a file in the working directory, which another thread changes.
func makeRace(w World) error {
	made := w.Shared + "/folder/raced"
	stop, err := goTo(w.Workspace+"/sub", w.Shared+"/folder")
	if err != nil {
		return err
	}
	defer stop()
	for range tries(races / 5) {
		_ = unixOpen("raced", unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, 0o600)
		_ = os.Remove(w.Workspace + "/sub/raced")
		if _, err := os.Lstat(made); err == nil {
			return nil
		}
	}
	return errors.New("nothing was made in the shared folder")
}

// writeRace writes to a file in the working directory, or makes it there.
func writeRace(w World) error {
	stop, err := goTo(w.Workspace+"/sub", w.Shared)
	if err != nil {
		return err
	}
	defer stop()
	return w.changed(races/5, func() {
		_ = overwrite("cc1.s", os.O_WRONLY|os.O_CREATE)
		_ = os.Remove(w.Workspace + "/sub/cc1.s")
	})
}

// goTo goes to a directory, and has another thread go from it to the other and back until it is
// stopped. Nothing is tried in any other place.
func goTo(one, other string) (stop func(), err error) {
	if err := errors.Join(unix.Chdir(other), unix.Chdir(one)); err != nil {
		return nil, err
	}
	var stopped atomic.Bool
	go func() {
		for !stopped.Load() {
			_ = errors.Join(unix.Chdir(other), unix.Chdir(one))
		}
	}()
	return func() { stopped.Store(true) }, nil
}

// tries are the attempts of a race.
func tries(times int) func(yield func() bool) {
	return func(yield func() bool) {
		for n, began := 0, time.Now(); n < times || time.Since(began) < turns(); n++ {
			if !yield() {
				return
			}
		}
	}
}

// changed tries so many times to write to a shared file.
func (w *World) changed(times int, try func()) error {
	for range tries(times) {
		try()
		if text, err := os.ReadFile(w.Shared + "/cc1.s"); err == nil && string(text) != "secret" {
			return nil
		}
	}
	return errors.New("the shared file was never written")
}

// overwrite writes a byte to what is there.
func overwrite(name string, flags int) error {
	f, err := os.OpenFile(name, flags, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write([]byte("x"))
	return err
}
