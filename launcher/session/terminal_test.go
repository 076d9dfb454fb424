//go:build linux

package session

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// E-chan-6: however a run ends, the terminal is as it was before.
func TestTerminalIsRestored(t *testing.T) {
	cases := []struct {
		name, args, command string
		act                 func(o *outer, cmd *exec.Cmd)
		status              string
	}{
		{"exit", "", "exit 3", nil, "exit 3"},
		{"command killed", "", "kill -9 $$", nil, "signal killed"},
		{"command changes its own modes", "", "stty raw -echo; exit 0", nil, "exit 0"},
		{"ctrl-c", "", "sleep 100", func(o *outer, cmd *exec.Cmd) { o.send("\x03") },
			"signal interrupt"},
		{"ctrl-backslash", "", "ulimit -c 0; sleep 100", func(o *outer, cmd *exec.Cmd) {
			for o.isRaw() { // bash itself ignores SIGQUIT until sleep has taken its place
				o.send("\x1c")
				poll(nil, 50)
			}
		}, "signal quit"},
		{"sigterm", "", "sleep 100",
			func(o *outer, cmd *exec.Cmd) { cmd.Process.Signal(syscall.SIGTERM) },
			"signal terminated"},
		{"sigint", "", "sleep 100", func(o *outer,
			cmd *exec.Cmd) {
			cmd.Process.Signal(syscall.SIGINT)
		}, "signal interrupt"},
		{"sighup", "", "sleep 100", func(o *outer,
			cmd *exec.Cmd) {
			cmd.Process.Signal(syscall.SIGHUP)
		}, "signal hangup"},
		{"panic", "-mishap=panic", "sleep 1", nil, "exit 2"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := newOuter(t)
			before := o.modes()
			args := []string{c.command}
			if c.args != "" {
				args = append([]string{c.args}, args...)
			}
			cmd := o.start(role("run", args...))
			if c.act != nil {
				eventually(t, "raw mode", o.isRaw)
				c.act(o, cmd)
			}
			if got := status(t, cmd); got != c.status {
				t.Errorf("ended with %s, want %s; screen: %q", got, c.status, o.screen())
			}
			if after := o.modes(); after != before {
				t.Errorf("modes before %+v\nafter %+v", before, after)
			}
		})
	}
}

// Once given back, the terminal is not taken again by a relay that is still running.
func TestModesStayGivenBack(t *testing.T) {
	t.Parallel()
	o := newOuter(t)
	before := o.modes()
	m := &modes{fd: int(o.peer.Fd())}
	if !m.enter() || !o.isRaw() {
		t.Fatal("not raw")
	}
	m.leave()
	if m.enter() || o.modes() != before {
		t.Error("taken again")
	}
	if _, err := m.read(make([]byte, 1)); err != unix.EAGAIN {
		t.Error("read keys that are another's:", err)
	}
	m.allow()
	if !m.enter() || !o.isRaw() {
		t.Error("not raw after allow")
	}
	m.leave()
	m.leave()
	if o.modes() != before {
		t.Error("not restored")
	}
}

// E-chan-5: the command has a terminal of its own and no way to the person's.
func TestCommandNeverSeesTheCallersTerminal(t *testing.T) {
	t.Parallel()
	o := newOuter(t)
	cmd := o.start(role("run",
		"tty; tty < /dev/tty; readlink /proc/self/fd/* /proc/$$/fd/*; echo end"))
	all := o.expect("end\r\n")
	if got := status(t, cmd); got != "exit 0" {
		t.Error(got)
	}
	for _, link := range []string{o.name + "\r", "/dev/ptmx"} {
		if strings.Contains(all, link) {
			t.Errorf("the command can reach %q: %q", link, all)
		}
	}
	contains(t, all, "/dev/pts/")
}

func TestKeys(t *testing.T) {
	report := filepath.Join(t.TempDir(), "report")
	o := newOuter(t)
	cmd := o.start(role("run", "-report="+report,
		"cat; echo eof; read -s -p secret: x; echo; echo got $x"))
	eventually(t, "raw mode", o.isRaw)
	o.send("one\r")
	o.expect("one\r\none\r\n")
	o.send("\x04") // end of file
	o.expect("eof\r\n")
	o.expect("secret:")
	o.send("hunter2\r")
	o.expect("got hunter2")
	if got := status(t, cmd); got != "exit 0" {
		t.Error(got)
	}
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	// The tap knew that the password is hidden before it got it.
	contains(t, string(text), `typed "one\r\x04********"`)
}

func TestResize(t *testing.T) {
	t.Parallel()
	report := filepath.Join(t.TempDir(), "report")
	o := newOuter(t)
	cmd := o.start(role("run", "-report="+report,
		`trap 'stty size; exit' WINCH; stty size; while :; do sleep 0.02; done`))
	o.expect("24 80\r\n")
	eventually(t, "raw mode", o.isRaw)
	o.resize(100, 40)
	o.expect("40 100\r\n")
	status(t, cmd)
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(text), "sizes [100x40]")
}

// Row 7 of the sandbox: full-screen programs work, with their own modes.
func TestFullScreenPrograms(t *testing.T) {
	t.Run("vim", func(t *testing.T) {
		need(t, "vim")
		t.Parallel()
		file := filepath.Join(t.TempDir(), "text")
		o := newOuter(t)
		cmd := o.start(role("run", "TERM=xterm vim -u NONE -i NONE -n "+file))
		o.expect("[New File]")
		o.send("ihello\x1b:wq\r")
		if got := status(t, cmd); got != "exit 0" {
			t.Error(got)
		}
		if text, _ := os.ReadFile(file); string(text) != "hello\n" {
			t.Errorf("vim wrote %q", text)
		}
	})
	t.Run("less on piped input", func(t *testing.T) {
		need(t, "less")
		t.Parallel()
		o := newOuter(t)
		o.shell()
		o.send("seq 1000 | run 'LESS= TERM=xterm less'; echo status $?\n")
		o.expect("23")
		o.send("G")
		o.expect("1000")
		o.send("q")
		o.expect("status 0")
	})
	t.Run("python getpass", func(t *testing.T) {
		need(t, "python3")
		t.Parallel()
		o := newOuter(t)
		cmd := o.start(role("run",
			`python3 -c 'import getpass; print("len", len(getpass.getpass("pw: ")))'`))
		o.expect("pw: ")
		o.send("secret\n")
		o.expect("len 6")
		if got := status(t, cmd); got != "exit 0" {
			t.Error(got)
		}
	})
}
