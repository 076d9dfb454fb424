package broker

import "golang.org/x/sys/unix"

// legacyFiles are calls that newer architectures never had.
var legacyFiles = []fileCall{
	{nr: unix.SYS_OPEN, at: -1, path: 0, other: -1, flags: 1, mode: 2, act: (*files).open},
	{nr: unix.SYS_CREAT, at: -1, path: 0, other: -1, flags: -1, mode: 1,
		fixed: unix.O_CREAT | unix.O_WRONLY | unix.O_TRUNC, act: (*files).open},
	{nr: unix.SYS_MKDIR, at: -1, path: 0, other: -1, flags: -1, mode: 1, act: (*files).mkdir},
	{nr: unix.SYS_RMDIR, at: -1, path: 0, other: -1, flags: -1, mode: -1,
		fixed: unix.AT_REMOVEDIR, act: (*files).remove},
	{nr: unix.SYS_UNLINK, at: -1, path: 0, other: -1, flags: -1, mode: -1, act: (*files).remove},
	{nr: unix.SYS_RENAME, at: -1, path: 0, to: -1, other: 1, flags: -1, mode: -1,
		act: (*files).rename},
	{nr: unix.SYS_LINK, at: -1, path: 0, to: -1, other: 1, flags: -1, mode: -1,
		act: (*files).link},
	{nr: unix.SYS_SYMLINK, at: -1, path: 1, to: -1, other: 0, flags: -1, mode: -1,
		act: (*files).symlink},
	{nr: unix.SYS_ACCESS, at: -1, path: 0, other: -1, flags: -1, mode: 1, act: (*files).access},
	{nr: unix.SYS_MKNOD, at: -1, path: 0, other: -1, flags: -1, mode: 1, act: (*files).mknod},
}

const (
	legacyOpen   = unix.SYS_OPEN
	legacyAccess = unix.SYS_ACCESS
)
