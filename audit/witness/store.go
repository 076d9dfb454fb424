package witness

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval/flock"
)

// ErrBusy is returned if another process serves from the folder.
var ErrBusy = errors.New("another process serves from this folder")

// A store keeps one file for each log.
type store struct {
	dir  string
	lock *os.File
}

func openStore(dir string) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := flock.Try(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("%w: %w", ErrBusy, err)
	}
	return &store{dir, f}, nil
}

func (s *store) close() error { return s.lock.Close() }

// load returns what is stored under a name, or nil.
func (s *store) load(name string) ([]byte, error) {
	b, err := os.ReadFile(filepath.Join(s.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

// save returns when it is on the disk.
func (s *store) save(name string, b []byte) error {
	f, err := os.CreateTemp(s.dir, ".new")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(b)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(s.dir, name))
	}
	if err != nil {
		return err
	}
	d, err := os.Open(s.dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
