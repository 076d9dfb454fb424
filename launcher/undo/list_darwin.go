package undo

import (
	"iter"
	"os"

	"golang.org/x/sys/unix"
)

// entriesOf returns the entries of an open folder: the name, and the kind as the kernel lists it,
// such as unix.DT_DIR.
func entriesOf(fd int, _ []byte) iter.Seq2[string, byte] {
	return func(yield func(string, byte) bool) {
		own, err := open(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if err != nil {
			return
		}
		dir := os.NewFile(uintptr(own), "folder")
		defer dir.Close()
		for {
			list, err := dir.ReadDir(1 << 10)
			for _, d := range list {
				kind := byte(unix.DT_REG)
				if d.IsDir() {
					kind = unix.DT_DIR
				}
				if !yield(d.Name(), kind) {
					return
				}
			}
			if err != nil || len(list) == 0 {
				return
			}
		}
	}
}
