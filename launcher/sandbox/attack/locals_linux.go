//go:build amd64 || arm64

package attack

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// locals are attacks on a sandbox in which a run may connect to its own Unix sockets: they try to
// reach those of other programs through them.
var locals = []Attack{
	{Name: "unix socket by a link", try: func(w World) error {
		link := w.Workspace + "/link"
		if err := os.Symlink(w.Unix, link); err != nil {
			return err
		}
		return connectLocal(unix.AF_UNIX, unix.SOCK_STREAM, link)
	}},
	{Name: "unix socket by a descriptor", try: func(w World) error {
		fd, err := unix.Open(filepath.Dir(w.Unix), unix.O_PATH, 0)
		if err != nil {
			return err
		}
		if err := unix.Dup3(fd, 9, 0); err != nil {
			return err
		}
		return connectLocal(unix.AF_UNIX, unix.SOCK_STREAM,
			"/proc/self/fd/9/"+filepath.Base(w.Unix))
	}},
	{Name: "unix socket from its folder", try: func(w World) error {
		if err := os.Chdir(filepath.Dir(w.Unix)); err != nil {
			return err
		}
		return connectLocal(unix.AF_UNIX, unix.SOCK_STREAM, filepath.Base(w.Unix))
	}},
	{Name: "unix socket, the address swapped",
		try: func(w World) error { return swappedLocal(w, true) }},
	{Name: "unix socket, the name swapped",
		try: func(w World) error { return swappedLocal(w, false) }},
	{Name: "unix socket of a number used before", try: func(w World) error {
		// A name that the run listened on and closed must not count for the process that gets the
		// number of its file.
		name := w.Workspace + "/gone"
		if fd, err := ownLocal(name); err == nil {
			unix.Close(fd)
			_ = os.Remove(name)
		}
		return connectLocal(unix.AF_UNIX, unix.SOCK_STREAM, w.Unix)
	}},
	{Name: "listen, the socket swapped", serves: true, try: swappedBind},
}

// ownLocal listens at a name.
func ownLocal(name string) (int, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrUnix{Name: name})
	}
	if err == nil {
		err = unix.Listen(fd, 16)
	}
	return fd, err
}

// swappedLocal connects while another thread writes the name of an own socket and that of a foreign
// one in turn into the same memory, or swaps what is under one name.
func swappedLocal(w World, memory bool) error {
	own, name := w.Workspace+"/s", w.Workspace+"/name"
	server, err := ownLocal(own)
	if err == nil {
		err = unix.SetNonblock(server, true)
	}
	if err != nil { // no such sockets here, so there is nothing to swap
		return connectLocal(unix.AF_UNIX, unix.SOCK_STREAM, w.Unix)
	}
	if err := errors.Join(os.Symlink(own, name+"1"), os.Symlink(w.Unix, name+"2")); err != nil {
		return err
	}
	shared := localAddress(name + "1") // of which the last byte is swapped
	at := 2 + len(name)
	word := (*atomic.Uint32)(unsafe.Pointer(&shared.words[at/4]))
	one, other := shared.words[at/4], localAddress(name + "2").words[at/4]
	var count atomic.Int64
	go func() {
		runtime.LockOSThread()
		for {
			if memory {
				word.Store(other)
				word.Store(one)
			} else {
				_ = unix.Renameat2(unix.AT_FDCWD, name+"1", unix.AT_FDCWD, name+"2",
					unix.RENAME_EXCHANGE)
			}
			count.Add(2)
		}
	}()
	for begin := time.Now(); time.Since(begin) < 7*turns() ||
		count.Load() < swaps() && time.Since(begin) < patience()/2; {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		if call(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(shared)),
			unix.SizeofSockaddrUnix) == nil {
			peer, err := unix.Getpeername(fd)
			if sa, ok := peer.(*unix.SockaddrUnix); err == nil && ok && sa.Name == w.Unix {
				return nil
			}
		}
		if taken, _, err := unix.Accept(server); err == nil {
			unix.Close(taken)
		}
		unix.Close(fd)
	}
	return errors.New("it always reached its own server, or none")
}

// An address is a struct sockaddr_un that is written as words.
type address struct {
	words [unix.SizeofSockaddrUnix/4 + 1]uint32
}

func localAddress(name string) *address {
	a := &address{}
	b := (*[unix.SizeofSockaddrUnix]byte)(unsafe.Pointer(a))
	b[0] = unix.AF_UNIX
	copy(b[2:], name)
	return a
}

// swappedBind binds a Unix socket while another thread puts a TCP one under the number, and listens
// with that.
func swappedBind(w World) error {
	tcp, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	number, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	other, err := unix.Dup(number)
	if err != nil {
		return err
	}
	go exchange(number, tcp, other)
	everywhere := sockaddr(w.Listen)
	everywhere.Addr = [4]byte{}
	bound := error(unix.EACCES)
	for begin := time.Now(); bound != nil && time.Since(begin) < 2*time.Second; {
		bound = call(unix.SYS_BIND, uintptr(number), uintptr(unsafe.Pointer(everywhere)),
			unix.SizeofSockaddrInet4)
	}
	if bound != nil {
		return bound
	}
	if err := unix.Listen(tcp, 1); err != nil {
		return err
	}
	if n, err := unix.Poll([]unix.PollFd{{Fd: int32(tcp), Events: unix.POLLIN}},
		1000); err != nil || n == 0 {
		return errors.Join(err, errors.New("nobody came"))
	}
	return nil
}
