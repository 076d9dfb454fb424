package undo

import (
	"iter"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/dirent"
)

// entriesOf returns the entries of an open folder: the name, and the kind as the kernel lists it,
// such as unix.DT_DIR. Not every file system has kinds. b is room for the entries that are read at
// once, which no one else uses meanwhile.
func entriesOf(fd int, b []byte) iter.Seq2[string, byte] {
	return func(yield func(string, byte) bool) {
		for {
			n, err := unix.Getdents(fd, b)
			if err == unix.EINTR {
				continue
			}
			if err != nil || n == 0 {
				return
			}
			for e, rest, ok := dirent.Next(b[:n]); ok; e, rest, ok = dirent.Next(rest) {
				if !yield(string(e.Name), e.Kind) {
					return
				}
			}
		}
	}
}
