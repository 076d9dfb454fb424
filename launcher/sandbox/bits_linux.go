//go:build amd64 || arm64

package sandbox

import "golang.org/x/sys/unix"

// namespaceFlags are the CLONE_NEW* bits that clone and unshare take; 0x80 is CLONE_NEWTIME for
// unshare and part of the exit signal for clone.
const namespaceFlags = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// setIDs are the mode bits that make a file run as its owner or group: left behind, such a file is
// the user's identity for the process that executes it.
const setIDs = unix.S_ISUID | unix.S_ISGID

// bareTmpfile is the bit of O_TMPFILE that O_DIRECTORY does not have.
const bareTmpfile = unix.O_TMPFILE &^ unix.O_DIRECTORY

// The type argument of socket carries SOCK_CLOEXEC and SOCK_NONBLOCK above these bits.
const sockType = 0xf
