package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// Requests answers what those inside a session ask.
type Requests struct {
	pair   *Pair
	handle func(ctx context.Context, q Question, a Asker, answer func(Reply))
	ctx    context.Context
	cancel context.CancelFunc
	busy   sync.WaitGroup
	asking chan struct{} // a place for each conversation until its answer
	known  chan struct{} // a place for each conversation and for each command that was let go
}

// NewRequests returns a Requests that answers on a pair; handle answers one question, and returns
// when the process that asked needs nothing more.
func NewRequests(p *Pair, handle func(ctx context.Context, q Question, a Asker,
	answer func(Reply))) *Requests {
	d := &Requests{
		pair: p, handle: handle,
		asking: make(chan struct{}, maxAsking), known: make(chan struct{}, maxKnown),
	}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	return d
}

// Open begins to answer. The program has its end by now.
func (d *Requests) Open() {
	d.pair.theirs.Close()
	d.busy.Go(d.receive)
}

// Go has f done as a part of a conversation, which Stop and Wait wait for.
func (d *Requests) Go(f func()) { d.busy.Go(f) }

// Stopping is closed when Stop has begun.
func (d *Requests) Stopping() <-chan struct{} { return d.ctx.Done() }

// Stop ends all conversations, and returns when they have ended.
func (d *Requests) Stop() {
	d.cancel()
	_ = unix.Shutdown(d.pair.ours, unix.SHUT_RDWR)
	d.busy.Wait()
}

// Close waits for what came after Stop, and lets go of the pair.
func (d *Requests) Close() {
	d.busy.Wait()
	d.pair.Close()
}

// maxAsking is how many are answered at once; the others wait in their sendmsg. maxKnown is how
// many commands that were let go may run besides: for each, descriptors are open until it ends.
const (
	maxAsking = 16
	maxKnown  = 512
)

// receive takes conversations until every copy of the program's end is closed.
func (d *Requests) receive() {
	buf, oob := make([]byte, 16), make([]byte, unix.CmsgSpace(4))
	for {
		n, size, _, _, err := unix.Recvmsg(d.pair.ours, buf, oob, unix.MSG_CMSG_CLOEXEC)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			return
		}
		conn := streamIn(oob[:size])
		if conn == nil {
			continue
		}
		if !d.take(d.known) || !d.take(d.asking) {
			conn.Close()
			return
		}
		d.busy.Go(func() {
			defer func() { <-d.known }()
			// The answer ends the conversation: what was let go may run for days.
			answered := sync.OnceFunc(func() { conn.Close(); <-d.asking })
			defer answered()
			d.converse(conn, answered)
		})
	}
}

// take waits for a place, and reports whether there is one before Stop.
func (d *Requests) take(places chan struct{}) bool {
	select {
	case places <- struct{}{}:
		return true
	case <-d.ctx.Done():
		return false
	}
}

// streamIn is the connected stream that came with a message; nil where something else did. What a
// process inside sends may be any file, and only such a socket is read from. All that came besides
// is closed: the padding of a message with room for one descriptor has room for a second.
func streamIn(oob []byte) (stream *os.File) {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil
	}
	for i := range messages {
		fds, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			continue
		}
		for _, fd := range fds {
			domain, _ := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
			kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
			if stream != nil || err != nil || domain != unix.AF_UNIX || kind != unix.SOCK_STREAM ||
				unix.SetNonblock(fd, true) != nil {
				unix.Close(fd)
				continue
			}
			stream = os.NewFile(uintptr(fd), "conversation")
		}
	}
	return stream
}

// questionTime is how long a question may take to come in: it comes in one piece.
const questionTime = 10 * time.Second

// An Asker is the process at the other end of a conversation.
type Asker struct {
	PID int
	fd  int
}

func askerAt(fd int) Asker {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil || cred.Pid <= 0 {
		return Asker{fd: -1}
	}
	// That of the socket is of no other process that has the number by now, and is had when it has
	// ended, too. Before Linux 6.5 there is none.
	pidfd, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PEERPIDFD)
	if err != nil {
		pidfd, err = unix.PidfdOpen(int(cred.Pid), 0)
	}
	if err != nil {
		pidfd = -1
	}
	return Asker{PID: int(cred.Pid), fd: pidfd}
}

func (a Asker) close() {
	if a.fd >= 0 {
		unix.Close(a.fd)
	}
}

// pidfdInfo is struct pidfd_info of linux/pidfd.h as it was first (Linux 6.13), and the request for
// how a process ended (PIDFD_INFO_EXIT, Linux 6.15).
type pidfdInfo struct {
	mask, cgroup uint64
	ids          [11]uint32
	exit         int32
}

const (
	pidfdGetInfo  = 0xc040ff0b // _IOWR(0xff, 11, struct pidfd_info)
	pidfdInfoExit = 1 << 3
)

// Ended reports whether the process has ended; false if that is not known.
func (a Asker) Ended() bool {
	if a.fd < 0 {
		return false
	}
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(a.fd), Events: unix.POLLIN}}, 0)
	return err == nil && n > 0
}

// Wait returns the status of the process when it has ended, as a shell gives it; nil where this
// kernel does not tell that of another's child.
func (a Asker) Wait(d *Requests) *int {
	if a.fd < 0 {
		return nil
	}
	pause := -1
	for d.ctx.Err() == nil {
		fds := []unix.PollFd{{Fd: int32(a.fd), Events: unix.POLLIN}, {Fd: int32(d.pair.ours)}}
		_, err := unix.Poll(fds, pause)
		switch {
		case err != nil && !errors.Is(err, unix.EINTR):
			return nil
		case err == nil && fds[0].Revents != 0:
			return a.status()
		case err == nil && fds[1].Revents != 0:
			// the socket is closed, or no process inside has it any more
			pause = 1000
		}
	}
	return nil
}

// status is that of a process that has ended. If its parent has reaped it, PIDFD_GET_INFO has it;
// before that, /proc does.
func (a Asker) status() *int {
	if n := a.unreaped(); n != nil {
		return n
	}
	for range 100 {
		info := pidfdInfo{mask: pidfdInfoExit}
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(a.fd), pidfdGetInfo,
			uintptr(unsafe.Pointer(&info)))
		if errno != 0 && errno != unix.ESRCH {
			return nil
		}
		if errno == 0 && info.mask&pidfdInfoExit != 0 {
			return shellStatus(int(info.exit))
		}
		time.Sleep(2 * time.Millisecond)
	}
	return nil
}

// unreaped is the status of a process that its parent has not reaped; nil where it has. Until then
// no other process has its number. The kernel shows the status to those that it shows the
// namespaces to, and zero to others.
func (a Asker) unreaped() *int {
	dir := proc.Dir(a.PID)
	_, denied := os.Readlink(dir + "ns/user")
	text, err := os.ReadFile(dir + "stat")
	if denied != nil || err != nil || unix.PidfdSendSignal(a.fd, 0, nil, 0) != nil {
		return nil
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 50 || fields[0] != "Z" {
		return nil
	}
	raw, err := strconv.Atoi(fields[49]) // exit_code of proc_pid_stat(5)
	if err != nil {
		return nil
	}
	return shellStatus(raw)
}

// shellStatus is a wait status as a shell gives it.
func shellStatus(raw int) *int {
	ws := unix.WaitStatus(raw)
	n := ws.ExitStatus()
	if ws.Signaled() {
		n = 128 + int(ws.Signal())
	}
	return &n
}

// converse takes one question and has it answered.
func (d *Requests) converse(conn *os.File, answered func()) {
	_ = conn.SetReadDeadline(time.Now().Add(questionTime))
	var q Question
	if err := json.NewDecoder(io.LimitReader(conn, maxQuestion)).Decode(&q); err != nil {
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	ctx, cancel := context.WithCancel(d.ctx)
	defer cancel()
	go func() { // a process that asks and dies needs no answer
		_, _ = conn.Read(make([]byte, 1))
		cancel()
	}()
	fd := -1
	if raw, err := conn.SyscallConn(); err == nil {
		_ = raw.Control(func(f uintptr) { fd = int(f) })
	}
	asker := askerAt(fd)
	defer asker.close()
	d.handle(ctx, q, asker, func(r Reply) {
		_ = conn.SetWriteDeadline(time.Now().Add(questionTime))
		_ = json.NewEncoder(conn).Encode(r)
		answered()
	})
}
