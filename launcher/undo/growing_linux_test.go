package undo

import (
	"bytes"
	"errors"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Of a file that another program makes longer while it is copied, what there was when the copy
// began comes back. Where undo stands for a question and the copy saw a change, the file stays.
func TestGrowingFile(t *testing.T) {
	for _, stands := range []bool{false, true} {
		w := newWorld(t, t.TempDir())
		w.store.o.File, w.store.o.Quota = 1<<40, 1<<42 // however long it becomes
		line := bytes.Repeat([]byte("0123456789abcde\n"), 256)
		w.write("log", string(bytes.Repeat(line, 200)))
		end := growing(t, w.path("log"), line)
		j, err := w.store.Begin(Start{Run: "run", Trees: []string{w.tree}, Stands: stands})
		if err != nil {
			t.Fatal(err)
		}
		h := &hand{j: j}
		before, _ := look(unix.AT_FDCWD, w.path("log"))
		h.truncate(w.path("log"), 3)
		end()
		w.end(j)
		if h.err != nil && !(stands && errors.Is(h.err, ErrChanging)) {
			t.Error(h.err)
		}
		r := w.undo("undo", "run")
		text := []byte(w.read("log"))
		whole := bytes.Repeat(line[:16], len(text)/16+1)
		if int64(len(text)) < before.Size || !bytes.HasPrefix(whole, text) {
			t.Errorf("%d bytes, at least %d were there: %v, %v", len(text), before.Size, h.err,
				r.Steps)
		}
	}
}

// growing appends to a file until end is called.
func growing(t *testing.T, name string, text []byte) (end func()) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	begun, stop, over := make(chan struct{}, 1), make(chan struct{}), make(chan error, 1)
	go func() {
		defer f.Close()
		for {
			_, err := f.Write(text)
			select {
			case <-stop:
				over <- err
				return
			case begun <- struct{}{}:
			case <-time.After(50 * time.Microsecond):
			}
		}
	}()
	<-begun
	return func() {
		close(stop)
		if err := <-over; err != nil {
			t.Error(err)
		}
	}
}
