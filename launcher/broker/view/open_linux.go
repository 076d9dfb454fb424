package view

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval/flock"
)

// OpenLedger opens the ledger in a file, which it makes. On an error, such as a *DamagedError, the
// ledger that is returned remembers for this run alone.
func OpenLedger(name string, dirs []string) (*Ledger, error) {
	l := &Ledger{name: name, dirs: dirs, entries: map[ID]bool{}}
	if name == "" {
		return l, errors.New("no place for a ledger")
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return l, err
	}
	for {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return l, err
		}
		alone := flock.Do(f, unix.LOCK_EX|unix.LOCK_NB) == nil
		if !alone {
			err = flock.Do(f, unix.LOCK_SH)
		}
		l.file = f
		switch {
		case err != nil || !l.current():
			f.Close()
			l.file = nil
			if err != nil {
				return l, err
			}
			continue // another run has put a shorter one in its place
		}
		if err := l.catchUp(); err != nil {
			return l, err
		}
		if !alone {
			return l, nil
		}
		if err := l.shorten(); err != nil {
			return l, err
		}
		return l, flock.Do(l.file, unix.LOCK_SH)
	}
}

// idleRecords is how many records a ledger may have that say nothing before it is shortened.
const idleRecords = 4096

// shorten rewrites the ledger without dead entries, when it has grown or ends in a part of a
// record. No other process has it open.
func (l *Ledger) shorten() error {
	var st unix.Stat_t
	if err := unix.Fstat(int(l.file.Fd()), &st); err != nil {
		return err
	}
	if st.Size%recordSize == 0 && l.records < idleRecords {
		return nil
	}
	alive := map[ID]bool{}
	for _, dir := range l.dirs {
		l.alive(dir, alive)
	}
	l.entries = alive
	f, err := os.CreateTemp(filepath.Dir(l.name), filepath.Base(l.name)+".*")
	if err != nil {
		return err
	}
	// before it has the name, so that no other process finds it unlocked
	if err = flock.Do(f, unix.LOCK_EX); err == nil {
		for id := range alive {
			if _, err = f.Write(record(id, made)); err != nil {
				break
			}
		}
	}
	if err == nil {
		err = appending(f)
	}
	if err == nil {
		err = os.Rename(f.Name(), l.name)
	}
	if err != nil {
		os.Remove(f.Name())
		f.Close()
		return err
	}
	l.file.Close()
	l.file, l.records = f, len(alive)
	l.read = int64(len(alive)) * recordSize
	return nil
}

// appending has every write to f go to its end, as others append too.
func appending(f *os.File) error {
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if err == nil {
		_, err = unix.FcntlInt(f.Fd(), unix.F_SETFL, flags|unix.O_APPEND)
	}
	return err
}

// alive finds what of the entries is still in dir, and below those that are folders.
func (l *Ledger) alive(dir string, found map[ID]bool) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	defer d.Close()
	for {
		names, err := d.Readdirnames(256)
		for _, name := range names {
			id, kind, ok := identify(int(d.Fd()), name, unix.AT_SYMLINK_NOFOLLOW)
			if !ok || !l.entries[id] {
				continue
			}
			found[id] = true
			if kind == unix.S_IFDIR {
				l.alive(filepath.Join(dir, name), found)
			}
		}
		if err != nil || len(names) == 0 && err != io.EOF {
			return
		}
	}
}
