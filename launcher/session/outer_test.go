//go:build linux

package session

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// patience is how long a test waits for what must come. It is long because the machine may
// be busy; nothing asserts that anything is fast.
const patience = 20 * time.Second

// An outer is the person's terminal: a real one, with the test at the keyboard.
type outer struct {
	t      *testing.T
	master *os.File
	peer   *os.File // nil when only programs hold the terminal
	name   string

	mu   sync.Mutex
	cond *sync.Cond
	seen bytes.Buffer
	read int // what expect has passed
	done bool
}

// newOuter opens a terminal of 24 rows and 80 columns.
func newOuter(t *testing.T) *outer {
	t.Helper()
	fd, peer, err := openPTY()
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ,
		&unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	// The kernel drops what is on its way to the screen when an interrupt is typed, at times with
	// what the program prints on the interrupt.
	modes, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	modes.Lflag |= unix.NOFLSH
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, modes); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	o := &outer{t: t, master: os.NewFile(uintptr(fd), "keyboard"), peer: peer,
		name: "/dev/pts/" + string(appendInt(nil, number))}
	o.cond = sync.NewCond(&o.mu)
	go o.watch()
	t.Cleanup(func() {
		o.master.Close()
		peer.Close()
	})
	return o
}

func appendInt(b []byte, n int) []byte {
	if n >= 10 {
		b = appendInt(b, n/10)
	}
	return append(b, byte('0'+n%10))
}

func (o *outer) watch() {
	buf := make([]byte, 32<<10)
	for {
		n, err := o.master.Read(buf)
		o.mu.Lock()
		o.seen.Write(buf[:n])
		o.done = err != nil
		o.cond.Broadcast()
		o.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// expect waits until text is on the screen after what was expected before, and returns all
// up to its end.
func (o *outer) expect(text string) string {
	o.t.Helper()
	timer := time.AfterFunc(patience, func() {
		o.mu.Lock()
		o.done = true
		o.cond.Broadcast()
		o.mu.Unlock()
	})
	defer timer.Stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		rest := o.seen.Bytes()[o.read:]
		if i := bytes.Index(rest, []byte(text)); i >= 0 {
			o.read += i + len(text)
			return string(rest[:i+len(text)])
		}
		if o.done {
			o.t.Fatalf("%q never came; the screen has %q", text, rest)
		}
		o.cond.Wait()
	}
}

// screen returns everything shown so far.
func (o *outer) screen() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.seen.String()
}

func (o *outer) send(text string) {
	o.t.Helper()
	if _, err := io.WriteString(o.master, text); err != nil {
		o.t.Fatal(err)
	}
}

func (o *outer) resize(cols, rows uint16) {
	o.t.Helper()
	o.control(func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: cols})
	})
}

func (o *outer) control(do func(fd int) error) {
	o.t.Helper()
	raw, err := o.master.SyscallConn()
	if err != nil {
		o.t.Fatal(err)
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = do(int(fd)) }); err != nil || failed != nil {
		o.t.Fatal(err, failed)
	}
}

// modes returns the terminal's state, as stty -g would.
func (o *outer) modes() (t unix.Termios) {
	o.t.Helper()
	o.control(func(fd int) error {
		got, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		if err == nil {
			t = *got
		}
		return err
	})
	return t
}

func (o *outer) isRaw() bool { return o.modes().Lflag&unix.ICANON == 0 }

// start runs cmd as the leader of a session on this terminal.
func (o *outer) start(cmd *exec.Cmd) *exec.Cmd {
	o.t.Helper()
	if cmd.Stdin == nil {
		cmd.Stdin = o.peer
	}
	if cmd.Stdout == nil {
		cmd.Stdout = o.peer
	}
	if cmd.Stderr == nil {
		cmd.Stderr = o.peer
	}
	ctty := 0
	for fd, f := range []any{cmd.Stdin, cmd.Stdout, cmd.Stderr} {
		if f == any(o.peer) {
			ctty = fd
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: ctty}
	if err := cmd.Start(); err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd
}

// shell starts an interactive bash whose prompt is "$ ", and a function run for the part.
func (o *outer) shell() {
	o.t.Helper()
	cmd := exec.Command("bash", "--norc", "--noprofile", "--noediting", "-i")
	cmd.Env = append(os.Environ(), "PS1=ready$ ", "TERM=xterm", "HISTFILE=",
		"PATH="+os.Getenv("PATH"))
	o.start(cmd)
	o.expect("ready$ ")
	o.send("run() { " + self(o.t, `"$@"`) + "; }\n")
	o.expect("ready$ ")
}

// eventually waits for a state that no event announces.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// status waits for cmd and returns how it ended: "exit 3", "signal interrupt".
func status(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	cmd.Wait()
	ws := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ws.Signaled() {
		return "signal " + ws.Signal().String()
	}
	return "exit " + string(appendInt(nil, ws.ExitStatus()))
}

// need skips when a program is missing, and says which.
func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not installed", p)
		}
	}
}

func contains(t *testing.T, text, want string) {
	t.Helper()
	if !strings.Contains(text, want) {
		t.Errorf("%q is missing in %q", want, text)
	}
}
