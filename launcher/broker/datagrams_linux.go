//go:build amd64 || arm64

package broker

import (
	"net/netip"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// maxStandIns bounds the descriptors that a run can make the launcher hold. Resolvers use one for
// each lookup under way.
const maxStandIns = 128

// datagrams are what a run gets at base for the UDP sockets that it asks for. A true one could send
// to any address in a call that no filter sees into. This one is an end of a pair of Unix sockets
// that keep the bounds of packets (SOCK_SEQPACKET), with the broker at the other: the kernel
// ignores the address of a send on it, so the packets of programs that connect first, and of those
// that name the server with every packet, come here alone. Lookups of names are answered; there is
// nothing else to talk to. The addresses that the calls of a true socket report, the broker fills
// in: see receive.
type datagrams struct {
	names *nameService

	mu   sync.Mutex
	held map[uint64]*standIn // by the kernel's name for the run's end
}

// A standIn is one of them.
type standIn struct {
	file *os.File       // our end
	six  bool           // it was asked for as one of IPv6
	to   netip.AddrPort // the name server that it is connected to
}

// open makes one and returns the run's end, as socket(2) would.
func (d *datagrams) open(family, kind int) (int, error) {
	const ends = unix.SOCK_SEQPACKET | unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK
	pair, err := unix.Socketpair(unix.AF_UNIX, ends, 0)
	if err != nil {
		return -1, err
	}
	if kind&unix.SOCK_NONBLOCK == 0 {
		err = unix.SetNonblock(pair[1], false)
	}
	cookie, cerr := unix.GetsockoptUint64(pair[1], unix.SOL_SOCKET, unix.SO_COOKIE)
	if err != nil || cerr != nil || !d.answer(cookie, pair[0], family == unix.AF_INET6) {
		unix.Close(pair[0])
		unix.Close(pair[1])
		return -1, unix.ENFILE
	}
	return pair[1], nil
}

// answer answers the lookups that come to our end of a pair, until the run's is closed. It reports
// false when there are too many already.
func (d *datagrams) answer(cookie uint64, fd int, six bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.held) >= maxStandIns {
		return false
	}
	f := os.NewFile(uintptr(fd), "packets")
	if d.held == nil {
		d.held = map[uint64]*standIn{}
	}
	d.held[cookie] = &standIn{file: f, six: six}
	work := d.names.work
	work.readers.Go(func() {
		for {
			packet := make([]byte, 1<<12)
			n, err := f.Read(packet)
			if err != nil || n == 0 {
				break
			}
			work.inTurn(func() {
				if reply := d.names.answer(packet[:n]); reply != nil {
					_ = f.SetWriteDeadline(time.Now().Add(idle)) // the run may not read
					_, _ = f.Write(reply)
				}
			})
		}
		d.mu.Lock()
		delete(d.held, cookie)
		d.mu.Unlock()
		f.Close()
	})
	return true
}

// hangUp ends them all.
func (d *datagrams) hangUp() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.held {
		p.file.Close()
	}
}

// domain returns that of the UDP socket for which one of the run's is a stand-in, 0 for a true one.
func (d *datagrams) domain(fd int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch p := d.at(fd); {
	case p == nil:
		return 0
	case p.six:
		return unix.AF_INET6
	}
	return unix.AF_INET
}

// at returns the stand-in at a socket of the run, or nil. The caller holds mu.
func (d *datagrams) at(fd int) *standIn {
	if len(d.held) == 0 {
		return nil
	}
	cookie, err := unix.GetsockoptUint64(fd, unix.SOL_SOCKET, unix.SO_COOKIE)
	if err != nil {
		return nil
	}
	return d.held[cookie]
}

// connect notes which name server a stand-in is connected to; the zero one is none.
func (d *datagrams) connect(fd int, to netip.AddrPort) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p := d.at(fd); p != nil {
		p.to = to
	}
}

// peer returns the server whose answers come to a stand-in: the one that it is connected to, or the
// first one, whichever was asked. Resolvers that ask several ask the first one too.
func (d *datagrams) peer(fd int) (server netip.AddrPort) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.at(fd)
	if p == nil {
		return server
	}
	for _, s := range append([]netip.AddrPort{p.to}, d.names.servers...) {
		if s.IsValid() && (p.six || s.Addr().Unmap().Is4()) {
			server = netip.AddrPortFrom(s.Addr().Unmap(), s.Port())
			break
		}
	}
	if p.six {
		return mapped(server)
	}
	return server
}
