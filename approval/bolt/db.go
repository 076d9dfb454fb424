package bolt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/flock"
	"github.com/tada-run/tada-run/approval/private"
	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
	"golang.org/x/sys/unix"
)

// A DB is the [approval.DB] in one bbolt file. It holds nothing open between calls: each call opens
// the database, does one transaction and closes it, so a process may die or wait for a person at
// any time without blocking others.
type DB struct {
	path string
	o    approval.Options

	// called between any two steps at which a process can be killed; tests die there
	at func(step string)
}

var _ approval.DB = (*DB)(nil)

// Open returns the store in the file at path. The first change creates the database, in an existing
// folder. Open fails with *[approval.ConfigError] for limits that contradict each other, and with
// *[approval.FileError] around ErrMeddled, ErrMissing, ErrCorrupt, ErrFuture or ErrLocked.
func Open(path string, o approval.Options) (*approval.Store, error) {
	return approval.Open(File(path, o), o)
}

// File returns the database at path. It uses the options Rand, LockWait and Waiting.
func File(path string, o approval.Options) *DB {
	o.LockWait = cmp.Or(o.LockWait, 30*time.Second)
	return &DB{path: path, o: o}
}

// Path implements [approval.DB].
func (b *DB) Path() string { return b.path }

func (b *DB) step(name string) {
	if b.at != nil {
		b.at(name)
	}
}

// lockSuffix names the file beside the database that is locked before the database is opened. It is
// empty until the database has been made, and then has one byte forever.
const lockSuffix = ".lock"

// errUnchanged rolls back a transaction that has nothing to write.
var errUnchanged = errors.New("approval: nothing to write")

// Update implements [approval.DB].
func (b *DB) Update(ctx context.Context, fn func(approval.Tx) error) error {
	lock, err := b.lock(ctx, true)
	if err != nil {
		return err
	}
	defer lock.Close()
	return b.write(lock, fn)
}

// View implements [approval.DB]. Readers share the lock.
func (b *DB) View(ctx context.Context, fn func(approval.Tx) error) error {
	lock, err := b.lock(ctx, false)
	if err != nil {
		return err
	}
	defer lock.Close()
	if made, err := b.made(lock); err != nil {
		return err
	} else if !made {
		return fn(nil)
	}
	return b.open(b.path, true, func(db *bbolt.DB) error {
		return db.View(func(btx *bbolt.Tx) error {
			if err := check(btx, b.path); err != nil {
				return err
			}
			return fn(&tx{b: btx})
		})
	})
}

// write runs fn in one write transaction. The caller holds the lock.
func (b *DB) write(lock *os.File, fn func(approval.Tx) error) error {
	b.step("locked")
	if err := b.make(lock); err != nil {
		return err
	}
	b.step("made")
	var opened []*os.File
	err := b.open(b.path, false, func(db *bbolt.DB) error {
		return db.Update(func(btx *bbolt.Tx) error {
			if err := check(btx, b.path); err != nil {
				return err
			}
			t := &tx{b: btx}
			if err := fn(t); err != nil {
				return err
			}
			b.step("changed")
			if !t.written {
				return errUnchanged
			}
			opened = bells(b.path, t.changed)
			b.step("bells open")
			return nil
		})
	})
	b.step("closed")
	ring(opened)
	b.step("rung")
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}

// openLock checks the folder and opens the lock file.
func (b *DB) openLock() (*os.File, error) {
	if err := private.CheckFolder(b.path); err != nil {
		return nil, err
	}
	f, err := private.Open(b.path+lockSuffix, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, private.Named(b.path+lockSuffix, err)
	}
	return f, nil
}

// lock waits for the lock, exclusive to change something, shared to read.
func (b *DB) lock(ctx context.Context, exclusive bool) (*os.File, error) {
	f, err := b.openLock()
	if err != nil {
		return nil, err
	}
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	waiting, cancel := context.WithTimeout(ctx, b.o.LockWait)
	defer cancel()
	if err := flock.Wait(waiting, f, how, b.o.Waiting); err != nil {
		if ctx.Err() == nil && waiting.Err() != nil {
			return nil, &approval.FileError{Path: b.path, Err: approval.ErrLocked,
				Hint: fmt.Sprintf("another process has held the lock for %v; end it and try again",
					b.o.LockWait)}
		}
		return nil, private.Named(b.path+lockSuffix, err)
	}
	return f, nil
}

// tryLock takes the lock to change something; nil if another process holds it.
func (b *DB) tryLock() (*os.File, error) {
	f, err := b.openLock()
	if err != nil || flock.Try(f) == nil {
		return f, err
	}
	return nil, f.Close()
}

var lockMark = []byte("1")

// made reports whether the database exists. If it existed and is gone, that is an error: deleting
// the file must not make the store forget every spent approval.
func (b *DB) made(lock *os.File) (bool, error) {
	info, err := os.Lstat(b.path)
	switch {
	case err == nil && info.Size() == 0: // bbolt would take it for a new one
		return false, &approval.FileError{Path: b.path, Err: approval.ErrCorrupt,
			Hint: "it is empty; " + private.Rebuild}
	case err == nil:
		return true, nil
	case !errors.Is(err, fs.ErrNotExist):
		return false, private.Named(b.path, err)
	}
	info, err = lock.Stat()
	if err != nil {
		return false, private.Named(b.path+lockSuffix, err)
	}
	if info.Size() > 0 {
		return false, &approval.FileError{Path: b.path, Err: approval.ErrMissing,
			Hint: "restore the file, or " + private.Rebuild}
	}
	return false, nil
}

// make makes the database if there is none. It appears under its name complete or not at all.
func (b *DB) make(lock *os.File) error {
	made, err := b.made(lock)
	if err != nil || made {
		return err
	}
	fresh := b.path + newSuffix
	if err := b.create(fresh, func(*bbolt.Tx) error { return nil }); err != nil {
		return err
	}
	if err := b.publish(fresh); err != nil {
		return err
	}
	return b.markMade(lock)
}

// newSuffix names a database that is being made.
const newSuffix = ".new"

// create makes a database that is not in use yet.
func (b *DB) create(fresh string, fill func(*bbolt.Tx) error) error {
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return private.Named(fresh, err)
	}
	return b.open(fresh, false, func(db *bbolt.DB) error {
		return db.Update(func(btx *bbolt.Tx) error {
			if err := schema(btx, b.o.Rand); err != nil {
				return err
			}
			return fill(btx)
		})
	})
}

// publish gives a new database its name.
func (b *DB) publish(fresh string) error {
	if err := os.Rename(fresh, b.path); err != nil {
		return private.Named(b.path, err)
	}
	return private.Named(b.path, syncFolder(filepath.Dir(b.path)))
}

// markMade records that there is a database, so that its absence is an error from now on.
func (b *DB) markMade(lock *os.File) error {
	_, err := lock.WriteAt(lockMark, 0)
	return private.Named(b.path+lockSuffix, err)
}

func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// boltWait limits the wait for bbolt's own lock. Only a program that does not use our lock can hold
// it.
const boltWait = 2 * time.Second

// open opens the database, runs fn and closes it. bbolt panics on a damaged page, and a file
// shorter than its mapping faults; both become approval.ErrCorrupt.
func (b *DB) open(path string, readOnly bool, fn func(*bbolt.DB) error) (err error) {
	var file *os.File
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			if file != nil {
				release(file)
			}
			err = &approval.FileError{Path: path, Err: approval.ErrCorrupt, Hint: private.Rebuild}
		}
	}()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout:      boltWait,
		ReadOnly:     readOnly,
		FreelistType: bbolt.FreelistMapType,
		NoStatistics: true,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			f, err := private.Open(name, flag, mode)
			file = f
			return f, err
		},
	})
	if err != nil {
		return openError(path, err)
	}
	err = fn(db)
	if cerr := db.Close(); err == nil && cerr != nil {
		err = private.Named(path, cerr)
	}
	return err
}

// openError returns why bbolt could not open the file. bbolt has no single error for damage, so
// anything that is not explained by the system or the lock counts as damage.
func openError(path string, err error) error {
	var errno syscall.Errno
	var named *approval.FileError
	switch {
	case errors.As(err, &named) || errors.As(err, &errno):
		return private.Named(path, err)
	case errors.Is(err, bolterrors.ErrTimeout):
		return &approval.FileError{Path: path, Err: approval.ErrLocked,
			Hint: "another program has it open; end it and try again"}
	}
	return &approval.FileError{Path: path, Err: approval.ErrCorrupt,
		Hint: err.Error() + "; " + private.Rebuild}
}
