package broker

import "golang.org/x/sys/unix"

// legacyFiles are calls that newer architectures never had.
var legacyFiles = []fileCall{
	{nr: unix.SYS_OPEN, at: -1, path: 0, other: -1, flags: 1, mode: 2,
		act: (*files).open, does: opens},
	{nr: unix.SYS_CREAT, at: -1, path: 0, other: -1, flags: -1, mode: 1,
		fixed: unix.O_CREAT | unix.O_WRONLY | unix.O_TRUNC, act: (*files).open, does: opens},
	{nr: unix.SYS_MKDIR, at: -1, path: 0, other: -1, flags: -1, mode: 1,
		act: (*files).mkdir, does: makes},
	{nr: unix.SYS_RMDIR, at: -1, path: 0, other: -1, flags: -1, mode: -1,
		fixed: unix.AT_REMOVEDIR, act: (*files).remove, does: removes},
	{nr: unix.SYS_UNLINK, at: -1, path: 0, other: -1, flags: -1, mode: -1,
		act: (*files).remove, does: removes},
	{nr: unix.SYS_RENAME, at: -1, path: 0, to: -1, other: 1, flags: -1, mode: -1,
		act: (*files).rename, does: moves},
	{nr: unix.SYS_LINK, at: -1, path: 0, to: -1, other: 1, flags: -1, mode: -1,
		act: (*files).link, does: links},
	{nr: unix.SYS_SYMLINK, at: -1, path: 1, to: -1, other: 0, flags: -1, mode: -1,
		act: (*files).symlink, does: makes},
	{nr: unix.SYS_ACCESS, at: -1, path: 0, other: -1, flags: -1, mode: 1, act: (*files).access},
	{nr: unix.SYS_MKNOD, at: -1, path: 0, other: -1, flags: -1, mode: 1,
		act: (*files).mknod, does: makes},
}

const (
	legacyOpen   = unix.SYS_OPEN
	legacyAccess = unix.SYS_ACCESS
)
