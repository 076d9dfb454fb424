package audit

import (
	"io/fs"
	"syscall"
)

// identify returns which file it is, and when it was changed last, in a way that only the kernel
// sets.
func identify(info fs.FileInfo) (id identity, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return id, false
	}
	return identity{uint64(st.Dev), st.Ino, st.Ctimespec.Nano()}, true
}
