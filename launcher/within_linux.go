package launcher

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/audit"
)

// A requestServer answers what those inside a session ask.
type requestServer struct {
	r      *started
	pair   *requestPair
	ctx    context.Context
	cancel context.CancelFunc
	busy   sync.WaitGroup
	slots  chan struct{}

	mu    sync.Mutex
	line  string          // the last line of the shell that was let go
	entry int             // of its history
	ended func(told *int) // tells its end; nil when that is told
}

// maxConversations is how many may ask at once; the others wait in their sendmsg.
const maxConversations = 16

func newRequestServer(r *started, p *requestPair) *requestServer {
	d := &requestServer{r: r, pair: p, slots: make(chan struct{}, maxConversations)}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	return d
}

// open begins to answer. The program has its end by now.
func (d *requestServer) open() {
	d.pair.theirs.Close()
	d.busy.Go(d.receive)
}

// close ends all conversations, and returns when their ends are on record.
func (d *requestServer) close() {
	d.cancel()
	_ = unix.Shutdown(d.pair.ours, unix.SHUT_RDWR)
	d.busy.Wait() // the last line may have been let go a moment ago: that it has to end is noted after the answer
	d.told(nil)
	d.busy.Wait()
	d.pair.close()
}

// receive takes conversations until every copy of the program's end is closed.
func (d *requestServer) receive() {
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
		select {
		case d.slots <- struct{}{}:
		case <-d.ctx.Done():
			conn.Close()
			return
		}
		d.busy.Go(func() {
			defer func() { <-d.slots }()
			defer conn.Close()
			d.converse(conn)
		})
	}
}

// streamIn is the connected stream that came with a message; nil where something else did. What a
// process inside sends may be any file, and only such a socket is read from. All that came besides is
// closed: the padding of a message with room for one descriptor has room for a second.
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
			if stream != nil || err != nil || domain != unix.AF_UNIX || kind != unix.SOCK_STREAM || unix.SetNonblock(fd, true) != nil {
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

// converse hears one question and answers it.
func (d *requestServer) converse(conn *os.File) {
	_ = conn.SetReadDeadline(time.Now().Add(questionTime))
	var q Question
	if err := json.NewDecoder(io.LimitReader(conn, maxQuestion)).Decode(&q); err != nil {
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	ctx, cancel := context.WithCancel(d.ctx)
	defer cancel()
	go func() { // whoever asks and dies needs no answer
		_, _ = conn.Read(make([]byte, 1))
		cancel()
	}()
	fd := -1
	if raw, err := conn.SyscallConn(); err == nil {
		_ = raw.Control(func(f uintptr) { fd = int(f) })
	}
	asker := askerAt(fd)
	defer asker.close()
	answer := func(r Reply) {
		_ = conn.SetWriteDeadline(time.Now().Add(questionTime))
		_ = json.NewEncoder(conn).Encode(r)
	}
	req := d.request(q)
	switch {
	case q.Hook:
		answer(Reply{Run: d.r.l.leaves()})
	case q.Check:
		answer(d.check(req))
	case q.Line && d.again(q):
		answer(Reply{Run: true})
	default:
		if err := d.carry(ctx, req, q, asker, answer); err != nil {
			answer(Reply{Exit: ExitOf(err), Error: err.Error()})
		}
	}
}

// request is what was asked, as a request of the session's user. Nothing in it is trusted with more
// than a command line is.
func (d *requestServer) request(q Question) Request {
	req := Request{
		Shell: Shell{
			Text: q.Text, Words: q.Words, Flags: q.Flags, Name: q.Name, Args: q.Args, Script: q.Script, Stdin: q.Stdin,
			Dialect: dialectOf(q.Dialect),
		},
		Env: q.Env, Dir: q.Dir, Agent: q.Agent, WorkItem: q.WorkItem, CallID: q.CallID,
		Profile: d.r.Request.Profile, Wait: time.Duration(q.Wait) * time.Millisecond,
		Within: &Within{Session: d.r.id, Stdin: q.Kind, Line: q.Line},
	}
	if q.Profile == profileCI {
		req.Profile = profileCI // it can only make it stricter
	}
	if req.Agent == "" {
		req.Agent = d.r.Request.Agent
	}
	if req.WorkItem == "" { // part of the work that the session is for
		req.WorkItem = d.r.Request.WorkItem
	}
	return req
}

// leaves reports whether a platform's hook inside may leave its calls to the session: not where a quarantine was ever
// begun, because nobody inside can tell which agent is in it.
func (l *Launcher) leaves() bool {
	_, err := os.Lstat(l.home.Quarantine())
	return errors.Is(err, fs.ErrNotExist)
}

func (d *requestServer) check(req Request) Reply {
	j, err := d.r.l.Judge(req)
	if err != nil {
		return Reply{Exit: ExitOf(err), Error: err.Error()}
	}
	defer j.Close()
	report := j.Report("")
	return Reply{Report: json.RawMessage(report.JSON()), Exit: report.Status()}
}

// again reports whether a line is a further piece of the one that was let go last: what is pasted in
// several lines is one line of the shell's history, and is asked about at each piece.
func (d *requestServer) again(q Question) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return q.Text == d.line && q.Entry == d.entry && strings.Contains(q.Text, "\n") && d.ended != nil
}

// carry judges, records and asks as for any command line. What is let go runs in the fence that is
// there, in the process that asked or in its shell.
func (d *requestServer) carry(ctx context.Context, req Request, q Question, asker asker, answer func(Reply)) error {
	if q.Line {
		d.told(nil)
	}
	l := d.r.l
	told := marker{d: d}
	req.Ask = told.question
	j, err := l.Judge(req)
	if err != nil {
		return err
	}
	r, err := l.announce(j, nil)
	if err != nil {
		_ = j.Close()
		return err
	}
	told.r = r
	if said, status := r.misspelt(ctx); status != 0 {
		r.close()
		answer(Reply{Session: r.id, Exit: status, Line: strings.TrimSuffix(said, "\n")})
		return nil
	}
	p, refusal, err := r.permitted(ctx, l.permit)
	if refusal == nil && err == nil {
		err = p.unswapped()
	}
	if swapped := (*swappedError)(nil); errors.As(err, &swapped) {
		refusal, err = p.swappedRefusal(swapped), nil
		refusal.used = p.authority
	}
	told.settled(refusal)
	if refusal != nil || err != nil {
		err = errors.Join(err, told.refused(refusal))
		r.refused(refusal)
		r.close()
		if refusal != nil {
			answer(Reply{Session: r.id, Exit: refusal.exit, Line: refusal.Line(), Refusal: json.RawMessage(refusal.JSON())})
		}
		return err
	}
	if err := told.runs(p.authority); err != nil {
		r.close()
		return err
	}
	if err := r.record(kindStart, object{
		"within": d.r.id, "pid": asker.pid, "launcher": runner(), "level": d.r.receipt.Level.String(),
		"authority": p.kind(), "envelope_id": p.envelope, "grant_id": p.grant,
	}, audit.Lazy); err != nil {
		r.close()
		return err
	}
	answer(p.letGo())
	if q.Line {
		d.mu.Lock()
		d.line, d.entry, d.ended = q.Text, q.Entry, p.endWithin
		d.mu.Unlock()
		return nil
	}
	p.endWithin(asker.wait(d))
	return nil
}

// letGo tells the process that asked inside that it may run the command: that process starts it.
func (p permitted) letGo() Reply { return Reply{Run: true, Session: p.id, Text: p.Script.Canonical} }

// told records the end of the last line of the shell, with the status that the shell told.
func (d *requestServer) told(status *int) {
	d.mu.Lock()
	ended := d.ended
	d.line, d.ended = "", nil
	d.mu.Unlock()
	if ended != nil {
		d.busy.Go(func() { ended(status) }) // who tells it may be showing output
	}
}

// endWithin records the end of what ran inside. The status is nil where nobody could tell it.
func (p permitted) endWithin(status *int) {
	defer p.close()
	o := object{"within": p.Request.Within.Session, "exited": status != nil, "duration_us": time.Since(p.began).Microseconds()}
	if status != nil {
		o["status"] = *status
	}
	_ = p.record(kindEnd, o, audit.Lazy)
	what := "it ran inside a session and its status was not reported"
	if status != nil {
		what = "status " + strconv.Itoa(*status)
	}
	_ = p.finish(p.l, p.log, what)
}

// An asker is the process at the other end of a conversation.
type asker struct{ pid, fd int }

func askerAt(fd int) asker {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil || cred.Pid <= 0 {
		return asker{fd: -1}
	}
	pidfd, err := unix.PidfdOpen(int(cred.Pid), 0)
	if err != nil {
		pidfd = -1
	}
	return asker{pid: int(cred.Pid), fd: pidfd}
}

func (a asker) close() {
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

// wait returns the status of the process when it has ended, as a shell gives it; nil where this kernel
// does not tell that of another's child.
func (a asker) wait(d *requestServer) *int {
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
		case err == nil && fds[1].Revents != 0: // the socket is closed, or no process inside has it any more
			pause = 1000
		}
	}
	return nil
}

// status asks until the parent has reaped: only then does the kernel tell.
func (a asker) status() *int {
	for range 100 {
		info := pidfdInfo{mask: pidfdInfoExit}
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(a.fd), pidfdGetInfo, uintptr(unsafe.Pointer(&info)))
		if errno != 0 && errno != unix.ESRCH {
			return nil
		}
		if errno == 0 && info.mask&pidfdInfoExit != 0 {
			ws := unix.WaitStatus(info.exit)
			n := ws.ExitStatus()
			if ws.Signaled() {
				n = 128 + int(ws.Signal())
			}
			return &n
		}
		time.Sleep(2 * time.Millisecond)
	}
	return nil
}
