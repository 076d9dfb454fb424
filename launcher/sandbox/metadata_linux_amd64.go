package sandbox

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
func utime(r *request, object string, args []uint64) error {
	if args[0] == 0 {
		return settimes(r, object, nil)
	}
	var b [16]byte
	if err := memory(r.notification, args[0], b[:]); err != nil {
		return err
	}
	return settimes(r, object, &[2]unix.Timespec{{Sec: word(b[0:])}, {Sec: word(b[8:])}})
}

// utimes takes seconds and microseconds.
func utimes(r *request, object string, args []uint64) error {
	if args[0] == 0 {
		return settimes(r, object, nil)
	}
	var b [32]byte
	if err := memory(r.notification, args[0], b[:]); err != nil {
		return err
	}
	a, m := word(b[8:]), word(b[24:])
	if a < 0 || a >= 1e6 || m < 0 || m >= 1e6 {
		return unix.EINVAL
	}
	return settimes(r, object, &[2]unix.Timespec{{Sec: word(b[0:]), Nsec: a * 1000}, {Sec: word(b[16:]), Nsec: m * 1000}})
}
