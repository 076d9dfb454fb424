package walk

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// A file that is closed is used no more, whichever file has the number by then.
func TestHeldIsNotUsedOnceClosed(t *testing.T) {
	fd, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	h := NewHeld(fd, "/")
	if err := h.Use(func(int) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if err := h.Use(func(int) error { return nil }); !errors.Is(err, os.ErrClosed) {
		t.Errorf("use: %v", err)
	}
}
