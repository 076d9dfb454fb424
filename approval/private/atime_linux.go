package private

import "golang.org/x/sys/unix"

// noAtime opens a file without noting when it was read: otherwise the first read after each change
// writes the inode, and so waits for a commit of the file system's journal, which takes long while
// other processes call fsync.
const noAtime = unix.O_NOATIME
