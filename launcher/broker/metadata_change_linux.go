//go:build amd64 || arm64

package broker

import (
	"encoding/binary"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// A metadataCall is one system call that changes metadata, and the places of its arguments; -1 is
// none.
type metadataCall struct {
	nr                uint32
	dir, path, flags  int  // without a path, dir is the object
	nofollow, emptyOK bool // emptyOK: a path of NULL means dir itself
	first             int  // of the arguments that act takes
	act               func(c *change, object string, args []uint64) error
}

// isOpen reports whether a call is about what is open.
func (m *metadataCall) isOpen(c *call) bool {
	return m.path < 0 || m.emptyOK && c.Args[m.path] == 0
}

// isSticky reports whether a descriptor's object is to get a sticky bit, which depends on where it
// is.
func (m *metadataCall) isSticky(c *call) bool {
	return m.nr == unix.SYS_FCHMOD && c.Args[1]&unix.S_ISVTX != 0
}

// A change is one being made.
type change struct {
	*call
	uid    uint32
	object unix.Stat_t
	view   bool // it is in a shared directory
}

// own reports whether the object is the user's, as only its owner may change most of this. The
// launcher may be root with all capabilities; the caller has none.
func (c *change) own() bool { return c.object.Uid == c.uid }

func chmod(c *change, object string, args []uint64) error {
	switch {
	case c.object.Mode&unix.S_IFMT == unix.S_IFLNK:
		return unix.EOPNOTSUPP
	case !c.own() || args[0]&(unix.S_ISUID|unix.S_ISGID) != 0,
		c.view && args[0]&unix.S_ISVTX != 0:
		return unix.EPERM
	}
	return unix.Fchmodat(unix.AT_FDCWD, object, uint32(args[0])&0o7777, 0)
}

// chown lets the owner say what is so already, as tar and cp do; to give something to another
// group, one has to be in it.
func chown(c *change, object string, args []uint64) error {
	const same = ^uint32(0)
	uid, gid := uint32(args[0]), uint32(args[1])
	sameUser, sameGroup := uid == same || uid == c.object.Uid, gid == same || gid == c.object.Gid
	if sameUser && sameGroup {
		return nil
	}
	groups, err := unix.Getgroups()
	member := int(gid) == unix.Getegid() || slices.Contains(groups, int(gid))
	if err != nil || !c.own() || !sameUser || !member {
		return unix.EPERM
	}
	return unix.Fchownat(unix.AT_FDCWD, object, -1, int(gid), 0)
}

func utimens(c *change, object string, args []uint64) error {
	if args[0] == 0 {
		return settimes(c, object, nil)
	}
	var b [32]byte
	if err := c.read(args[0], b[:]); err != nil {
		return err
	}
	times := [2]unix.Timespec{
		{Sec: word(b[0:]), Nsec: word(b[8:])},
		{Sec: word(b[16:]), Nsec: word(b[24:])},
	}
	return settimes(c, object, &times)
}

func word(b []byte) int64 { return int64(binary.NativeEndian.Uint64(b)) }

// settimes sets times; nil is now, which a process that may write may say too.
func settimes(c *change, object string, times *[2]unix.Timespec) error {
	mayWrite := func() bool {
		return c.uid != 0 &&
			unix.Faccessat(unix.AT_FDCWD, object, unix.W_OK, unix.AT_EACCESS) == nil
	}
	if !c.own() && (times != nil || !mayWrite()) {
		return unix.EPERM
	}
	if times == nil {
		times = &[2]unix.Timespec{{Nsec: unix.UTIME_NOW}, {Nsec: unix.UTIME_NOW}}
	}
	return unix.UtimesNanoAt(unix.AT_FDCWD, object, times[:], 0)
}

// maxAttribute is the kernel's bound for the value of an attribute (XATTR_SIZE_MAX),
// maxAttributeName that for its name.
const (
	maxAttribute     = 64 << 10
	maxAttributeName = 256
)

// attribute reads the name of an attribute that a user may change: security.* and trusted.* take
// capabilities, which the launcher may have and the caller has not.
func (c *change) attribute(address uint64) (string, error) {
	name, err := c.text(address, maxAttributeName)
	if err != nil {
		return "", unix.ERANGE
	}
	users := strings.HasPrefix(name, "user.") || strings.HasPrefix(name, "system.posix_acl_")
	if !c.own() || !users {
		return "", unix.EPERM
	}
	return name, nil
}

func setxattr(c *change, object string, args []uint64) error {
	name, err := c.attribute(args[0])
	if err != nil {
		return err
	}
	if args[2] > maxAttribute {
		return unix.E2BIG
	}
	value := make([]byte, args[2])
	if err := c.read(args[1], value); err != nil {
		return err
	}
	return unix.Setxattr(object, name, value, int(int32(args[3])))
}

func removexattr(c *change, object string, args []uint64) error {
	name, err := c.attribute(args[0])
	if err != nil {
		return err
	}
	return unix.Removexattr(object, name)
}
