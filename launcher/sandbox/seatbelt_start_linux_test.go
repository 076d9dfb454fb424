package sandbox

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// enterFake is what sandbox-exec does, without a sandbox: it notes its words, and becomes the
// command.
const enterFake = `#!/bin/sh
printf '%s\n' "$@" >"$(dirname "$0")/words"
shift 3
exec "$@"
`

// fakeBelt starts a command as on macOS, through a program that enters no sandbox. It returns the
// words that the program got.
func fakeBelt(t *testing.T, c Command) (*beltProcess, func() []string) {
	t.Helper()
	dir := t.TempDir()
	enter := filepath.Join(dir, "sandbox-exec")
	if err := hermetic.WriteProgram(enter, []byte(enterFake), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := enterBelt(enter, "(version 1)", dir, c)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.start()
	if err != nil {
		t.Fatal(err)
	}
	return p, func() []string {
		text, err := os.ReadFile(filepath.Join(dir, "words"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	}
}

// The command runs with its words, its environment and nothing else, in a session of its own, and
// its end is reported as it was.
func TestBeltStarts(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	p, words := fakeBelt(t, Command{Path: "/bin/sh", Env: []string{"A=b c"},
		Argv:  []string{"sh", "-c", "echo \"$A\" $1; exec >&-; exit 7", "name", "-x y"},
		Files: []*os.File{nil, write, write}})
	write.Close()
	if sid, err := unix.Getsid(p.Pid()); err == nil && sid != p.Pid() {
		t.Errorf("session %d of process %d", sid, p.Pid())
	}
	text, _ := io.ReadAll(read)
	status, err := p.Wait()
	if string(text) != "b c -x y\n" || err != nil || !status.Exited || status.Shell() != 7 {
		t.Errorf("%q, %+v, %v", text, status, err)
	}
	want := []string{"-p", "(version 1)", "--", "/bin/sh", "-c",
		"echo \"$A\" $1; exec >&-; exit 7", "name", "-x y"}
	if got := words(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if err := p.SignalGroup(syscall.SIGTERM); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("a signal after the end: %v", err)
	}
}

// A command that is asked to end, ends by that signal, with its group.
func TestBeltEnds(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	p, _ := fakeBelt(t, Command{Path: "/bin/sh", Argv: []string{"sh", "-c",
		"trap '' TERM; sleep 60 & echo; wait; sleep 60"}, Files: []*os.File{nil, write, write}})
	write.Close()
	if _, err := read.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	p.Freeze()
	p.Thaw()
	p.End("", 10*time.Millisecond)
	status, err := p.Wait()
	if err != nil || status.Signal != syscall.SIGKILL || status.Shell() != 137 {
		t.Errorf("%+v, %v", status, err)
	}
	if _, err := io.ReadAll(read); err != nil { // no process holds the other end
		t.Error(err)
	}
}

// With a terminal the command leads it.
func TestBeltHasTerminal(t *testing.T) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals: ", err)
	}
	defer master.Close()
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	fd, _, errno := unix.Syscall(unix.SYS_IOCTL, master.Fd(), unix.TIOCGPTPEER,
		unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC)
	if errno != 0 {
		t.Fatal(errno)
	}
	peer := os.NewFile(fd, "terminal")
	p, _ := fakeBelt(t, Command{Path: "/bin/sh", HasTTY: true, TTY: 0,
		Argv:  []string{"sh", "-c", "exec 3<>/dev/tty && test -t 3"},
		Files: []*os.File{peer, peer, peer}})
	if status, err := p.Wait(); err != nil || status.Shell() != 0 {
		t.Errorf("%+v, %v", status, err)
	}
	peer.Close()
}

// Nothing starts that Seatbelt could not be told of.
func TestBeltRefuses(t *testing.T) {
	for name, c := range map[string]Command{
		"descriptors": {Path: "/bin/sh", Inherit: []int{5}},
		"requests":    {Path: "/bin/sh", Request: os.Stdin},
	} {
		if _, err := enterBelt("/bin/sh", "", "", c); !errors.Is(err, ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s, err := enterBelt(filepath.Join(t.TempDir(), "none"), "", "", Command{Path: "/bin/sh"})
	if err != nil {
		t.Fatal(err)
	}
	if p, err := s.start(); !errors.Is(err, ErrUnsupported) {
		t.Errorf("%v, %v", p, err)
	}
}
