package permit

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/flock"
)

// waits says that this process waits for the answer to the question e, which it made or not, until
// the function that comes back is called.
func (a *Attempt) waits(e approval.Envelope, made bool) (done func(), err error) {
	path := a.askerFile(e.ID)
	if a.AskHere == nil && a.Wait <= 0 {
		// from here on its asker also comes back for the answer
		_ = os.Remove(path)
		return func() {}, nil
	}
	lock, err := a.dir.Lock(placing, syscall.LOCK_SH)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	flags := os.O_RDWR
	if made {
		flags |= os.O_CREATE
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(path, flags, 0o600)
	if errors.Is(err, os.ErrNotExist) {
		return func() {}, nil // its asker comes back for the answer
	}
	if err != nil {
		return nil, err
	}
	if err := flock.Do(f, syscall.LOCK_SH); err != nil {
		f.Close()
		return nil, err
	}
	return func() {
		if flock.Try(f) == nil { // no other process waits for it
			_ = os.Remove(path)
		}
		f.Close()
	}, nil
}
