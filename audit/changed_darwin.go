package audit

import (
	"io/fs"
	"syscall"
)

// changedAt is when a file was changed last, in a way that only the kernel sets.
func changedAt(info fs.FileInfo) int64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return st.Ctimespec.Nano()
}
