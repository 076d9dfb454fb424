package launcher

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/control"
	"github.com/tada-run/tada-run/launcher/live"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/launcher/session/wire"
	"github.com/tada-run/tada-run/launcher/shell"
)

// A held is a session in this process, and its starter.
type held struct {
	t     testing.TB
	l     *Launcher
	id    string
	front *talker
	ended chan Outcome
}

func hold(t testing.TB, words ...string) *held {
	t.Helper()
	dir := t.TempDir()
	l, err := own(filepath.Join(dir, "state")).Open()
	if err != nil {
		t.Fatal(err)
	}
	return holdWith(t, l, dir, words...)
}

func holdWith(t testing.TB, l *Launcher, dir string, words ...string) *held {
	t.Helper()
	ours, theirs, err := session.Peers()
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.SetNonblock(int(theirs.Fd()), true); err != nil {
		t.Fatal(err)
	}
	fd, _ := unix.Dup(int(theirs.Fd()))
	_ = unix.SetNonblock(fd, true)
	theirs.Close()
	h := &held{t: t, l: l, front: newTalker(t, ours), ended: make(chan Outcome, 1)}
	started := make(chan string, 1)
	ctx, cancel := context.WithCancel(context.Background())
	null, _ := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(started)
		out, err := l.Run(ctx, Request{
			Shell: shell.Call{Words: words, Name: "tada-run"}, Dir: dir,
			Env:   []string{"PATH=/usr/bin:/bin", "TERM=xterm"},
			Stdio: session.Stdio{In: null, Out: null, Err: null}, Agent: "bot",
			Hold:    &Hold{Front: os.NewFile(uintptr(fd), "front"), Author: "agent:?bot"},
			Started: func(id string) { started <- id },
		})
		if err != nil || out.Refusal != nil {
			t.Errorf("the session did not run: %v %v", err, out.Refusal)
		}
		h.ended <- out
	}()
	t.Cleanup(func() { cancel(); <-done; null.Close() })
	h.id = <-started
	if h.id == "" {
		t.FailNow()
	}
	h.front.send(wire.JSON(wire.Hello, 0, wire.Greeting{Cols: 80, Rows: 24}))
	if _, err := h.front.next(wire.State); err != nil { // before it nothing can be typed
		t.Fatal(err)
	}
	return h
}

// A talker is a client that says what it wants.
type talker struct {
	t      testing.TB
	conn   *os.File
	r      *wire.Reader
	status wire.Status
	epoch  uint32
	seen   strings.Builder
}

func newTalker(t testing.TB, conn *os.File) *talker {
	t.Cleanup(func() { conn.Close() })
	return &talker{t: t, conn: conn, r: wire.NewReader(conn)}
}

func (c *talker) send(f wire.Frame) { _, _ = c.conn.Write(wire.Append(nil, f)) }

// next reads frames up to one of that kind, and fails after a time that is long for any machine.
func (c *talker) next(kind wire.Kind) (wire.Frame, error) {
	_ = c.conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	for {
		f, err := c.r.Next()
		if err != nil {
			return f, err
		}
		switch f.Kind {
		case wire.State:
			_ = json.Unmarshal(f.Body, &c.status)
			c.epoch = f.Epoch
		case wire.Output, wire.Redraw:
			c.seen.Write(f.Body)
		}
		if f.Kind == kind {
			return f, nil
		}
	}
}

func (c *talker) notice() wire.Notice {
	c.t.Helper()
	f, err := c.next(wire.Tell)
	if err != nil {
		c.t.Fatal("no notice:", err)
	}
	var n wire.Notice
	_ = json.Unmarshal(f.Body, &n)
	return n
}

// shows reads until text was output.
func (c *talker) shows(text string) {
	c.t.Helper()
	for !strings.Contains(c.seen.String(), text) {
		if _, err := c.next(wire.Output); err != nil {
			c.t.Fatalf("%q never came: %v; %q", text, err, c.seen.String())
		}
	}
}

func (h *held) join() *talker {
	h.t.Helper()
	conn, _, err := h.l.Live().Dial(h.id)
	if err != nil {
		h.t.Fatal(err)
	}
	return newTalker(h.t, conn)
}

// Half a frame, a giant one, one of an unknown kind, orders before a greeting, too much input at
// once and input of an old epoch: the client that sends one is cut off or refused, and the session
// continues.
func TestBadClients(t *testing.T) {
	t.Parallel()
	h := hold(t, "cat")
	cut := func(name string, bytes ...[]byte) {
		t.Helper()
		c := h.join()
		for _, b := range bytes {
			_, _ = c.conn.Write(b)
		}
		if _, err := c.next(wire.End); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: %v, want to be cut off", name, err)
		}
	}
	hello := wire.Append(nil, wire.JSON(wire.Hello, 0, wire.Greeting{Cols: 80, Rows: 24}))
	cut("a giant frame", hello, binary.BigEndian.AppendUint32([]byte{'i', 0, 0, 0, 1}, 1<<31))
	cut("another protocol", []byte("GET / HTTP/1.1\r\n\r\n"))
	cut("no greeting", wire.Append(nil, wire.Frame{Kind: wire.Kill}))
	cut("a greeting that is no JSON",
		wire.Append(nil, wire.Frame{Kind: wire.Hello, Body: []byte("{")}))
	cut("a holder's frame", hello, wire.Append(nil, wire.Frame{Kind: wire.Output}))
	cut("a size of three bytes", hello,
		wire.Append(nil, wire.Frame{Kind: wire.Window, Body: []byte("abc")}))

	half := h.join()
	_, _ = half.conn.Write(hello[:7])
	_ = half.conn.Close() // in the middle of it

	watcher := h.join()
	_, _ = watcher.conn.Write(hello)
	if _, err := watcher.next(wire.State); err != nil {
		t.Fatal(err)
	}
	watcher.send(wire.Frame{Kind: wire.Input, Epoch: watcher.epoch,
		Body: []byte("from a watcher\r")})
	if n := watcher.notice(); n.Code != wire.CodeRefused || n.Bytes != 15 {
		t.Errorf("a watcher's input: %+v", n)
	}
	for _, k := range []wire.Kind{wire.Take, wire.Freeze, wire.Give, wire.Kill, wire.Private,
		wire.Continue, wire.Summary} {
		watcher.send(wire.Frame{Kind: k, Epoch: watcher.epoch, Body: []byte{1}})
		if n := watcher.notice(); n.Code != wire.CodeRefused {
			t.Errorf("%v of a client without a terminal: %+v", k, n)
		}
	}
	h.front.send(wire.Frame{Kind: wire.Input, Epoch: h.front.epoch - 1,
		Body: []byte("of before\r")})
	if n := h.front.notice(); n.Code != wire.CodeRefused ||
		!strings.Contains(n.Message, session.ErrStale.Error()) {
		t.Errorf("input of an old epoch: %+v", n)
	}
	h.front.send(wire.Frame{Kind: wire.Input, Epoch: h.front.epoch, Body: []byte("of now\r")})
	h.front.shows("of now\r\nof now")
	if seen := h.front.seen.String(); strings.Contains(seen, "of before") ||
		strings.Contains(seen, "from a watcher") {
		t.Errorf("what was refused got through: %q", seen)
	}
	h.front.send(wire.Frame{Kind: wire.Input, Epoch: h.front.epoch, Body: []byte("\x04")})
	if f, err := h.front.next(wire.End); err != nil ||
		!strings.Contains(string(f.Body), `"status":0`) {
		t.Errorf("the end: %s %v", f.Body, err)
	}
	<-h.ended
	var gone *live.UnreachableError
	if _, _, err := h.l.Live().Dial(h.id); !errors.As(err, &gone) ||
		!strings.Contains(err.Error(), "tadactl replay") {
		t.Errorf("attach to what has ended: %v", err)
	}
	if _, _, err := h.l.Live().Dial("zzzz"); err == nil ||
		!strings.Contains(err.Error(), "tadactl sessions") {
		t.Errorf("attach to what never was: %v", err)
	}
}

// A client that stops in the middle of a message is cut off after a while, and so is one that never
// greets. One that has greeted may be silent for as long as it likes.
func TestHalfFrames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l, err := own(filepath.Join(dir, "state")).Open()
	if err != nil {
		t.Fatal(err)
	}
	l.frameTime = 300 * time.Millisecond
	h := holdWith(t, l, dir, "cat")
	hello := wire.Append(nil, wire.JSON(wire.Hello, 0, wire.Greeting{Cols: 80, Rows: 24}))
	quiet := h.join()
	_, _ = quiet.conn.Write(hello)
	input := wire.Append(nil, wire.Frame{Kind: wire.Input, Epoch: 1, Body: make([]byte, 100)})
	for name, said := range map[string][]byte{
		"nothing": nil, "half a greeting": hello[:len(hello)-1],
		"half a header": append(bytes.Clone(hello), input[:5]...),
		"half a body":   append(bytes.Clone(hello), input[:50]...),
	} {
		c := h.join()
		_, _ = c.conn.Write(said)
		if _, err := c.next(wire.End); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: %v, want to be cut off", name, err)
		}
	}
	h.front.send(wire.Frame{Kind: wire.Input, Epoch: h.front.epoch, Body: []byte("still here\r")})
	quiet.shows("still here\r\nstill here")
}

// A paste of more than every buffer on the way arrives whole. Who sends more than the credit while
// the program reads nothing is cut off, and the program goes on.
func TestCreditOfInput(t *testing.T) {
	t.Parallel()
	h := hold(t, "sh", "-c",
		"stty -echo; echo ready; head -c 300000 | cksum; stty raw; echo full; sleep 1000")
	h.front.shows("ready")
	line := strings.Repeat("x", 99) + "\r"
	credit := wire.Credit
	for range 3000 {
		for credit < len(line) {
			f, err := h.front.next(wire.Ack)
			if err != nil {
				t.Fatal(err)
			}
			credit += wire.ReadCount(f.Body)
		}
		credit -= len(line)
		h.front.send(wire.Frame{Kind: wire.Input, Epoch: h.front.epoch, Body: []byte(line)})
	}
	want, err := exec.Command("sh", "-c",
		`yes "$(printf %099d 0 | tr 0 x)" | head -c 300000 | cksum`).Output()
	if err != nil {
		t.Fatal(err)
	}
	h.front.shows(strings.TrimSpace(string(want)))
	// Raw, because a terminal in canonical mode drops what is too long for its line and so never
	// fills up. The kernel's own buffers between the two ends hold less than two bodies more.
	h.front.shows("full")
	for range 5 {
		h.front.send(wire.Frame{Kind: wire.Input, Epoch: h.front.epoch,
			Body: make([]byte, wire.MaxBody)})
	}
	if _, err := h.front.next(wire.End); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("who sends more than the credit is not cut off:", err)
	}
	if n, err := h.l.Past(h.id); err != nil || n.State != "running" {
		t.Error(n.State, err)
	}
}

// A client that reads nothing delays no other, and costs no more than its queue; when it reads
// again it gets the present screen.
func TestSlowClient(t *testing.T) {
	t.Parallel()
	h := hold(t, "seq", "300000")
	slow := h.join()
	slow.send(wire.JSON(wire.Hello, 0, wire.Greeting{}))
	for !strings.Contains(h.front.seen.String(), "300000") {
		if _, err := h.front.next(wire.Output); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.front.next(wire.End); err != nil {
		t.Fatal(err)
	}
	got := int64(0)
	_ = slow.conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	got, _ = io.Copy(&slow.seen, slow.conn)
	if got > 2*control.MaxQueue+(1<<20) {
		t.Errorf("%d bytes waited for a client that read nothing", got)
	}
	if s := slow.seen.String(); !strings.Contains(s[max(0, len(s)-4096):], "300000") {
		t.Errorf("the end of the screen never came: %q", s[max(0, len(s)-300):])
	}
	<-h.ended
}

// The socket is for this user alone, and its name is nowhere that a command can see: hidden.txtar
// looks from inside.
func TestSessionSocket(t *testing.T) {
	t.Parallel()
	h := hold(t, "cat")
	path := filepath.Join(h.l.state.Runtime(), h.id+control.SocketSuffix)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 || info.Mode()&os.ModeSocket == 0 {
		t.Fatalf("%v %v", info, err)
	}
	stale := filepath.Join(h.l.state.Runtime(), "0123456789abcdef"+control.SocketSuffix)
	if err := os.WriteFile(stale, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	other := holdWith(t, h.l, t.TempDir(), "cat")
	if _, err := os.Stat(stale); err == nil {
		t.Error("the socket of a launcher that was killed stays")
	}
	if _, err := os.Stat(path); err != nil {
		t.Error("the socket of another session is gone:", err)
	}
	for _, one := range []*held{h, other} {
		one.front.send(wire.Frame{Kind: wire.Kill})
		if _, err := one.front.next(wire.End); err != nil {
			t.Error("kill:", err)
		}
		<-one.ended
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the socket outlives the session")
	}
}
