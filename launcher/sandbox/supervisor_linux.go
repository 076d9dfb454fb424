//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"encoding/binary"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A notification is struct seccomp_notif: a call that waits for an answer.
type notification struct {
	id   uint64
	pid  uint32
	_    uint32
	nr   int32
	arch uint32
	_    uint64 // instruction pointer
	args [6]uint64
}

// An answer is struct seccomp_notif_resp.
type answer struct {
	id    uint64
	val   int64
	error int32
	flags uint32
}

// The requests of the listener; unix has no names for them.
const (
	notifyReceive = 0xc0502100
	notifySend    = 0xc0182101
	notifyValid   = 0x40082102
)

// A supervisor answers the calls of one run that change metadata, and hands those about the network to the broker. It has the launcher's rights, and so does for the child only what the child could do itself
// without a fence: the object must be the user's own.
type supervisor struct {
	listener int
	roots    []*os.File // the writable trees, held open
	kept     []string
	uid      uint32
	broker   *broker // nil without a network to answer for
	door     int     // -1 without one

	child, guard int // whose tree the run is
}

// pin holds a writable tree, so that its name is known wherever it is moved.
func (s *supervisor) pin(p Path) {
	open := func(name string) error {
		fd, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err == nil {
			s.roots = append(s.roots, os.NewFile(uintptr(fd), p.Name))
		}
		return err
	}
	if p.File == nil {
		_ = open(p.Name)
		return
	}
	_ = control(p.File, func(fd int) error { return open("/proc/self/fd/" + itoa(fd)) })
}

// serve answers until nobody is left who could ask.
func (s *supervisor) serve() {
	defer func() {
		if s.broker != nil {
			s.broker.close() // before the number of the listener is another's
		}
		unix.Close(s.listener)
		_ = unix.Close(s.door) // -1 is nobody's
		for _, r := range s.roots {
			r.Close()
		}
	}()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for {
		// Receiving does not end by itself when the last process does; polling does.
		poll := []unix.PollFd{{Fd: int32(s.listener), Events: unix.POLLIN}}
		_, err := unix.Poll(poll, -1)
		if err == unix.EINTR {
			continue
		}
		if err != nil || poll[0].Revents&unix.POLLIN == 0 {
			return
		}
		var n notification
		if ioctl(s.listener, notifyReceive, unsafe.Pointer(&n)) != nil {
			continue // it was killed in between
		}
		if s.broker != nil && s.broker.take(s.listener, &n) {
			continue
		}
		if s.opens(&n) || s.schedules(&n) {
			continue
		}
		a := answer{id: n.id}
		if errno := s.decide(&n); errno != 0 {
			a.error = -int32(errno)
		}
		_ = ioctl(s.listener, notifySend, unsafe.Pointer(&a))
	}
}

func ioctl(fd int, request uintptr, p unsafe.Pointer) error {
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(p))
		if errno == 0 {
			return nil
		}
		if errno != unix.EINTR {
			return errno
		}
	}
}

// A metadataCall is one system call that changes metadata, and where its arguments stand; -1 is nowhere.
type metadataCall struct {
	nr                uint32
	dir, path, flags  int  // without a path, dir is the object
	nofollow, emptyOK bool // emptyOK: a path of NULL means dir itself
	first             int  // of the arguments that act takes
	act               func(c *request, object string, args []uint64) error
}

// metadataCalls is all of them on both architectures; those of old come with legacyMetadata.
var metadataCalls = append([]metadataCall{
	{nr: unix.SYS_FCHMOD, dir: 0, path: -1, flags: -1, first: 1, act: chmod},
	{nr: unix.SYS_FCHMODAT, dir: 0, path: 1, flags: -1, first: 2, act: chmod},
	{nr: unix.SYS_FCHMODAT2, dir: 0, path: 1, flags: 3, first: 2, act: chmod},
	{nr: unix.SYS_FCHOWN, dir: 0, path: -1, flags: -1, first: 1, act: chown},
	{nr: unix.SYS_FCHOWNAT, dir: 0, path: 1, flags: 4, first: 2, act: chown},
	{nr: unix.SYS_UTIMENSAT, dir: 0, path: 1, flags: 3, emptyOK: true, first: 2, act: utimens},
	{nr: unix.SYS_SETXATTR, dir: -1, path: 0, flags: -1, first: 1, act: setxattr},
	{nr: unix.SYS_LSETXATTR, dir: -1, path: 0, flags: -1, nofollow: true, first: 1, act: setxattr},
	{nr: unix.SYS_FSETXATTR, dir: 0, path: -1, flags: -1, first: 1, act: setxattr},
	{nr: unix.SYS_REMOVEXATTR, dir: -1, path: 0, flags: -1, first: 1, act: removexattr},
	{nr: unix.SYS_LREMOVEXATTR, dir: -1, path: 0, flags: -1, nofollow: true, first: 1, act: removexattr},
	{nr: unix.SYS_FREMOVEXATTR, dir: 0, path: -1, flags: -1, first: 1, act: removexattr},
}, legacyMetadata...)

// A request is one call being answered.
type request struct {
	*notification
	uid    uint32
	object unix.Stat_t
}

// own reports whether the object is the user's, as only its owner may change most of this. The launcher may be root with all capabilities; the child has none.
func (r *request) own() bool { return r.object.Uid == r.uid }

// decide makes the change, or returns why not.
func (s *supervisor) decide(n *notification) syscall.Errno {
	for i := range metadataCalls {
		if c := &metadataCalls[i]; int32(c.nr) == n.nr {
			return asErrno(s.change(c, n))
		}
	}
	return unix.ENOSYS
}

func asErrno(err error) syscall.Errno {
	if err == nil {
		return 0
	}
	if errno, ok := err.(syscall.Errno); ok {
		return errno
	}
	return unix.EPERM
}

func (s *supervisor) change(c *metadataCall, n *notification) error {
	fd, err := open(c, n)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	// What was read of the child's memory and folders was the child's only if it still waits: its number may be another's by now.
	if err := ioctl(s.listener, notifyValid, unsafe.Pointer(&n.id)); err != nil {
		return unix.ESRCH
	}
	object := "/proc/self/fd/" + itoa(fd)
	name, err := os.Readlink(object)
	if err != nil || !s.writable(name) {
		return unix.EPERM
	}
	r := &request{notification: n, uid: s.uid}
	if err := unix.Fstat(fd, &r.object); err != nil {
		return err
	}
	return c.act(r, object, n.args[c.first:])
}

// writable reports whether name, as the kernel has it for an open object, lies in a writable tree and is not kept as it is.
func (s *supervisor) writable(name string) bool {
	for _, kept := range s.kept {
		if within(name, kept) {
			return false
		}
	}
	for _, r := range s.roots {
		root := ""
		_ = control(r, func(fd int) (err error) { root, err = os.Readlink("/proc/self/fd/" + itoa(fd)); return err })
		if root != "" && within(name, root) {
			return true
		}
	}
	return false
}

// open opens the object of a call as the child names it, only as a handle.
func open(c *metadataCall, n *notification) (int, error) {
	process := "/proc/" + strconv.Itoa(int(n.pid))
	dir := process + "/cwd"
	if c.dir >= 0 && int32(n.args[c.dir]) != unix.AT_FDCWD {
		dir = process + "/fd/" + strconv.Itoa(int(int32(n.args[c.dir])))
	}
	path, flags := "", uint64(0)
	if c.flags >= 0 {
		flags = n.args[c.flags]
	}
	if c.path >= 0 && !(c.emptyOK && n.args[c.path] == 0) {
		var err error
		if path, err = text(n, n.args[c.path], unix.PathMax); err != nil {
			return -1, err
		}
		if path == "" && flags&unix.AT_EMPTY_PATH == 0 {
			return -1, unix.ENOENT
		}
	}
	// These lead to the one who looks, which would be the launcher.
	for _, self := range []string{"/proc/self/fd/", "/proc/thread-self/fd/", "/dev/fd/"} {
		if number, ok := strings.CutPrefix(path, self); ok {
			if _, err := strconv.ParseUint(number, 10, 31); err != nil {
				return -1, unix.EPERM
			}
			dir, path = process+"/fd/"+number, ""
		}
	}
	if path == "" {
		return handle(dir)
	}
	at := unix.AT_FDCWD
	if path[0] != '/' {
		var err error
		if at, err = handle(dir); err != nil {
			return -1, err
		}
		defer unix.Close(at)
	}
	how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	if c.nofollow || flags&unix.AT_SYMLINK_NOFOLLOW != 0 {
		how.Flags |= unix.O_NOFOLLOW
	}
	return unix.Openat2(at, path, how)
}

// handle opens what one of the child's links in /proc leads to.
func handle(link string) (int, error) {
	fd, err := unix.Open(link, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT {
		err = unix.EBADF
	}
	return fd, err
}

// text reads a string that ends with a NUL from the child's memory, at most size bytes with it.
func text(n *notification, address uint64, size int) (string, error) {
	var b []byte
	for len(b) < size {
		// Not past the end of a page: the next may not be there.
		part := make([]byte, min(size-len(b), 4096-int(address)%4096))
		if err := memory(n, address, part); err != nil {
			return "", err
		}
		if end := bytes.IndexByte(part, 0); end >= 0 {
			return string(append(b, part[:end]...)), nil
		}
		b = append(b, part...)
		address += uint64(len(part))
	}
	return "", unix.ENAMETOOLONG
}

// memory reads from the child's memory.
func memory(n *notification, address uint64, into []byte) error {
	if len(into) == 0 {
		return nil
	}
	local := []unix.Iovec{{Base: &into[0], Len: uint64(len(into))}}
	got, err := unix.ProcessVMReadv(int(n.pid), local, []unix.RemoteIovec{{Base: uintptr(address), Len: len(into)}}, 0)
	if err == nil && got != len(into) {
		err = unix.EFAULT
	}
	return err
}

func chmod(r *request, object string, args []uint64) error {
	switch {
	case r.object.Mode&unix.S_IFMT == unix.S_IFLNK:
		return unix.EOPNOTSUPP
	case !r.own() || args[0]&setIDs != 0:
		return unix.EPERM
	}
	return unix.Fchmodat(unix.AT_FDCWD, object, uint32(args[0])&0o7777, 0)
}

// chown lets the owner say what is so already, as tar and cp do; to give something to another group, one has to be in it.
func chown(r *request, object string, args []uint64) error {
	uid, gid := uint32(args[0]), uint32(args[1])
	sameUser, sameGroup := uid == ^uint32(0) || uid == r.object.Uid, gid == ^uint32(0) || gid == r.object.Gid
	if sameUser && sameGroup {
		return nil
	}
	groups, err := unix.Getgroups()
	if err != nil || !r.own() || !sameUser || int(gid) != unix.Getegid() && !containsInt(groups, int(gid)) {
		return unix.EPERM
	}
	return unix.Fchownat(unix.AT_FDCWD, object, -1, int(gid), 0)
}

func containsInt(list []int, n int) bool {
	for _, x := range list {
		if x == n {
			return true
		}
	}
	return false
}

func utimens(r *request, object string, args []uint64) error {
	if args[0] == 0 {
		return settimes(r, object, nil)
	}
	var b [32]byte
	if err := memory(r.notification, args[0], b[:]); err != nil {
		return err
	}
	return settimes(r, object, &[2]unix.Timespec{{Sec: word(b[0:]), Nsec: word(b[8:])}, {Sec: word(b[16:]), Nsec: word(b[24:])}})
}

func word(b []byte) int64 { return int64(binary.NativeEndian.Uint64(b)) }

// settimes sets times; nil is now, which whoever may write may say too.
func settimes(r *request, object string, times *[2]unix.Timespec) error {
	if !r.own() && (times != nil || unix.Faccessat(unix.AT_FDCWD, object, unix.W_OK, unix.AT_EACCESS) != nil || r.uid == 0) {
		return unix.EPERM
	}
	if times == nil {
		times = &[2]unix.Timespec{{Nsec: unix.UTIME_NOW}, {Nsec: unix.UTIME_NOW}}
	}
	return unix.UtimesNanoAt(unix.AT_FDCWD, object, times[:], 0)
}

// maxAttribute is the kernel's bound for the value of an attribute (XATTR_SIZE_MAX), maxAttributeName that for its name.
const (
	maxAttribute     = 64 << 10
	maxAttributeName = 256
)

// attribute reads the name of an attribute that a user may change: security.* and trusted.* take capabilities, which the launcher may have and the child has not.
func (r *request) attribute(address uint64) (string, error) {
	name, err := text(r.notification, address, maxAttributeName)
	if err != nil {
		return "", unix.ERANGE
	}
	if !r.own() || !strings.HasPrefix(name, "user.") && !strings.HasPrefix(name, "system.posix_acl_") {
		return "", unix.EPERM
	}
	return name, nil
}

func setxattr(r *request, object string, args []uint64) error {
	name, err := r.attribute(args[0])
	if err != nil {
		return err
	}
	if args[2] > maxAttribute {
		return unix.E2BIG
	}
	value := make([]byte, args[2])
	if err := memory(r.notification, args[1], value); err != nil {
		return err
	}
	return unix.Setxattr(object, name, value, int(int32(args[3])))
}

func removexattr(r *request, object string, args []uint64) error {
	name, err := r.attribute(args[0])
	if err != nil {
		return err
	}
	return unix.Removexattr(object, name)
}
