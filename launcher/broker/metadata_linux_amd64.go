package broker

import "golang.org/x/sys/unix"

// legacyMetadata are calls that newer architectures never had.
var legacyMetadata = []metadataCall{
	{nr: unix.SYS_CHMOD, dir: -1, path: 0, flags: -1, first: 1, act: chmod},
	{nr: unix.SYS_CHOWN, dir: -1, path: 0, flags: -1, first: 1, act: chown},
	{nr: unix.SYS_LCHOWN, dir: -1, path: 0, flags: -1, nofollow: true, first: 1, act: chown},
	{nr: unix.SYS_UTIME, dir: -1, path: 0, flags: -1, first: 1, act: utime},
	{nr: unix.SYS_UTIMES, dir: -1, path: 0, flags: -1, first: 1, act: utimes},
	{nr: unix.SYS_FUTIMESAT, dir: 0, path: 1, flags: -1, emptyOK: true, first: 2, act: utimes},
}

// utime takes seconds.
func utime(c *change, object string, args []uint64) error {
	if args[0] == 0 {
		return settimes(c, object, nil)
	}
	var b [16]byte
	if err := c.read(args[0], b[:]); err != nil {
		return err
	}
	return settimes(c, object, &[2]unix.Timespec{{Sec: word(b[0:])}, {Sec: word(b[8:])}})
}

// utimes takes seconds and microseconds.
func utimes(c *change, object string, args []uint64) error {
	if args[0] == 0 {
		return settimes(c, object, nil)
	}
	var b [32]byte
	if err := c.read(args[0], b[:]); err != nil {
		return err
	}
	access, modified := word(b[8:]), word(b[24:])
	if access < 0 || access >= 1e6 || modified < 0 || modified >= 1e6 {
		return unix.EINVAL
	}
	return settimes(c, object, &[2]unix.Timespec{
		{Sec: word(b[0:]), Nsec: access * 1000},
		{Sec: word(b[16:]), Nsec: modified * 1000},
	})
}
