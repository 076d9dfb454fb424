//go:build amd64 || arm64

package broker

import (
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// openFIFO opens a FIFO or a pipe. A caller that writes waits for one that reads.
func (f *files) openFIFO(r *fileRequest, at int) (int, error) {
	asked := r.flags
	for wait := time.Millisecond; ; wait = min(2*wait, maxFIFOWait) {
		r.flags |= unix.O_NONBLOCK
		fd, err := f.openHandle(r, at)
		r.flags = asked
		switch {
		case err != unix.ENXIO || asked&unix.O_NONBLOCK != 0:
			return blocking(r, fd, err)
		case r.cached != 0:
			return -1, errSlow
		case !r.waits(), f.work.ctx.Err() != nil:
			return -1, unix.EINTR
		case r.signalled():
			return -1, restart
		}
		time.Sleep(wait)
	}
}

const maxFIFOWait = 20 * time.Millisecond

// The numbers of two character devices that mean what the opener has.
var (
	ownTerminal = unix.Mkdev(5, 0) // /dev/tty
	newTerminal = unix.Mkdev(5, 2) // /dev/ptmx
)

const nullName = "/dev/null"

// null returns a handle of /dev/null, which shells open all the time. It is one by the mounts of
// the run: by the launcher's own, its mode could be changed.
func (f *files) null(r *fileRequest) (at int, ok bool) {
	d := &f.devices
	if at := d.null.Load(); at > 0 {
		return int(at), true
	}
	at, err := f.lookUp(r, nullName, unix.O_NOFOLLOW)
	if err != nil {
		return -1, false
	}
	var st unix.Statx_t
	is := statx(at, "", &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFCHR &&
		st.Rdev_major == 1 && st.Rdev_minor == 3 && d.has(unix.Mkdev(1, 3))
	if !is || !d.null.CompareAndSwap(0, int32(at)) {
		unix.Close(at)
		return int(d.null.Load()), is
	}
	return at, true
}

// openDevice opens a character device. None becomes the terminal of the caller's session by that.
func (f *files) openDevice(r *fileRequest, at int, name string, st *unix.Statx_t) (int, error) {
	d := &f.devices
	number := unix.Mkdev(st.Rdev_major, st.Rdev_minor)
	switch {
	case number == ownTerminal && d.has(number):
		return f.openOwnTerminal(r)
	case number == ownTerminal, number == newTerminal && !d.own:
		return -1, unix.EACCES
	case d.has(number), d.isTerminal(st), d.own && strings.HasPrefix(name, "/dev/pt"):
		return f.openHandle(r, at)
	}
	return -1, refusedAt(at)
}

// openOwnTerminal opens the terminal of the caller's session: the command's, or one that the run
// has made.
func (f *files) openOwnTerminal(r *fileRequest) (int, error) {
	number := sessionTerminal(r.call)
	if !r.waits() {
		return -1, unix.ESRCH
	}
	if number == 0 {
		return -1, unix.ENXIO
	}
	var st unix.Statx_t
	is := func(at int) bool {
		return statx(at, "", &st) == nil && unix.Mkdev(st.Rdev_major, st.Rdev_minor) == number
	}
	if f.devices.tty >= 0 && is(f.devices.tty) {
		return f.openHandle(r, f.devices.tty)
	}
	name := slaves + strconv.Itoa(int(unix.Minor(number)))
	if f.terminals.makes {
		fd, ours, err := f.terminals.open(name, r.flags)
		if !ours {
			return -1, unix.ENXIO
		}
		return fd, err
	}
	if !f.devices.own {
		return -1, unix.ENXIO
	}
	at, err := f.lookUp(r, name, unix.O_NOFOLLOW)
	if err != nil {
		return -1, unix.ENXIO
	}
	defer unix.Close(at)
	if !is(at) {
		return -1, unix.ENXIO
	}
	return f.openHandle(r, at)
}

// sessionTerminal returns the number of the device that is the terminal of the caller's session, or
// 0 (proc_pid_stat(5)).
func sessionTerminal(c *call) uint64 {
	text, err := os.ReadFile(c.process() + "stat")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text[max(0, strings.LastIndexByte(string(text), ')')):]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 5 {
		return 0
	}
	n, err := strconv.ParseUint(fields[4], 10, 32)
	if err != nil || n == 0 {
		return 0
	}
	return unix.Mkdev(uint32(n>>8&0xfff), uint32(n&0xff|n>>12&0xfff00))
}
