package walk

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
