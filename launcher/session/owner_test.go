//go:build linux

package session

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// takeNumber closes f and puts another file behind its number, as any goroutine of the process may
// that opens one.
func takeNumber(t *testing.T, f *os.File) (decoy *os.File) {
	t.Helper()
	number := int(f.Fd())
	name := filepath.Join(t.TempDir(), "decoy")
	opened, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.FcntlInt(opened.Fd(), unix.F_DUPFD_CLOEXEC, number)
	if err != nil {
		t.Fatal(err)
	}
	decoy = os.NewFile(uintptr(fd), name)
	t.Cleanup(func() { decoy.Close() })
	if fd != number {
		t.Fatalf("descriptor %d was taken by somebody else", number)
	}
	return decoy
}

// The caller may close what it gave as soon as it likes: what has the number by then is neither
// written to nor replaced. The tests are not parallel, because they need a number to be free.
func TestNumbersOfTheCallerAreNotKept(t *testing.T) {
	t.Run("input that is given up", func(t *testing.T) {
		// the goroutines are to be interrupted in the middle
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(16))
		dir := t.TempDir()
		rounds := 10_000
		if testing.Short() {
			rounds = 200
		}
		for range rounds {
			in, out, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			_ = out.Close()
			s, err := Open(Stdio{In: in}, Never, &journal{})
			if err != nil {
				t.Fatal(err)
			}
			decoys := make(chan *os.File)
			go func() { // anywhere between the look at the number and its use
				_ = in.Close()
				decoy, err := os.Open(dir)
				if err != nil {
					t.Error(err)
				}
				decoys <- decoy
			}()
			s.Started()
			decoy := <-decoys
			if err := s.Ended(context.Background()); err != nil {
				t.Error(err)
			}
			if st, err := decoy.Stat(); err != nil || !st.IsDir() {
				t.Fatalf("another file became %v: %v", st.Mode(), err)
			}
			_ = decoy.Close()
		}
	})
	t.Run("a write that outlasts the session", func(t *testing.T) {
		r, w := pipePair(t)
		s, cmd := run(t, Stdio{Out: w}, Never, &journal{}, "head -c 1000000 /dev/zero")
		defer cmd.Wait()
		defer cmd.Process.Kill()
		room, err := unix.FcntlInt(r.Fd(), unix.F_GETPIPE_SZ, 0)
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "the relay to be blocked in a write", func() bool {
			n, err := unix.IoctlGetInt(int(r.Fd()), unix.TIOCINQ)
			return err == nil && n == room
		})
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := s.Ended(ctx); !errors.Is(err, ErrCut) {
			t.Fatal(err)
		}
		decoy := takeNumber(t, w)
		go io.Copy(io.Discard, r)
		s.running.Wait()
		if st, err := decoy.Stat(); err != nil || st.Size() != 0 {
			t.Errorf("%d bytes went to another file: %v", st.Size(), err)
		}
	})
}
