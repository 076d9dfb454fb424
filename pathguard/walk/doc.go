// Package walk follows names as the kernel does, and says what exists under them.
//
// A name is walked one component at a time (path_resolution(7)): ".." after a link is the parent of
// what the link points to, at most 40 links are followed, and "link/" follows in any case. Most
// names have no link and no mount on their way; for them one openat2(2) with RESOLVE_NO_SYMLINKS
// and RESOLVE_NO_XDEV gives the same answer.
//
// Below /proc the kernel does not read the text of links. /proc/self and /dev/fd are the command's
// own, so its directory and root are known and its descriptors are its own business; the links of
// other processes are jumped through, and what is behind them is [Foreign].
//
// A file is opened with O_PATH, which needs no permission on the file, waits for no FIFO and starts
// no device.
//
// macOS has no O_PATH, and one file there has many names: without case, through /private, through
// the data volume. So each step asks the kernel for the name of what it opened, which is a file, a
// directory or a link (system_stepwise.go). What has no certain name is not found, and End.Why says
// [WhyUnnamed]; where nothing is, it says [WhyCaseless]. The judge asks about both. The tests
// try these steps on Linux too: go test -tags stepwise.
package walk
