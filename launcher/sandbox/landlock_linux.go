//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker"
)

// What the sandbox means by its few words, in Landlock's. Making device nodes is in none of them.
const (
	fsRead  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	fsExec  = unix.LANDLOCK_ACCESS_FS_EXECUTE
	fsList  = unix.LANDLOCK_ACCESS_FS_READ_DIR
	fsWrite = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO
	fsDevice = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV

	// fsOfFile are the rights that mean something for what is not a directory; the kernel answers
	// EINVAL to others.
	fsOfFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV |
		unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
)

// An abi is what one version of Landlock can handle. A right that the kernel does not know is
// EINVAL, so each version's rights are listed here instead of being tried.
type abi struct {
	fs, net, scoped uint64
}

// abis holds the versions from 1 (Linux 5.13); a newer kernel is used as the last one known.
var abis = [...]abi{
	1:  {fs: 1<<13 - 1},                                         // 5.13
	2:  {fs: 1<<14 - 1},                                         // 5.19: REFER
	3:  {fs: 1<<15 - 1},                                         // 6.2: TRUNCATE
	4:  {fs: 1<<15 - 1, net: netTCP},                            // 6.7: TCP
	5:  {fs: 1<<16 - 1, net: netTCP},                            // 6.10: IOCTL_DEV
	6:  {fs: 1<<16 - 1, net: netTCP, scoped: scopeAll},          // 6.12: scopes
	7:  {fs: 1<<16 - 1, net: netTCP, scoped: scopeAll},          // 6.15: audit
	8:  {fs: 1<<16 - 1, net: netTCP, scoped: scopeAll},          // 7.0: TSYNC
	9:  {fs: 1<<17 - 1, net: netTCP, scoped: scopeAll},          // 7.1: RESOLVE_UNIX
	10: {fs: 1<<17 - 1, net: netTCP | netUDP, scoped: scopeAll}, // 7.2: UDP
}

const (
	netTCP   = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	netUDP   = unix.LANDLOCK_ACCESS_NET_BIND_UDP | unix.LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP
	scopeAll = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL

	// erratumSignal is the fix without which the signal scope also forbids threads of one process
	// to signal each other, which breaks every Go and Java program: without it the scope counts as
	// missing.
	erratumSignal = 1 << 1
)

// landlock is the Landlock that this kernel has.
type landlock struct {
	version int // 0 when there is none
	errata  int
}

// queryLandlock asks the kernel. The error says why there is no Landlock.
func queryLandlock() (landlock, error) {
	version, _,
		errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0,
		unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		// ENOSYS: not built in; EOPNOTSUPP: built in and not switched on (lsm=)
		return landlock{}, errno
	}
	errata, _,
		errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0,
		unix.LANDLOCK_CREATE_RULESET_ERRATA)
	if errno != 0 {
		errata = 0 // older than the query, so older than the fixes
	}
	return landlock{version: int(version), errata: int(errata)}, nil
}

// handled returns what this Landlock can take away.
func (l landlock) handled() abi {
	a := abis[min(l.version, len(abis)-1)]
	if l.errata&erratumSignal == 0 {
		a.scoped &^= unix.LANDLOCK_SCOPE_SIGNAL
	}
	return a
}

// A ruleset is a Landlock ruleset being filled.
type ruleset struct {
	fd     int
	abi    abi
	rules  int    // how many it has
	buffer []byte // for names that are read
}

// A pathBeneath is a rule. The kernel's struct is packed: 12 bytes, the same as the first 12 of
// this one.
type pathBeneath struct {
	rights uint64
	fd     int32
}

// newRuleset returns a ruleset that takes away everything a can handle.
func newRuleset(a abi) (*ruleset, error) {
	// Each version made the struct longer. A kernel refuses a longer one than it knows only if the
	// rest is not zero, but the size says what the caller means, so unused fields are not sent.
	attr := [3]uint64{a.fs, a.net, a.scoped}
	size := uintptr(24)
	if a.scoped == 0 {
		size = 16
	}
	if a.scoped == 0 && a.net == 0 {
		size = 8
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)),
		size, 0)
	if errno != 0 {
		return nil, &SetupError{"landlock_create_ruleset", errno}
	}
	return &ruleset{fd: int(fd), abi: a}, nil
}

// allow grants rights on the object that fd refers to, and below it when it is a directory.
func (r *ruleset) allow(fd int, rights uint64) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fsOfFile
	}
	return r.addRule(fd, rights)
}

// addRule grants rights that fit the kind of object that fd refers to.
func (r *ruleset) addRule(fd int, rights uint64) error {
	if rights &= r.abi.fs; rights == 0 {
		return nil
	}
	r.rules++
	attr := pathBeneath{rights, int32(fd)}
	_, _, errno := syscall.RawSyscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd),
		unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// allowPath grants rights on p. A name is opened here, once, and the rule is about what was opened.
func (r *ruleset) allowPath(p Path, rights uint64) error {
	if p.NoExec {
		rights &^= fsExec
	}
	if p.File != nil {
		if err := broker.Control(p.File,
			func(fd int) error { return r.allow(fd, rights) }); err != nil {
			return fmt.Errorf("allow %q: %w", p.Name, err)
		}
		return nil
	}
	fd, err := unix.Open(p.Name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		if p.Optional && (err == unix.ENOENT || err == unix.EACCES || err == unix.ENOTDIR) {
			return nil
		}
		return &os.PathError{Op: "open", Path: p.Name, Err: err}
	}
	defer unix.Close(fd)
	if err := r.allow(fd, rights); err != nil {
		return fmt.Errorf("allow %q: %w", p.Name, err)
	}
	return nil
}

// whatIs returns the name that the kernel has for an open file, and its identity.
func whatIs(file *os.File) (name string, st *unix.Stat_t, err error) {
	st = new(unix.Stat_t)
	err = broker.Control(file, func(fd int) error {
		if err := unix.Fstat(fd, st); err != nil {
			return err
		}
		name, err = os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
		return err
	})
	return name, st, err
}
