package preimage

import "golang.org/x/sys/unix"

// forNothing opens a file as a handle, theEntry also if it is a link.
const (
	forNothing = unix.O_EVTONLY
	theEntry   = unix.O_EVTONLY | unix.O_SYMLINK
)
