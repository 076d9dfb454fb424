//go:build amd64 || arm64

package broker

import (
	"encoding/binary"
	"errors"

	"golang.org/x/sys/unix"
)

// boundFile asks the kernel which file a Unix socket of the launcher's network is bound to.
func boundFile(socket int) (dev, ino uint64, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(socket, &st); err != nil {
		return 0, 0, err
	}
	err = unix.ENOENT
	bad := askUnix(unix.NLM_F_REQUEST, ^uint32(0), uint32(st.Ino), func(its uint32, d, i uint64) {
		if its == uint32(st.Ino) {
			dev, ino, err = d, i, nil
		}
	})
	return dev, ino, errors.Join(err, bad)
}

// listenersAt returns the numbers of the sockets of the launcher's network that listen at the file:
// more than one if the lower half of its number is another file's too.
func listenersAt(st *unix.Stat_t) (list []uint32) {
	const listening = 1 << 10
	flags := uint16(unix.NLM_F_REQUEST | unix.NLM_F_DUMP)
	_ = askUnix(flags, listening, 0, func(its uint32, dev, ino uint64) {
		if dev == st.Dev && ino == uint64(uint32(st.Ino)) {
			list = append(list, its)
		}
	})
	return list
}

// askUnix asks the kernel for Unix sockets (unix_diag, sock_diag(7)): the one with a number, or all
// in some states. It calls tell for each with its number and with the device and the lower half of
// the number of the file that it is bound to.
func askUnix(flags uint16, states, number uint32, tell func(its uint32, dev, ino uint64)) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC,
		unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	order := binary.NativeEndian
	request := make([]byte, 40) // nlmsghdr, unix_diag_req
	order.PutUint32(request[0:], uint32(len(request)))
	order.PutUint16(request[4:], unix.SOCK_DIAG_BY_FAMILY)
	order.PutUint16(request[6:], flags)
	request[16] = unix.AF_UNIX
	order.PutUint32(request[20:], states)
	order.PutUint32(request[24:], number)
	order.PutUint32(request[28:], 2)          // UDIAG_SHOW_VFS
	order.PutUint64(request[32:], ^uint64(0)) // whatever its cookie
	if err := unix.Sendto(fd, request, 0,
		&unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	answer := make([]byte, 32<<10)
	for {
		n, _, err := unix.Recvfrom(fd, answer, 0)
		if err != nil {
			return err
		}
		seen := false
		for kind, m := range netlinkMessages(answer[:n]) {
			seen = true
			if kind != unix.SOCK_DIAG_BY_FAMILY { // the end, or an error
				return nil
			}
			fileOfMessage(m, tell)
		}
		if !seen || flags&unix.NLM_F_DUMP == 0 {
			return nil
		}
	}
}

// fileOfMessage reads a unix_diag_msg with its attributes.
func fileOfMessage(b []byte, tell func(its uint32, dev, ino uint64)) {
	const head, file = 16, 1 // UNIX_DIAG_VFS: number, device
	order := binary.NativeEndian
	if len(b) < head {
		return
	}
	for rest := b[head:]; len(rest) >= 4; {
		size := int(order.Uint16(rest))
		if size < 4 || size > len(rest) {
			return
		}
		if order.Uint16(rest[2:]) == file && size >= 12 {
			d := order.Uint32(rest[8:]) // as the kernel keeps it: 12 bits and 20
			dev := unix.Mkdev(d>>20, d&(1<<20-1))
			tell(order.Uint32(b[4:]), dev, uint64(order.Uint32(rest[4:])))
		}
		rest = rest[min(len(rest), (size+3)&^3):]
	}
}
