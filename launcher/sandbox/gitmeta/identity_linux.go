package gitmeta

import (
	"io/fs"
	"syscall"
)

// An identity is what changes whenever a file is written. The time of change is the one that no
// program can set (inode(7)).
type identity struct {
	inode   uint64
	size    int64
	changed syscall.Timespec
}

func identify(st fs.FileInfo) identity {
	id := identity{size: st.Size()}
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		id.inode, id.changed = sys.Ino, sys.Ctim
	}
	return id
}
