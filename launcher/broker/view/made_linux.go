package view

import (
	"os"

	"golang.org/x/sys/unix"
)

// Made reports whether a run of the workspace has made the file f, by the ledger in a file. It
// makes and changes nothing; without a ledger, or with a damaged one, no run has.
func Made(name string, f *os.File) bool {
	if f == nil {
		return false
	}
	id, _, ok := identify(int(f.Fd()), "", unix.AT_EMPTY_PATH)
	if !ok {
		return false
	}
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	l := &Ledger{name: name, file: file, entries: map[ID]bool{}}
	defer l.Close()
	return l.Has(id)
}
