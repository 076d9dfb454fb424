//go:build amd64 || arm64

package seccomp

import (
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Compile returns the program for rules, which it sorts, on this architecture. They know all calls
// up to newest: later ones fail as on a kernel that does not have them. Zero stands for all calls.
func Compile(newest uint32, rules []Rule) Program {
	return compile(Arch, firstForeign, newest, rules)
}

// Fprog is the program as seccomp(2) takes it.
func (p Program) Fprog() *unix.SockFprog {
	return &unix.SockFprog{Len: uint16(len(p)), Filter: (*unix.SockFilter)(unsafe.Pointer(&p[0]))}
}

// A Notification is a call that waits for an answer: struct seccomp_notif.
type Notification struct {
	ID   uint64
	PID  uint32 // the thread that makes the call; 0 when it cannot be seen from here
	_    uint32
	Nr   int32
	Arch uint32
	_    uint64 // instruction pointer
	Args [6]uint64
}

// An Answer is struct seccomp_notif_resp.
type Answer struct {
	ID    uint64
	Val   int64
	Error int32 // the negative error number
	Flags uint32
}

// Continue in the flags of an answer has the kernel make the call itself. It reads the caller's
// memory again, so what was looked at may be another thing by then.
const Continue = 1

// A Listener is the descriptor through which calls come and are answered. Whose filter it is has
// ended when it polls as hung up.
type Listener int

// The requests of a listener, from linux/seccomp.h.
const (
	notifyReceive  = 0xc0502100
	notifySend     = 0xc0182101
	notifyValid    = 0x40082102
	notifyAddFd    = 0x40182103
	notifySetFlags = 0x40082104

	syncWakeUp = 1
)

// ReceiveEnds reports whether receiving ends by itself when the last process does (Linux 6.11).
// Before that only polling does.
func ReceiveEnds() bool {
	known.Do(know)
	return known.receiveEnds
}

// known is what the kernel can do, asked once.
var known struct {
	sync.Once
	listens, receiveEnds bool
}

func know() {
	var sizes [3]uint16
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_NOTIF_SIZES, 0,
		uintptr(unsafe.Pointer(&sizes)))
	known.listens = errno == 0 && sizes[0] <= uint16(unsafe.Sizeof(Notification{})) &&
		sizes[1] <= uint16(unsafe.Sizeof(Answer{}))
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return
	}
	first, rest, _ := strings.Cut(unix.ByteSliceToString(name.Release[:]), ".")
	second, _, _ := strings.Cut(rest, ".")
	major, err := strconv.Atoi(first)
	minor, _ := strconv.Atoi(second) // 0 of a release candidate
	known.receiveEnds = err == nil && (major > 6 || major == 6 && minor >= 11)
}

// Receive waits for the next call. It fails when the caller was killed in between.
func (l Listener) Receive(n *Notification) error {
	return l.ioctl(notifyReceive, unsafe.Pointer(n))
}

// Send answers a call. An error means that the caller waits no more.
func (l Listener) Send(a *Answer) error { return l.ioctl(notifySend, unsafe.Pointer(a)) }

// Waits reports whether the caller still waits for the answer: only then what was read of it was
// its own, and only then its number is its own.
func (l Listener) Waits(id uint64) bool { return l.ioctl(notifyValid, unsafe.Pointer(&id)) == nil }

// SyncWakeUp has caller and answerer hand the processor to each other, instead of waking another
// one (Linux 6.6). An older kernel refuses it, and answers only take longer.
func (l Listener) SyncWakeUp() error {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(l), notifySetFlags, syncWakeUp)
	if errno != 0 {
		return errno
	}
	return nil
}

// HandOver puts a copy of a descriptor into the caller's table and returns its number there. The
// answer must still be sent. The kernel can do both at once, but a signal that reaches the launcher
// in between takes the descriptor back and leaves an answer of 0 (Linux 6.18), and that takes five
// times as long.
func (l Listener) HandOver(id uint64, fd, flags int) (int, error) {
	add := struct { // struct seccomp_notif_addfd
		id           uint64
		flags        uint32
		srcfd, newfd uint32
		newfdFlags   uint32
	}{id: id, srcfd: uint32(fd), newfdFlags: uint32(flags)}
	for {
		number, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(l), notifyAddFd,
			uintptr(unsafe.Pointer(&add)))
		switch errno {
		case 0:
			return int(number), nil
		case unix.EINTR:
		default:
			return -1, errno
		}
	}
}

func (l Listener) ioctl(request uintptr, p unsafe.Pointer) error {
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(l), request, uintptr(p))
		if errno == 0 {
			return nil
		}
		if errno != unix.EINTR {
			return errno
		}
	}
}

// CanListen reports whether this kernel hands calls over, in the shapes known here.
func CanListen() bool {
	known.Do(know)
	return known.listens
}

// waitKillable has a caller woken only to be killed while it waits: without it every signal that
// one of its threads gets makes it ask again (Linux 5.19).
const waitKillable = 1 << 5

// ListenFlags are the flags by which seccomp(2) installs a program with a listener.
func ListenFlags() uintptr {
	flags := uintptr(unix.SECCOMP_FILTER_FLAG_NEW_LISTENER)
	// Without a program the kernel answers EFAULT when it knows the flags.
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		flags|waitKillable, 0)
	if errno == unix.EFAULT {
		flags |= waitKillable
	}
	return flags
}
