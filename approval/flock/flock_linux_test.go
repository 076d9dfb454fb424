package flock

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestWait: Wait waits for a lock that another process has, says so to the caller, and gets it when
// it is released. A caller that gave up holds it no longer than it takes to get it.
func TestWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, second, third := open(t, path), open(t, path), open(t, path)
	if err := Wait(t.Context(), first, unix.LOCK_EX, nil); err != nil {
		t.Fatal(err)
	}
	if err := Try(second); !errors.Is(err, unix.EWOULDBLOCK) {
		t.Errorf("a second lock: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Wait(gone, second, unix.LOCK_EX, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that was given up: %v", err)
	}
	told, got := make(chan *os.File, 1), make(chan error, 1)
	go func() {
		got <- Wait(t.Context(), third, unix.LOCK_SH, func(f *os.File, d time.Duration) {
			if d == Patience[0] {
				told <- f
			}
		})
	}()
	if f := <-told; f != third {
		t.Errorf("the wait of %v was told, not that of %v", f, third)
	}
	if err := Unlock(first); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Fatal(err)
	}
	if err := Do(first, unix.LOCK_SH|unix.LOCK_NB); err != nil {
		t.Errorf("a second reader: %v", err)
	}
	third.Close()
	first.Close()
	open := true
	for end := time.Now().Add(10 * time.Second); open && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
		_, err := second.Stat()
		open = err == nil
	}
	if open {
		t.Error("the file of the wait that was given up is open")
	}
	if err := Wait(t.Context(), first, unix.LOCK_EX, nil); err == nil {
		t.Error("a closed file was locked")
	}
}

// A file system without locks is named as the reason, with what to do.
func TestNoLocks(t *testing.T) {
	err := error(&NoLocksError{unix.ENOLCK})
	if !errors.Is(err, unix.ENOLCK) || err.Error() != "no locks available: this file system has "+
		"no locks; name a directory on another one: --home DIR" {
		t.Error(err)
	}
	f := open(t, filepath.Join(t.TempDir(), "lock"))
	if err := Do(f, 0x40); err == nil { // the kernel knows no such lock
		t.Error("a lock of no kind was taken")
	} else if _, none := errors.AsType[*NoLocksError](err); none {
		t.Error(err)
	}
}
