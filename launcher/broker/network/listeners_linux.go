package network

import (
	"encoding/binary"
	"iter"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// Listeners asks the kernel which sockets of this machine take TCP connections on a port
// (sock_diag(7)).
func (Stub) Listeners(port uint16) ([]Listener, error) {
	four, err := listeners(unix.AF_INET, port)
	if err != nil {
		return nil, err
	}
	six, err := listeners(unix.AF_INET6, port)
	if err == unix.ENOENT || err == unix.EAFNOSUPPORT { // a kernel without IPv6
		err = nil
	}
	return append(four, six...), err
}

func listeners(family byte, port uint16) (list []Listener, err error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	if err := unix.Sendto(fd, askListeners(family, port), 0,
		&unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, err
	}
	answer := make([]byte, 32<<10)
	for {
		n, _, err := unix.Recvfrom(fd, answer, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, err
		}
		messages, err := syscall.ParseNetlinkMessage(answer[:n])
		if err != nil {
			return nil, err
		}
		for _, m := range messages {
			switch {
			case m.Header.Type == unix.NLMSG_DONE:
				return list, nil
			case m.Header.Type == unix.NLMSG_ERROR && len(m.Data) >= 4:
				return nil, unix.Errno(-int32(binary.NativeEndian.Uint32(m.Data)))
			case m.Header.Type != unix.SOCK_DIAG_BY_FAMILY || len(m.Data) < diagSize:
				return nil, unix.EBADMSG
			}
			if binary.BigEndian.Uint16(m.Data[diagPort:]) == port {
				list = append(list, listenerOf(m.Data))
			}
		}
	}
}

// The offsets in struct inet_diag_msg, and the attribute that says whether a socket of IPv6 takes
// IPv4.
const (
	diagPort   = 4
	diagFrom   = 8
	diagCookie = 44
	diagUID    = 64
	diagInode  = 68
	diagSize   = 72
	diagOnly6  = 11
)

func listenerOf(m []byte) Listener {
	order := binary.NativeEndian
	l := Listener{
		Socket: uint64(order.Uint32(m[diagCookie:])) | uint64(order.Uint32(m[diagCookie+4:]))<<32,
		Addr:   netip.AddrFrom16([16]byte(m[diagFrom : diagFrom+16])),
		UID:    order.Uint32(m[diagUID:]), Inode: order.Uint32(m[diagInode:]),
	}
	if m[0] == unix.AF_INET {
		l.Addr = netip.AddrFrom4([4]byte(m[diagFrom : diagFrom+4]))
	}
	for a := m[diagSize:]; len(a) >= 5; {
		size := int(order.Uint16(a))
		if size < 5 || size > len(a) {
			break
		}
		if order.Uint16(a[2:]) == diagOnly6 {
			l.Only6 = a[4] != 0
		}
		a = a[min(len(a), (size+3)&^3):]
	}
	return l
}

// askListeners is the message SOCK_DIAG_BY_FAMILY about the sockets that listen on a port.
func askListeners(family byte, port uint16) []byte {
	const listening, size = 1 << 10, unix.SizeofNlMsghdr + 56 // struct inet_diag_req_v2
	m, order := make([]byte, size), binary.NativeEndian
	order.PutUint32(m, size)
	order.PutUint16(m[4:], unix.SOCK_DIAG_BY_FAMILY)
	order.PutUint16(m[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	m[16], m[17] = family, unix.IPPROTO_TCP
	order.PutUint32(m[20:], listening)
	binary.BigEndian.PutUint16(m[24:], port)
	return m
}

// owner names the program that has a listener: the first of its processes.
func owner(l Listener) string {
	for h := range holding(l) {
		return h.String()
	}
	return ofUser(l)
}

// holders are the processes that have a listener and can be looked at.
func holders(l Listener) []Holder { return slices.Collect(holding(l)) }

func holding(l Listener) iter.Seq[Holder] {
	link := "socket:[" + strconv.FormatUint(uint64(l.Inode), 10) + "]"
	return func(yield func(Holder) bool) {
		for _, pid := range proc.Processes() {
			process := proc.Dir(pid)
			if !has(process+"fd", link) {
				continue
			}
			program, err := os.Readlink(process + "exe")
			dir, _ := os.Readlink(process + "cwd")
			if err == nil && !yield(Holder{pid, program, dir}) {
				return
			}
		}
	}
}

// has reports whether a folder of a process's descriptors has one that leads to link.
func has(folder, link string) bool {
	fds, _ := os.ReadDir(folder)
	return slices.ContainsFunc(fds, func(fd os.DirEntry) bool {
		to, err := os.Readlink(folder + "/" + fd.Name())
		return err == nil && to == link
	})
}
