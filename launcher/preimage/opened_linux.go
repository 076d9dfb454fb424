package preimage

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Opened announces that the command gets descriptors of this process, through which files may
// change without a call that names them.
func (r *Run) Opened(fds []int) error {
	if r == nil {
		return nil
	}
	for _, fd := range fds {
		name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
		if err != nil || !r.covers(name) {
			continue
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		if err == nil && flags&unix.O_ACCMODE != unix.O_RDONLY {
			err = r.Write(fd, name)
		}
		if err != nil && r.stands {
			return cannotStand(err)
		}
	}
	return nil
}
