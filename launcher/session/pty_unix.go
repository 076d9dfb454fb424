//go:build linux || darwin

package session

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// A size without a terminal to copy it from: what ANSI.SYS, terminfo and every program
// fall back to.
const (
	defaultCols = 80
	defaultRows = 24
)

// newPipe makes a pipe whose ours end does not block. Which end is ours depends on whether
// the child reads or writes.
func newPipe(childWrites bool) (ours int, child *os.File, err error) {
	from, to, err := bothEnds()
	if err != nil {
		return -1, nil, fmt.Errorf("make a pipe: %w", err)
	}
	ours, theirs := to, from
	if childWrites {
		ours, theirs = from, to
	}
	if err := unix.SetNonblock(ours, true); err != nil {
		unix.Close(ours)
		unix.Close(theirs)
		return -1, nil, fmt.Errorf("make a pipe: %w", err)
	}
	widen(ours)
	return ours, os.NewFile(uintptr(theirs), "pipe"), nil
}
