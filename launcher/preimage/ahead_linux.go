package preimage

import "golang.org/x/sys/unix"

// forNothing opens a file as a handle, theEntry also if it is a link.
const (
	forNothing = unix.O_PATH
	theEntry   = unix.O_PATH | unix.O_NOFOLLOW
)
