package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/approval/flock"
)

// Lock locks a file of this boot by flock(2). Closing the file gives it back.
func (d *Directory) Lock(name string, how int) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(d.Runtime(), name), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := d.Flock(f, how); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %q: %w", f.Name(), err)
	}
	return f, nil
}

// Flock is flock(2), and reports which process this one waits for if that takes long.
func (d *Directory) Flock(f *os.File, how int) error {
	err := flock.Do(f, how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) && how&syscall.LOCK_NB == 0 {
		for _, patience := range flock.Patience {
			defer time.AfterFunc(patience, func() { d.WaitsFor(f, patience) }).Stop()
		}
		err = flock.Do(f, how)
	}
	return err
}
