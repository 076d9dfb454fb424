package session

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Settle waits for all that was printed before, also for a caller that reads slowly, and not for
// what goes on to print, nor for ever.
func TestSettle(t *testing.T) {
	var caller [2]int
	if err := unix.Pipe2(caller[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	tap := &idle{}
	out, in := os.NewFile(uintptr(caller[1]), "out"), os.NewFile(uintptr(caller[0]), "in")
	defer in.Close()
	s, err := Open(Stdio{Out: out}, Never, tap)
	if err != nil {
		t.Fatal(err)
	}
	// a process that the command has left behind
	child, err := unix.Dup(int(s.ChildFiles()[1].Fd()))
	if err != nil {
		t.Fatal(err)
	}
	s.Started()
	out.Close()
	text := bytes.Repeat([]byte("x"), 200<<10) // more than the caller's pipe holds
	if n, err := unix.Write(child, text); err != nil || n != len(text) {
		t.Fatal(n, err)
	}
	late, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	s.Settle(late) // no reader: it returns all the same
	if late.Err() == nil {
		t.Error("it did not wait for a caller that does not read")
	}
	got, done := 0, make(chan struct{})
	go func() {
		defer close(done)
		b := make([]byte, 4<<10)
		for got < len(text) {
			n, err := in.Read(b)
			if got += n; err != nil {
				return
			}
		}
	}()
	s.Settle(context.Background())
	if int(tap.count) != len(text) {
		t.Errorf("it is over when %d bytes were recorded, of %d", tap.count, len(text))
	}
	<-done
	if got != len(text) {
		t.Errorf("%d bytes came, of %d", got, len(text))
	}
	unix.Close(child)
	if err := s.Ended(context.Background()); err != nil {
		t.Error(err)
	}
}
