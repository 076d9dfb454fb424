package resolve

import (
	"io"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/walk"
)

// writesAhead reports whether a file is an SQLite database in WAL mode (file format version 2 at
// offset 18 of the header), which cannot be read without writing in its directory. A file that
// cannot be looked at may be one.
func writesAhead(f *walk.Held) bool {
	if f == nil {
		return true
	}
	const atVersion, wal = 18, 2
	header := make([]byte, atVersion+1)
	err := f.Use(func(held int) error {
		var st unix.Stat_t
		if err := unix.Fstat(held, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
			return unix.EINVAL
		}
		fd, err := walk.Reopen(held)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		_, err = io.ReadFull(reader(fd), header)
		return err
	})
	if err == io.ErrUnexpectedEOF || err == io.EOF {
		return false // too short for a database
	}
	return err != nil || header[atVersion] == wal
}
