package tamper

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockFile takes the exclusive lock of f, which the kernel takes away from a process that dies. It
// waits in flock(2), because the kernel wakes those who wait in order; of those who only look from
// time to time, some never get it beside a busy writer. It gives up with ErrBusy after long.
// Without the lock it closes f; after ErrBusy the thread that is left behind does, whenever it gets
// the lock.
func lockFile(f *os.File, long time.Duration, waiting func(*os.File, time.Duration)) error {
	err := flock(f, unix.LOCK_EX|unix.LOCK_NB)
	if !errors.Is(err, unix.EWOULDBLOCK) {
		return closing(f, err)
	}
	if waiting != nil {
		for _, d := range patience {
			defer time.AfterFunc(d, func() { waiting(f, d) }).Stop()
		}
	}
	got, left := make(chan error), make(chan struct{})
	go func() {
		err := flock(f, unix.LOCK_EX)
		select {
		case got <- err:
		case <-left:
			f.Close()
		}
	}()
	select {
	case err := <-got:
		return closing(f, err)
	case <-time.After(long):
		close(left)
		return ErrBusy
	}
}

// closing closes f when there is an error, and returns that.
func closing(f *os.File, err error) error {
	if err != nil {
		f.Close()
	}
	return err
}

func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); err != unix.EINTR {
			return err
		}
	}
}
