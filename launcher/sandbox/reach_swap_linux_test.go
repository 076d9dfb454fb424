package sandbox

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// A connectRace is two threads: swap changes what a connect is about while try makes it.
type connectRace struct {
	name string
	swap func(r *connectRacer, odd bool)
}

// A connectRacer is what they share: an address that is the friend's or the foe's, and a number
// that is one socket or another thing.
type connectRacer struct {
	address     unix.RawSockaddrInet4
	friend, foe uint16 // ports, as the address has them
	at, socket  int
	other       int // a socket without a connection
	handle      int // O_PATH
	pair        [2]int
}

var connectRaces = []connectRace{
	{"address in memory", func(r *connectRacer, odd bool) {
		r.address.Port = map[bool]uint16{true: r.friend, false: r.foe}[odd]
	}},
	{"socket under a number", func(r *connectRacer, odd bool) {
		_ = unix.Dup3(map[bool]int{true: r.socket, false: r.other}[odd], r.at, 0)
		r.flip(odd)
	}},
	{"socket that is received", func(r *connectRacer, odd bool) {
		receiveAt(r.pair, map[bool]int{true: r.socket, false: r.other}[odd], r.at)
		r.flip(odd)
	}},
	{"handle under a number", func(r *connectRacer, odd bool) {
		_ = unix.Dup3(map[bool]int{true: r.socket, false: r.handle}[odd], r.at, 0)
		r.flip(odd)
	}},
	{"process that is forked", func(r *connectRacer, odd bool) {
		to := r.address
		to.Port = map[bool]uint16{true: r.foe, false: r.friend}[odd]
		r.fork(&to)
	}},
}

// fork has a copy of the process, with a copy of its descriptors, connect the same socket. A copy
// of a Go program may do no more than call the kernel.
func (r *connectRacer) fork(to *unix.RawSockaddrInet4) {
	pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if pid == 0 && errno == 0 {
		unix.RawSyscall(unix.SYS_CONNECT, uintptr(r.at), uintptr(unsafe.Pointer(to)),
			unix.SizeofSockaddrInet4)
		unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	if errno == 0 {
		_, _ = unix.Wait4(int(pid), nil, 0, nil)
	}
}

func (r *connectRacer) flip(odd bool) {
	r.address.Port = map[bool]uint16{true: r.foe, false: r.friend}[odd]
}

// receiveAt has a descriptor come through a pair of sockets, and puts it under a number.
func receiveAt(pair [2]int, fd, at int) {
	_ = unix.Sendmsg(pair[0], []byte("x"), unix.UnixRights(fd), nil, unix.MSG_DONTWAIT)
	control := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(pair[1], make([]byte, 1), control, unix.MSG_DONTWAIT)
	if err != nil {
		return
	}
	if got, err := unix.ParseSocketControlMessage(control[:n]); err == nil && len(got) == 1 {
		if fds, err := unix.ParseUnixRights(&got[0]); err == nil {
			_ = unix.Dup3(fds[0], at, 0)
			unix.Close(fds[0])
		}
	}
}

// try connects whatever is under the number, and returns the port that a socket has come to.
func (r *connectRacer) try() uint16 {
	unix.RawSyscall(unix.SYS_CONNECT, uintptr(r.at), uintptr(unsafe.Pointer(&r.address)),
		unix.SizeofSockaddrInet4)
	var to uint16
	for _, fd := range []int{r.socket, r.other} {
		if sa, err := unix.Getpeername(fd); err == nil {
			port := sa.(*unix.SockaddrInet4).Port
			to = uint16(port>>8 | port<<8)
		}
	}
	return to
}

// renew replaces the sockets, without a wait for the ports of those that were closed.
func (r *connectRacer) renew() {
	for _, fd := range []*int{&r.socket, &r.other} {
		again, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err == nil {
			_ = unix.SetsockoptLinger(again, unix.SOL_SOCKET, unix.SO_LINGER,
				&unix.Linger{Onoff: 1})
			_ = unix.Dup3(again, *fd, 0)
			unix.Close(again)
		}
	}
	_ = unix.Dup3(r.socket, r.at, 0)
}

// connectRacerMain tries a race as often as args say, and prints whom it reached.
func connectRacerMain(args []string) {
	which, _ := strconv.Atoi(args[0])
	n, _ := strconv.Atoi(args[1])
	port := func(text string) uint16 {
		p, _ := strconv.Atoi(text)
		return uint16(p>>8 | p<<8)
	}
	r := &connectRacer{friend: port(args[2]), foe: port(args[3])}
	r.address = unix.RawSockaddrInet4{Family: unix.AF_INET, Port: r.friend,
		Addr: [4]byte{127, 0, 1, 45}}
	for _, fd := range []*int{&r.socket, &r.other, &r.at, &r.handle} {
		*fd, _ = unix.Open("/", unix.O_PATH, 0)
	}
	r.pair, _ = unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET, 0)
	var swaps atomic.Int64
	go func() {
		runtime.LockOSThread()
		for i := 0; ; i++ {
			connectRaces[which].swap(r, i%2 == 0)
			swaps.Add(1)
		}
	}()
	friends := 0
	for i, last := 0, int64(0); i < n; {
		r.renew()
		switch r.try() {
		case r.foe:
			fmt.Println("the foe was reached")
			os.Exit(0)
		case r.friend:
			friends++
		}
		if now := swaps.Load(); now != last { // a try that nothing happened beside does not count
			i, last = i+1, now
		}
	}
	fmt.Println("raced", friends > 0)
	os.Exit(0)
}

// accepting is a server that waits until each caller hangs up; it returns its port.
func accepting(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.1.45:0")
	must(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = c.Read(make([]byte, 1))
				c.Close()
			}()
		}
	}()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// Whatever another thread changes between the broker's look and its answer, no address is reached
// that no rule allows.
func TestConnectRaces(t *testing.T) {
	friend, foe := accepting(t), accepting(t)
	for i, what := range connectRaces {
		t.Run(what.name, func(t *testing.T) {
			bothLevels(t, func(t *testing.T, p Profile) {
				p.Read = append(p.Read, Path{Name: self(t)})
				p = reaching(p, internet{}, "127.0.1.45:"+friend)
				s, said, _ := talkAs(t, p, self(t), "connect-racer", fmt.Sprint(i),
					fmt.Sprint(hermetic.Rounds(500)), friend, foe)
				if s.Shell() != 0 || said != "raced true\n" {
					t.Errorf("%d %q", s.Shell(), said)
				}
			})
		})
	}
}
