//go:build linux

package session

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// These tests drive the whole program, from the keyboard of a real terminal to the command in its
// sandbox. TADA_RUN names a binary to try; without it, it is built. TADA_RUNS is how often the
// short runs are repeated: the full proof is 1000.

var wholeDir string // removed by TestMain

var wholeProgram = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("TADA_RUN"); path != "" {
		return path, nil
	}
	dir, err := os.MkdirTemp("", "whole")
	if err != nil {
		return "", err
	}
	wholeDir = dir
	path := filepath.Join(dir, "tada-run")
	cmd := exec.Command("go", "build", "-o", path, "./testdata/whole")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, hermetic.Chmod(dir, 0o755)
})

// A whole is the program with a state and a workspace of its own.
type whole struct{ program, home, work string }

func newWhole(t *testing.T) whole {
	t.Helper()
	program, err := wholeProgram()
	if err != nil {
		t.Skipf("tada-run cannot be built here, and TADA_RUN is not set: %v", err)
	}
	w := whole{program, filepath.Join(t.TempDir(), "home"), t.TempDir()}
	// The first run makes the state and finds out what the machine can do.
	if out, err := w.command("true").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return w
}

func (w whole) command(args ...string) *exec.Cmd {
	cmd := exec.Command(w.program, append([]string{"--home", w.home}, args...)...)
	cmd.Dir = w.work
	cmd.Env = []string{"PATH=/usr/bin:/bin:/usr/sbin:/sbin", "TERM=xterm", "LANG=C.UTF-8"}
	return cmd
}

// shell starts an interactive bash on o in which run is the program.
func (w whole) shell(o *outer) {
	o.t.Helper()
	cmd := exec.Command("bash", "--norc", "--noprofile", "--noediting", "-i")
	cmd.Dir = w.work
	cmd.Env = []string{"PATH=/usr/bin:/bin", "PS1=ready$ ", "TERM=xterm", "HISTFILE=",
		"LANG=C.UTF-8"}
	o.start(cmd)
	o.expect("ready$ ")
	o.send("run() { " + w.program + " --home " + w.home + ` "$@"; }` + "\n")
	o.expect("ready$ ")
}

// recorded is the content of the transcripts.
func (w whole) recorded(t *testing.T) string {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(w.home, "sessions", "*"))
	var all strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	if all.Len() == 0 {
		t.Fatal("nothing is recorded")
	}
	return all.String()
}

func repeat(t *testing.T, usual int) int {
	n, err := strconv.Atoi(os.Getenv("TADA_RUNS"))
	if err != nil {
		return usual
	}
	t.Logf("%d runs", n)
	return n
}

// Row 7 of the sandbox: short runs that print 60 kB and exit lose no byte.
func TestWholeBurstThenExit(t *testing.T) {
	want := fmt.Sprintf("%060000d", 7)
	for _, mode := range []string{"never", "always"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			w := newWhole(t)
			for i := range repeat(t, 8) {
				out, err := w.command("--pty", mode, "printf %060000d 7").Output()
				if err != nil || string(out) != want {
					t.Fatalf("run %d: %d bytes of %d: %v", i, len(out), len(want), err)
				}
			}
		})
	}
}

// Every exit status and every signal arrives as it was: the caller's wait(2) cannot tell that
// another process was in between.
func TestWholeStatus(t *testing.T) {
	w := newWhole(t)
	codes, signals := []int{0, 1, 2, 75, 126, 127, 128, 255}, []int{1, 2, 6, 9, 13, 15, 64}
	if repeat(t, 0) > 0 {
		codes, signals = nil, nil
		for n := range 256 {
			codes = append(codes, n)
		}
		for n := 1; n <= 64; n++ {
			if n != 32 && n != 33 && !slices.Contains(survivors, syscall.Signal(n)) {
				// the C library's own
				signals = append(signals, n)
			}
		}
	}
	check := func(text, want string) {
		cmd := w.command(text)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if got := status(t, cmd); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for _, code := range codes {
		check(fmt.Sprintf("exit %d", code), fmt.Sprintf("exit %d", code))
	}
	for _, n := range signals {
		// of a child: the shell's status
		check(fmt.Sprintf("ulimit -c 0; sh -c 'kill -%d $$'; exit $?", n),
			fmt.Sprintf("exit %d", 128+n))
		check(fmt.Sprintf("ulimit -c 0; exec sh -c 'kill -%d $$'", n),
			"signal "+syscall.Signal(n).String())
	}
}

// survivors are the signals whose default action does not end a process.
var survivors = []syscall.Signal{
	syscall.SIGCHLD, syscall.SIGCONT, syscall.SIGSTOP, syscall.SIGTSTP,
	syscall.SIGTTIN, syscall.SIGTTOU, syscall.SIGURG, syscall.SIGWINCH,
}

// A command whose reader goes away gets SIGPIPE, as without us.
func TestWholeBrokenPipe(t *testing.T) {
	t.Parallel()
	w := newWhole(t)
	cmd := exec.Command("bash", "-c", `"$@" | head -n 1; echo "${PIPESTATUS[0]}"`, "bash",
		w.program, "--home", w.home, "exec yes")
	cmd.Dir = w.work
	if out, err := cmd.Output(); err != nil || string(out) != "y\n141\n" {
		t.Errorf("%q %v", out, err)
	}
}

// What the command finds at a descriptor, by what the caller has there.
var matrix = []struct{ caller, input, output string }{
	{"terminal", "t", "t"},
	{"pipe", "p", "p"},
	{"file", "f", "p"},
	{"socket", "S", "p"},
	{"null", "c", "c"},
	{"closed", "c", "c"}, // the null device: see Stdio
}

// Row 7 of the sandbox: each kind of descriptor at each of 0, 1 and 2, beside pipes and beside
// terminals, or in all combinations.
func TestWholeStdioMatrix(t *testing.T) {
	w := newWhole(t)
	try := func(kinds [3]int) {
		name := matrix[kinds[0]].caller + "," + matrix[kinds[1]].caller + "," +
			matrix[kinds[2]].caller
		t.Run(name, func(t *testing.T) { w.tryStdio(t, kinds) })
	}
	if repeat(t, 0) > 0 {
		for n := range 216 {
			try([3]int{n / 36, n / 6 % 6, n % 6})
		}
		return
	}
	for fd := range 3 {
		for k := range matrix {
			for _, rest := range []int{0, 1} {
				kinds := [3]int{rest, rest, rest}
				kinds[fd] = k
				try(kinds)
			}
		}
	}
}

func (w whole) tryStdio(t *testing.T, kinds [3]int) {
	o := newOuter(t)
	var files [3]*os.File
	var heard [3]func(want string) string
	for fd, k := range kinds {
		files[fd], heard[fd] = w.descriptor(t, o, fd, matrix[k].caller)
	}
	script := `test -e /dev/fd/0 && test ! -t 0 && test ! -c /dev/fd/0 && read x
kind() { if test -t $1; then r=t; elif test -p /dev/fd/$1; then r=p; elif test -f /dev/fd/$1; then r=f; elif test -S /dev/fd/$1; then r=S; else r=c; fi; }
kind 0; a=$r; kind 1; b=$r; kind 2; echo "out $a$b$r"; echo "err $a$b$r$x" >&2`
	redirect := ""
	for fd, f := range files {
		if f == nil {
			redirect += fmt.Sprintf(" %d>&-", fd)
		}
	}
	cmd := exec.Command("bash", "-c", `exec "$@"`+redirect, "bash", w.program, "--home", w.home,
		script)
	cmd.Dir, cmd.Env = w.work, []string{"PATH=/usr/bin:/bin", "TERM=xterm"}
	for fd, f := range files {
		if f == nil {
			files[fd], _ = os.Open("/dev/null")
		}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = files[0], files[1], files[2]
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	for fd, f := range files {
		if f == o.peer {
			cmd.SysProcAttr.Setctty, cmd.SysProcAttr.Ctty = true, fd
		}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if got := status(t, cmd); got != "exit 0" {
		t.Errorf("%s: %s", got, o.screen())
	}
	seen := matrix[kinds[0]].input + matrix[kinds[1]].output + matrix[kinds[2]].output
	arrived := ""
	if strings.Contains("pfS", seen[:1]) {
		arrived = "words"
	}
	for fd, want := range []string{1: "out " + seen, 2: "err " + seen + arrived} {
		if fd == 0 || heard[fd] == nil {
			continue
		}
		files[fd].Close()
		if text := heard[fd](want); !strings.Contains(text, want) {
			t.Errorf("descriptor %d: %q, want %q", fd, text, want)
		}
	}
}

// descriptor makes what the caller has at fd, nil for nothing, and how to learn what came out.
func (w whole) descriptor(t *testing.T, o *outer, fd int,
	kind string) (f *os.File, heard func(want string) string) {
	t.Helper()
	var err error
	switch kind {
	case "terminal":
		f, heard = o.peer, o.expect
	case "pipe", "socket":
		var ours *os.File
		if kind == "pipe" {
			r, pw := pipePair(t)
			if f, ours = pw, r; fd == 0 {
				f, ours = r, pw
			}
		} else {
			var pair [2]int
			if pair, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC,
				0); err == nil {
				f, ours = os.NewFile(uintptr(pair[0]), "socket"),
					os.NewFile(uintptr(pair[1]), "socket")
			}
		}
		if fd == 0 && err == nil {
			_, err = io.WriteString(ours, "words\n")
		}
		heard = func(string) string {
			b, _ := io.ReadAll(ours)
			return string(b)
		}
	case "file":
		name := filepath.Join(t.TempDir(), "file")
		if err = os.WriteFile(name, []byte("words\n"), 0o600); err == nil {
			f, err = os.OpenFile(name, os.O_RDWR, 0)
		}
		heard = func(string) string {
			b, _ := os.ReadFile(name)
			return string(b)
		}
	case "null":
		f, err = os.OpenFile("/dev/null", os.O_RDWR, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f, heard
}
