package walk

import "golang.org/x/sys/unix"

// An ID names an inode on this machine, until it is freed.
type ID struct{ Dev, Ino uint64 }

// Kind says what a target is where the kernel does not walk a path.
type Kind int

// The kinds of targets.
const (
	Plain      Kind = iota // a path of the file system
	Descriptor             // /dev/fd/N, /dev/stdin: what the command has open already
	Foreign                // another process's descriptor, directory or root
)

// A Dir is an open directory and the path that leads to it without a link.
type Dir struct {
	FD   int // -1 when the directory does not exist: then the walk is by text alone
	Path string
}

// An entry is one name in a directory, its type, one of the DT_ of getdents64(2), and its inode.
type entry struct {
	Name string
	Kind uint8
	Ino  uint64
}

func (e entry) IsDir() bool { return e.Kind == unix.DT_DIR }
