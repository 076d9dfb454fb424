//go:build amd64 || arm64

package attack

import (
	"errors"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// detours are attacks on a sandbox that lets one host be reached: by way of it, or in its name, to
// another.
var detours = []Attack{
	{Name: "connect, take back, connect", try: func(w World) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		_ = connect(fd, sockaddr(w.Friend))
		if err := connect(fd, &unix.RawSockaddrInet4{Family: unix.AF_UNSPEC}); err != nil {
			return err
		}
		return connect(fd, sockaddr(w.TCP))
	}},
	{Name: "address swapped by another thread", try: swapped},
	{Name: "descriptor swapped by another thread", try: swappedSocket},
	{Name: "address at the end of a page", try: func(w World) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		page := unix.Getpagesize()
		m, err := unix.Mmap(-1, 0, 2*page, unix.PROT_READ|unix.PROT_WRITE,
			unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
		if err != nil {
			return err
		}
		if err := unix.Mprotect(m[page:], unix.PROT_NONE); err != nil {
			return err
		}
		sa := (*unix.RawSockaddrInet4)(unsafe.Pointer(&m[page-unix.SizeofSockaddrInet4]))
		*sa = *sockaddr(w.TCP)
		return connect(fd, sa)
	}},
	{Name: "IPv4 in IPv6", try: func(w World) error {
		fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		six := mapped(sockaddr(w.TCP))
		return call(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(six)),
			unix.SizeofSockaddrInet6)
	}},
	{Name: "the unspecified address", try: func(w World) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		sa := sockaddr(w.TCP)
		sa.Addr = [4]byte{}
		return connect(fd, sa)
	}},
	{Name: "connect that does not block", try: func(w World) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			return err
		}
		if err := connect(fd, sockaddr(w.TCP)); err != unix.EINPROGRESS && err != nil {
			return err
		}
		if _, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}},
			2000); err != nil {
			return err
		}
		_, err = unix.Getpeername(fd)
		return err
	}},
	{Name: "source route", near: true, Root: true, try: func(World) error {
		return option(unix.AF_INET, unix.SOL_IP, unix.IP_OPTIONS,
			[]byte{131, 7, 4, 127, 0, 0, 9, 0})
	}},
	{Name: "source route, high bits", near: true, Root: true, try: func(World) error {
		return option(unix.AF_INET, 1<<32|unix.SOL_IP, 1<<32|unix.IP_OPTIONS,
			[]byte{131, 7, 4, 127, 0, 0, 9, 0})
	}},
	{Name: "routing header", near: true, try: func(World) error {
		header := make([]byte, 24) // RFC 8754: one segment
		header[1], header[2], header[23] = 2, 4, 1
		return option(unix.AF_INET6, unix.SOL_IPV6, unix.IPV6_RTHDR, header)
	}},
	{Name: "datagram by sendmsg", try: func(w World) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		if err := unix.Sendmsg(fd, []byte("x"), nil,
			&unix.SockaddrInet4{Port: port(w.UDP), Addr: [4]byte{127, 0, 0, 1}}, 0); err != nil {
			return err
		}
		return answered(fd)
	}},
	{Name: "datagram by a connected socket", try: func(w World) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		if err := unix.Connect(fd,
			&unix.SockaddrInet4{Port: port(w.UDP), Addr: [4]byte{127, 0, 0, 1}}); err != nil {
			return err
		}
		if _, err := unix.Write(fd, []byte("x")); err != nil {
			return err
		}
		return answered(fd)
	}},
}

func connect(fd int, sa *unix.RawSockaddrInet4) error {
	return call(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(sa)),
		unix.SizeofSockaddrInet4)
}

func port(address string) int {
	sa := sockaddr(address)
	return int(sa.Port>>8 | sa.Port<<8)
}

// answered waits for the echo of a datagram.
func answered(fd int) error {
	if n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 2000); err != nil ||
		n == 0 {
		return errors.Join(err, errors.New("no answer"))
	}
	_, err := unix.Read(fd, make([]byte, 1))
	return err
}

// option sets an option of a new TCP socket.
func option(family int, level, name uintptr, value []byte) error {
	fd, err := unix.Socket(family, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	return call(unix.SYS_SETSOCKOPT, uintptr(fd), level, name, uintptr(unsafe.Pointer(&value[0])),
		uintptr(len(value)))
}

// swaps is how often the other thread has to have swapped before the attack counts as refused.
func swaps() int64 { return int64(races) * 50 }

// swapped connects while another thread writes first the one address and then the other into the
// same memory.
func swapped(w World) error {
	friend, foe := sockaddr(w.Friend), sockaddr(w.TCP)
	shared := *friend
	// Family and port are one word, and only they differ.
	word := (*atomic.Uint32)(unsafe.Pointer(&shared))
	one, other := *(*uint32)(unsafe.Pointer(friend)), *(*uint32)(unsafe.Pointer(foe))
	var count atomic.Int64
	go func() {
		runtime.LockOSThread()
		for {
			word.Store(other)
			word.Store(one)
			count.Add(2)
		}
	}()
	for begin := time.Now(); time.Since(begin) < 7*turns() ||
		count.Load() < swaps() && time.Since(begin) < patience()/2; {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		if connect(fd, &shared) == nil {
			peer, err := unix.Getpeername(fd)
			if four, ok := peer.(*unix.SockaddrInet4); err == nil && ok &&
				four.Port == port(w.TCP) {
				return nil
			}
		}
		unix.Close(fd)
	}
	return errors.New("it always reached the allowed server, or none")
}

// exchange puts one socket and then the other under a number, again and again.
func exchange(number, one, other int) {
	runtime.LockOSThread()
	for {
		_ = unix.Dup3(one, number, 0)
		_ = unix.Dup3(other, number, 0)
	}
}

// swappedSocket connects while another thread puts a datagram socket under the number, which may go
// where the other may not.
func swappedSocket(w World) error {
	tcp, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	other, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	number, err := unix.Dup(tcp)
	if err != nil {
		return err
	}
	go exchange(number, other, tcp)
	for range tries(races) {
		_ = connect(number, sockaddr(w.TCP))
		for _, fd := range []int{tcp, other} {
			if peer, err := unix.Getpeername(fd); err == nil {
				if four, ok := peer.(*unix.SockaddrInet4); ok && four.Port == port(w.TCP) {
					return nil
				}
			}
		}
	}
	return errors.New("nobody was reached")
}
