package approval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// A Bolt is the [Store] in one bbolt file. It holds nothing open between calls: each opens the
// database, does one transaction and closes it, so a process may die or think at any time without
// keeping others out.
type Bolt struct {
	path string
	o    Options
}

var _ Store = (*Bolt)(nil)

// lockSuffix names the file beside the database that is locked before the database is opened. It
// is empty until the database has been made, and then has one byte for ever.
const lockSuffix = ".lock"

// Open checks the options and the files at path and returns the store. The database is made by the
// first change, in an existing folder. It fails with *[ConfigError] for limits that cannot hold
// together, and with *[FileError] around ErrMeddled, ErrMissing, ErrCorrupt, ErrFuture or
// ErrLocked.
func Open(path string, o Options) (*Bolt, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	b := &Bolt{path: path, o: o}
	if err := b.view(context.Background(), func(*tx) error { return nil }); err != nil {
		return nil, err
	}
	return b, nil
}

// errUnchanged makes a transaction roll back when it has nothing to write.
var errUnchanged = errors.New("approval: nothing to write")

// update runs fn in one write transaction of its own, under the lock.
func (b *Bolt) update(ctx context.Context, fn func(*tx) error) error {
	lock, err := b.lock(ctx, true)
	if err != nil {
		return err
	}
	defer lock.Close()
	return b.write(lock, fn)
}

// view runs fn in a read transaction under the lock, which readers share. A database that was never
// made is not made: fn then gets a transaction with nothing in it.
func (b *Bolt) view(ctx context.Context, fn func(*tx) error) error {
	unlock, err := b.lock(ctx, false)
	if err != nil {
		return err
	}
	defer unlock.Close()
	if made, err := b.made(unlock); err != nil {
		return err
	} else if !made {
		return fn(&tx{o: &b.o, now: b.o.Clock()})
	}
	return b.open(b.path, true, func(db *bolt.DB) error {
		return db.View(func(btx *bolt.Tx) error {
			t, err := b.begin(btx)
			if err != nil {
				return err
			}
			return fn(t)
		})
	})
}

// openLock checks the folder and opens the lock file.
func (b *Bolt) openLock() (*os.File, error) {
	if err := checkFolder(b.path); err != nil {
		return nil, err
	}
	f, err := openPrivate(b.path+lockSuffix, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fileError(b.path+lockSuffix, err)
	}
	return f, nil
}

// lock waits for the lock, to change something or to read.
func (b *Bolt) lock(ctx context.Context, exclusive bool) (*os.File, error) {
	f, err := b.openLock()
	if err != nil {
		return nil, err
	}
	take := lockShared
	if exclusive {
		take = lock
	}
	waiting, cancel := context.WithTimeout(ctx, b.o.LockWait)
	defer cancel()
	if err := take(waiting, f, b.o.Waiting); err != nil {
		if ctx.Err() == nil && waiting.Err() != nil {
			return nil, &FileError{Path: b.path, Err: ErrLocked,
				Hint: fmt.Sprintf("another process has held the lock for %v; end it and try again", b.o.LockWait)}
		}
		return nil, fileError(b.path+lockSuffix, err)
	}
	return f, nil
}

// tryLock takes the lock to change something; nil when somebody has it.
func (b *Bolt) tryLock() (*os.File, error) {
	f, err := b.openLock()
	if err != nil || tryExclusive(f) {
		return f, err
	}
	return nil, f.Close()
}

var lockMark = []byte("1")

// startAfresh is the way out of a damaged database. What was approved is lost with it; what was
// used stays in the record.
const startAfresh = "rebuild it from the record: tadactl approvals rebuild"

// made reports whether the database exists. One that existed and is gone is an error: whoever
// deletes it must not thereby make every spent approval forgotten.
func (b *Bolt) made(lock *os.File) (bool, error) {
	info, err := os.Lstat(b.path)
	switch {
	case err == nil && info.Size() == 0: // bbolt would take it for a new one
		return false, &FileError{Path: b.path, Err: ErrCorrupt, Hint: "it is empty; " + startAfresh}
	case err == nil:
		return true, nil
	case !errors.Is(err, fs.ErrNotExist):
		return false, fileError(b.path, err)
	}
	info, err = lock.Stat()
	if err != nil {
		return false, fileError(b.path+lockSuffix, err)
	}
	if info.Size() > 0 {
		return false, &FileError{Path: b.path, Err: ErrMissing,
			Hint: "restore the file, or " + startAfresh}
	}
	return false, nil
}

// make makes the database when there is none. It appears under its name complete or not at all.
func (b *Bolt) make(lock *os.File) error {
	made, err := b.made(lock)
	if err != nil || made {
		return err
	}
	fresh := b.path + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fileError(fresh, err)
	}
	err = b.open(fresh, false, func(db *bolt.DB) error { return db.Update(b.schema) })
	if err != nil {
		return err
	}
	if err := os.Rename(fresh, b.path); err != nil {
		return fileError(b.path, err)
	}
	if err := syncFolder(filepath.Dir(b.path)); err != nil {
		return fileError(b.path, err)
	}
	return b.markMade(lock)
}

// markMade notes that there is a database, so that its absence is an error from now on.
func (b *Bolt) markMade(lock *os.File) error {
	_, err := lock.WriteAt(lockMark, 0)
	return fileError(b.path+lockSuffix, err)
}

func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// boltWait bounds the wait for bbolt's own lock, which only a program that does not know ours
// holds.
const boltWait = 2 * time.Second

// open opens the database, runs fn and closes it. bbolt answers a damaged page with a panic, and a
// file shorter than its mapping faults; both are ErrCorrupt here.
func (b *Bolt) open(path string, readOnly bool, fn func(*bolt.DB) error) (err error) {
	var file *os.File
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			if file != nil {
				release(file)
			}
			err = &FileError{Path: path, Err: ErrCorrupt, Hint: fmt.Sprintf("%v; %s", p, startAfresh)}
		}
	}()
	db, err := bolt.Open(path, 0o600, &bolt.Options{
		Timeout:      boltWait,
		ReadOnly:     readOnly,
		FreelistType: bolt.FreelistMapType,
		NoStatistics: true,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			f, err := openPrivate(name, flag, mode)
			file = f
			return f, err
		},
	})
	if err != nil {
		return openError(path, err)
	}
	err = fn(db)
	if cerr := db.Close(); err == nil && cerr != nil {
		err = fileError(path, cerr)
	}
	return err
}

// openError names what kept bbolt from opening the file. What neither the system nor the lock
// explains is damage: bbolt has no one error for it.
func openError(path string, err error) error {
	var errno syscall.Errno
	var named *FileError
	switch {
	case errors.As(err, &named) || errors.As(err, &errno):
		return fileError(path, err)
	case errors.Is(err, bolterrors.ErrTimeout):
		return &FileError{Path: path, Err: ErrLocked, Hint: "another program has it open; end it and try again"}
	}
	return &FileError{Path: path, Err: ErrCorrupt, Hint: err.Error() + "; " + startAfresh}
}

// fileError gives an error of the file system its name. It keeps nil and what is named already.
func fileError(path string, err error) error {
	var named *FileError
	if err == nil || errors.As(err, &named) {
		return err
	}
	return &FileError{Path: path, Err: err, Hint: remedy(err)}
}

// remedies are what helps where the system does not take a change.
var remedies = []struct {
	err  error
	hint string
}{
	{syscall.EROFS, "mount its file system for writing"},
	{syscall.ENOSPC, "make room on its file system"},
	{syscall.EDQUOT, "make room in your quota"},
	{syscall.EMFILE, "this process has reached its limit of open files: ulimit -n"},
	{syscall.ENFILE, "the system has reached its limit of open files: sysctl fs.file-max"},
	{syscall.EIO, "the disk fails; restore a copy, or " + startAfresh},
}

func remedy(err error) string {
	for _, r := range remedies {
		if errors.Is(err, r.err) {
			return r.hint
		}
	}
	return ""
}
