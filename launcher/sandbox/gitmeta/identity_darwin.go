package gitmeta

import (
	"io/fs"
	"syscall"
)

// An identity is what changes when a file is written or replaced. Only the kernel sets the time of
// the last change.
type identity struct {
	device  int32
	inode   uint64
	size    int64
	changed int64
}

func identify(st fs.FileInfo) identity {
	id := identity{size: st.Size()}
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		id.device, id.inode, id.changed = s.Dev, s.Ino, s.Ctimespec.Nano()
	}
	return id
}
