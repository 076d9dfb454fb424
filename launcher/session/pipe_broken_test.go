//go:build linux

package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What cannot be recorded is not shown.
func TestFailingTap(t *testing.T) {
	t.Parallel()
	for _, mode := range []PTY{Auto, Always} {
		r, w := pipePair(t)
		full := errors.New("disk is full")
		s, cmd := run(t, Stdio{Out: w}, mode, &journal{fail: full}, "while :; do echo secret; done")
		<-s.Failed()
		cmd.Process.Kill()
		cmd.Wait()
		if err := s.Ended(context.Background()); !errors.Is(err, full) ||
			!errors.Is(s.Err(), full) {
			t.Errorf("%v: %v", mode, err)
		}
		w.Close()
		if got := <-slurp(r); len(got) != 0 {
			t.Errorf("%v: %d bytes were shown", mode, len(got))
		}
	}
}

// What cannot be recorded of one stream stops the other one too.
type failsOnce struct {
	journal
	err error
}

func (f *failsOnce) Output(s Stream, p []byte) error {
	if s == Stdout {
		return f.err
	}
	return f.journal.Output(s, p)
}

func TestFailingTapStopsAllStreams(t *testing.T) {
	t.Parallel()
	_, outW := pipePair(t)
	errR, errW := pipePair(t)
	inR, inW := pipePair(t)
	s, cmd := run(t, Stdio{In: inR, Out: outW, Err: errW}, Auto,
		&failsOnce{err: errors.New("disk is full")},
		"echo a; read x; echo secret >&2; read x")
	<-s.Failed()
	inW.WriteString("go\n")
	eventually(t, "the other relay to end", func() bool {
		s.relays[1].busy.Lock()
		defer s.relays[1].busy.Unlock()
		return s.relays[1].err != nil
	})
	cmd.Process.Kill()
	cmd.Wait()
	s.Ended(context.Background())
	errW.Close()
	if got := <-slurp(errR); len(got) != 0 {
		t.Errorf("%q was shown", got)
	}
}

// A process that outlives the command and holds its output does not hold us for ever.
func TestEndedIsBounded(t *testing.T) {
	t.Parallel()
	r, w := pipePair(t)
	s, cmd := run(t, Stdio{Out: w}, Auto, &journal{}, "sleep 100 & echo $!")
	cmd.Wait()
	var pid int
	if _, err := fmt.Fscan(r, &pid); err != nil || pid <= 1 {
		t.Fatal(pid, err)
	}
	defer unix.Kill(pid, unix.SIGKILL)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := s.Ended(ctx); !errors.Is(err, ErrCut) {
		t.Error(err)
	}
}

func TestFullDiskBehindTheCaller(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	s, cmd := run(t, Stdio{Out: full}, Auto, &journal{}, "yes")
	if got := status(t, cmd); got != "signal broken pipe" {
		t.Error(got)
	}
	if err := s.Ended(context.Background()); !errors.Is(err, unix.ENOSPC) {
		t.Error(err)
	}
}

// A session whose child could not be started leaves nothing open.
func TestNeverStarted(t *testing.T) {
	o := newOuter(t)
	_, w := pipePair(t)
	before := descriptors(t)
	for _, mode := range []PTY{Auto, Always, Never} {
		for _, caller := range []Stdio{{In: o.peer, Out: o.peer, Err: o.peer},
			{Out: w, Err: o.peer}, {}} {
			s, err := Open(caller, mode, &journal{})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Ended(context.Background()); err != nil {
				t.Error(err)
			}
		}
	}
	if after := descriptors(t); after != before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}
