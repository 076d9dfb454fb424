//go:build amd64 || arm64

package broker

import (
	"path"
	"strconv"

	"golang.org/x/sys/unix"
)

// announce reports what a call is about to change. With alone, the kernel alone decides about the
// call. The error is errSlow when it has to be tried again beside.
func (k *capture) announce(r *fileRequest) (alone bool, err error) {
	if k == nil || r.does == changesNothing || r.announced ||
		k.Strict && (r.does == removes || r.does == moves) {
		return false, nil
	}
	switch r.does {
	case opens:
		if r.flags&unix.O_PATH == 0 && r.flags&nameless == 0 && r.flags&writing != 0 {
			alone, err = k.opens(r, r.flags)
		}
	case cuts:
		_, err = k.opens(r, unix.O_WRONLY)
	case moves:
		alone, err = k.moves(r)
	case links:
		if alone, err = k.entry(r, r.to, r.second); err == nil {
			err = k.source(r)
		}
	default:
		alone, err = k.entry(r, r.at, r.first)
	}
	if err == errSlow {
		return false, err
	}
	if r.announced = true; err != nil && err != errApart {
		k.Miss(r.first, err.Error())
	}
	return alone && err == nil, nil
}

// entry announces one that is made or removed.
func (k *capture) entry(r *fileRequest, at int, name string) (alone bool, err error) {
	d, last, err := k.place(r, at, name)
	if err != nil {
		return false, err
	}
	defer k.leave(d)
	if r.does == removes && r.flags&unix.AT_REMOVEDIR == 0 {
		if k.keeps(d, last) {
			_ = k.Remove(d.fd, d.in, last)
		}
		return d.alone, nil
	}
	defer k.moved() // what is below may have another name now
	switch {
	case r.does == removes && k.keeps(d, last):
		_ = k.Remove(d.fd, d.in, last)
	case r.does != removes && d.keeps != keepsNone:
		_ = k.Make(d.fd, d.in, last)
	}
	return d.alone, nil
}

// bound announces the name of a Unix socket that the kernel makes. With cached the error may be
// errSlow; for any other there is nothing to announce, or what is compared after the run tells.
func (k *capture) bound(c *call, name string, cached uint64) error {
	if k == nil || name == "" {
		return nil
	}
	r := &fileRequest{call: c, fileCall: &fileCall{does: makes}, cached: cached}
	if _, err := k.entry(r, -1, name); err == errSlow {
		return err
	}
	return nil
}

// source announces the file that gets another name, which counts its names.
func (k *capture) source(r *fileRequest) error {
	if _, ok := descriptor(r.first); ok || r.first == "" {
		return nil // most have no name yet
	}
	d, last, err := k.place(r, r.at, r.first)
	if err != nil {
		return err
	}
	defer k.leave(d)
	object, err := unix.Openat(d.fd, last, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == nil {
		k.marks(object, path.Join(d.in, last))
		unix.Close(object)
	}
	return nil
}

// moves announces an entry that is moved, where one of its places is kept.
func (k *capture) moves(r *fileRequest) (alone bool, err error) {
	from, name, err := k.place(r, r.at, r.first)
	if err != nil {
		return false, err
	}
	defer k.leave(from)
	to, toName, err := k.place(r, r.to, r.second)
	if err != nil {
		return false, err
	}
	defer k.leave(to)
	defer k.moved()
	if k.keeps(from, name) || k.keeps(to, toName) {
		_ = k.Move(from.fd, from.in, name, to.fd, to.in, toName, r.flags&unix.RENAME_EXCHANGE != 0)
	}
	return from.alone && to.alone, nil
}

// opens announces a file that is opened for writing, and made where it is not there.
func (k *capture) opens(r *fileRequest, flags uint32) (alone bool, err error) {
	name := r.first
	at := r.at
	for range maxLinks {
		if number, ok := descriptor(name); ok {
			return false, k.descriptor(r, number)
		}
		d, last, err := k.place(r, at, name)
		if err != nil {
			return false, err
		}
		if flags&exclusive == exclusive { // it is made, or the call fails
			if d.keeps != keepsNone {
				_ = k.Make(d.fd, d.in, last)
			}
			k.leave(d)
			return d.alone, nil
		}
		object, err := unix.Openat2(d.fd, last, &unix.OpenHow{
			Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
		switch {
		case err == unix.ENOENT:
			if flags&unix.O_CREAT != 0 && d.keeps != keepsNone {
				_ = k.Make(d.fd, d.in, last)
			}
		case err == nil:
			full := path.Join(d.in, last)
			if !k.Strict && flags&(writing&^unix.O_CREAT) != 0 &&
				(k.keeps(d, last) || k.keepsObject(object, full)) {
				_ = k.Write(object, full)
			}
			unix.Close(object)
		case err == unix.ELOOP && flags&unix.O_NOFOLLOW == 0:
			target, ok := readLink(d.fd, last)
			if name = target; ok && target != "" && target[0] != '/' {
				name = d.in + "/" + target
			}
			k.leave(d)
			if !ok {
				return false, err
			}
			continue
		}
		made := err == unix.ENOENT && d.alone
		k.leave(d)
		return made, nil
	}
	return false, errApart // as the kernel says, too many links
}

// descriptor announces that what one of the caller's own descriptors refers to is opened again.
func (k *capture) descriptor(r *fileRequest, number string) error {
	if k.Strict {
		return nil // see keepsContent
	}
	object, err := handle(r.process() + "fd/" + number)
	if err != nil {
		return errApart
	}
	defer unix.Close(object)
	if name, err := nameOf(object); err == nil && k.keepsObject(object, name) {
		_ = k.Write(object, name)
	}
	return nil
}

// isNew reports whether one of the caller's descriptors writes what was made after the start: most
// that is changed by a descriptor is, as by tar, and two looks at it are all that it takes then.
// The run has made it, or it was announced when it was opened; one that only reads may be of what
// another program made meanwhile. Another machine has its own clock.
func (k *capture) isNew(c *call, descriptor uint64) bool {
	var st, link unix.Statx_t
	const flags = unix.AT_STATX_DONT_SYNC
	name := c.process() + "fd/" + strconv.Itoa(int(int32(descriptor)))
	return k != nil && unix.Statx(unix.AT_FDCWD, name, flags, unix.STATX_BTIME, &st) == nil &&
		st.Btime.Sec != 0 && !onSlow(&st) && k.IsNew(st.Btime.Sec*1e9+int64(st.Btime.Nsec)) &&
		unix.Statx(unix.AT_FDCWD, name, flags|unix.AT_SYMLINK_NOFOLLOW, unix.STATX_MODE,
			&link) == nil && link.Mode&unix.S_IWUSR != 0 // as proc_pid_fd(5) has it
}

// marks announces that the metadata of an object changes.
func (k *capture) marks(object int, name string) {
	if k != nil && k.keepsObject(object, name) {
		_ = k.Mark(object, name)
	}
}
