//go:build linux

package session

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pipes makes n pipes that are closed at the end of the test.
func pipePair(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Close()
		w.Close()
	})
	return r, w
}

// run carries out bash -c text through a session in this process.
func run(t testing.TB, caller Stdio, mode PTY, tap Tap, text string) (*Session, *exec.Cmd) {
	t.Helper()
	return launch(t, caller, mode, tap, "bash", "-c", text)
}

func launch(t testing.TB, caller Stdio, mode PTY, tap Tap, name string,
	args ...string) (*Session, *exec.Cmd) {
	t.Helper()
	s, err := Open(caller, mode, tap)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, args...)
	files := s.ChildFiles()
	if files[0] != nil {
		cmd.Stdin = files[0]
	}
	if files[1] != nil {
		cmd.Stdout = files[1]
	}
	if files[2] != nil {
		cmd.Stderr = files[2]
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if s.TTY() >= 0 {
		cmd.SysProcAttr.Setctty, cmd.SysProcAttr.Ctty = true, s.TTY()
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.Started()
	return s, cmd
}

func finish(t testing.TB, s *Session, cmd *exec.Cmd) {
	t.Helper()
	cmd.Wait()
	if err := s.Ended(context.Background()); err != nil {
		t.Error(err)
	}
}

// slurp reads r to its end in the background.
func slurp(r io.Reader) <-chan []byte {
	all := make(chan []byte, 1)
	go func() {
		b, _ := io.ReadAll(r)
		all <- b
	}()
	return all
}

func TestPipesStayApart(t *testing.T) {
	t.Parallel()
	outR, outW := pipePair(t)
	errR, errW := pipePair(t)
	j := &journal{}
	s, cmd := run(t, Stdio{Out: outW, Err: errW}, Auto, j,
		"echo out; echo err >&2; test -t 1 || echo pipe; exit 3")
	finish(t, s, cmd)
	outW.Close()
	errW.Close()
	if out := <-slurp(outR); string(out) != "out\npipe\n" ||
		j.streams[Stdout].String() != string(out) {
		t.Errorf("output %q, recorded %q", out, j.streams[Stdout].String())
	}
	if text := <-slurp(errR); string(text) != "err\n" ||
		j.streams[Stderr].String() != string(text) {
		t.Errorf("error %q, recorded %q", text, j.streams[Stderr].String())
	}
	if status(t, cmd) != "exit 3" {
		t.Error(cmd.ProcessState)
	}
}

// A command that prints line by line, each with a write of its own, is not recorded line by line,
// and no line is lost over that.
func TestLinesAreGathered(t *testing.T) {
	t.Parallel()
	const lines = 20_000
	for name, mode := range map[string]PTY{"pipe": Never, "terminal": Always} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, w := pipePair(t)
			out := slurp(r)
			j := &journal{}
			s, cmd := run(t, Stdio{Out: w, Err: w}, mode, j,
				fmt.Sprintf("for ((i=0; i<%d; i++)); do echo line $i; done", lines))
			finish(t, s, cmd)
			w.Close()
			if n := bytes.Count(<-out, []byte("\n")); n != lines || j.pieces > lines/4 {
				t.Errorf("%d lines in %d pieces", n, j.pieces)
			}
		})
	}
}

// Where output and error are one thing, the order between them is exactly the command's.
func TestOrderIsKeptWhereItCanBeSeen(t *testing.T) {
	const lines = 2000
	script := fmt.Sprintf("for ((i=0; i<%d; i++)); do echo out $i; echo err $i >&2; done", lines)
	var want strings.Builder
	for i := range lines {
		fmt.Fprintf(&want, "out %d\nerr %d\n", i, i)
	}
	open := func(t *testing.T, name string, flags int) *os.File {
		f, err := os.OpenFile(name, os.O_CREATE|flags, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	t.Run("one open file", func(t *testing.T) {
		t.Parallel()
		name := filepath.Join(t.TempDir(), "log")
		f := open(t, name, os.O_WRONLY)
		fd, err := dup(int(f.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		again := os.NewFile(uintptr(fd), name)
		defer again.Close()
		s, cmd := run(t, Stdio{Out: f, Err: again}, Auto, &journal{}, script)
		finish(t, s, cmd)
		if got, _ := os.ReadFile(name); string(got) != want.String() {
			t.Errorf("order is lost: %.200q", got)
		}
	})
	t.Run("two opens that append", func(t *testing.T) {
		t.Parallel()
		name := filepath.Join(t.TempDir(), "log")
		f, again := open(t, name, os.O_WRONLY|os.O_APPEND), open(t, name, os.O_WRONLY|os.O_APPEND)
		s, cmd := run(t, Stdio{Out: f, Err: again}, Auto, &journal{}, script)
		finish(t, s, cmd)
		if got, _ := os.ReadFile(name); string(got) != want.String() {
			t.Errorf("order is lost: %.200q", got)
		}
	})
	t.Run("one pipe", func(t *testing.T) {
		t.Parallel()
		r, w := pipePair(t)
		all := slurp(r)
		s, cmd := run(t, Stdio{Out: w, Err: w}, Auto, &journal{}, script)
		finish(t, s, cmd)
		w.Close()
		if got := <-all; string(got) != want.String() {
			t.Errorf("order is lost: %.200q", got)
		}
	})
	t.Run("two opens that overwrite stay apart", func(t *testing.T) {
		t.Parallel()
		name := filepath.Join(t.TempDir(), "log")
		f, again := open(t, name, os.O_WRONLY), open(t, name, os.O_WRONLY)
		s, cmd := run(t, Stdio{Out: f, Err: again}, Auto, &journal{}, "printf 1234; printf ab >&2")
		finish(t, s, cmd)
		if got, _ := os.ReadFile(name); string(got) != "ab34" && string(got) != "1234" {
			t.Errorf("got %q, want two writers at position 0", got)
		}
	})
}

func TestEveryByteArrives(t *testing.T) {
	size := 50 << 20
	if testing.Short() {
		size = 5 << 20
	}
	data := make([]byte, size)
	rand.NewChaCha8([32]byte{1}).Read(data)
	want := sha256.Sum256(data)
	name := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r, w := pipePair(t)
	sum := sha256.New()
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(sum, r)
		done <- err
	}()
	j := &digest{}
	s, cmd := launch(t, Stdio{In: in, Out: w}, Auto, j, "cat")
	finish(t, s, cmd)
	w.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := sum.Sum(nil); !bytes.Equal(got, want[:]) || j.sum() != want {
		t.Error("other bytes arrived, or were recorded, than were sent")
	}
	if s.Bytes()[Stdout] != int64(size) {
		t.Error(s.Bytes())
	}
}

// A digest is a tap that keeps a checksum.
type digest struct {
	journal
	data []byte
}

func (d *digest) Output(_ Stream, p []byte) error { d.data = append(d.data, p...); return nil }
func (d *digest) sum() [32]byte                   { return sha256.Sum256(d.data) }

func TestExitCodes(t *testing.T) {
	t.Parallel()
	_, w := pipePair(t)
	for code := range 256 {
		s, cmd := launch(t, Stdio{Out: w}, Auto, &journal{}, "sh", "-c",
			fmt.Sprintf("exit %d", code))
		finish(t, s, cmd)
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Errorf("exit %d became %d", code, got)
		}
	}
}

// The caller's wait(2) returns the signal that ended the command.
func TestSignalsPassThrough(t *testing.T) {
	t.Parallel()
	survivors := map[syscall.Signal]bool{ // their default action does not end a process
		syscall.SIGCHLD: true, syscall.SIGCONT: true, syscall.SIGSTOP: true, syscall.SIGTSTP: true,
		syscall.SIGTTIN: true, syscall.SIGTTOU: true, syscall.SIGURG: true, syscall.SIGWINCH: true,
	}
	for n := 1; n <= 64; n++ {
		if n == 32 || n == 33 || n == 3 {
			// the C library's own; bash ignores SIGQUIT, see TestTerminalIsRestored
			continue
		}
		sig := syscall.Signal(n)
		cmd := role("run", fmt.Sprintf("ulimit -c 0; kill -%d $$; exit 5", n))
		cmd.Stdout = io.Discard
		want := "signal " + sig.String()
		if survivors[sig] {
			want = "exit 5"
		}
		if sig == syscall.SIGSTOP || sig == syscall.SIGTSTP || sig == syscall.SIGTTIN ||
			sig == syscall.SIGTTOU {
			continue // see the tests of job control
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if got := status(t, cmd); got != want {
			t.Errorf("signal %d: %s, want %s", n, got, want)
		}
	}
}

// yes | head: the command gets SIGPIPE, and a shell reports 141.
func TestReaderGoesAway(t *testing.T) {
	t.Parallel()
	t.Run("while the command writes", func(t *testing.T) {
		t.Parallel()
		r, w := pipePair(t)
		s, cmd := launch(t, Stdio{Out: w}, Auto, &journal{drop: true}, "yes")
		io.ReadFull(r, make([]byte, 100))
		r.Close()
		if got := status(t, cmd); got != "signal broken pipe" {
			t.Error(got)
		}
		if err := s.Ended(context.Background()); err != nil {
			t.Error("a reader that went away is no error:", err)
		}
	})
	t.Run("while the command is silent", func(t *testing.T) {
		t.Parallel()
		r, w := pipePair(t)
		inR, inW := pipePair(t)
		s, cmd := run(t, Stdio{In: inR, Out: w}, Auto, &journal{}, "echo a; read x; echo b; exit 6")
		line, _ := bufio.NewReader(r).ReadString('\n')
		if line != "a\n" {
			t.Fatal(line)
		}
		r.Close()
		eventually(t, "the relay to notice", func() bool {
			s.relays[0].busy.Lock()
			defer s.relays[0].busy.Unlock()
			return s.relays[0].from < 0
		})
		inW.WriteString("go\n")
		if got := status(t, cmd); got != "signal broken pipe" {
			t.Errorf("the first write after the reader left: %s", got)
		}
		s.Ended(context.Background())
	})
	t.Run("in a shell", func(t *testing.T) {
		t.Parallel()
		out, err := exec.Command("bash", "-c",
			self(t, "'yes'")+" | head -n 1; echo ${PIPESTATUS[0]}").Output()
		if string(out) != "y\n141\n" {
			t.Errorf("%q, %v", out, err)
		}
	})
	t.Run("of a terminal shown on a pipe", func(t *testing.T) {
		t.Parallel()
		r, w := pipePair(t)
		s, cmd := launch(t, Stdio{Out: w}, Always, &journal{drop: true}, "yes")
		io.ReadFull(r, make([]byte, 100))
		r.Close()
		if got := status(t, cmd); got != "signal hangup" && got != "exit 1" {
			// hung up, or its write failed first
			t.Error(got)
		}
		s.Ended(context.Background())
	})
}

// A producer notices at once that the command stopped reading.
func TestProducerGetsSIGPIPE(t *testing.T) {
	t.Parallel()
	inR, inW := pipePair(t)
	outR, outW := pipePair(t)
	yes := exec.Command("yes")
	yes.Stdout = inW
	if err := yes.Start(); err != nil {
		t.Fatal(err)
	}
	inW.Close()
	s, cmd := run(t, Stdio{In: inR, Out: outW}, Auto, &journal{}, "exec 0<&-; sleep 100")
	if got := status(t, yes); got != "signal broken pipe" {
		t.Error(got)
	}
	cmd.Process.Kill()
	finish(t, s, cmd)
	outR.Close()
}

// A short run that prints much and ends at once loses nothing.
func TestBurstThenExit(t *testing.T) {
	runs := 500
	if testing.Short() {
		runs = 25
	}
	for _, mode := range []PTY{Auto, Always} {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			name := filepath.Join(t.TempDir(), "out")
			out, err := os.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			for i := range runs {
				j := &journal{drop: true}
				s, cmd := launch(t, Stdio{Out: out}, mode, j, "sh", "-c", "printf %060000d 7")
				finish(t, s, cmd)
				if j.count != 60000 {
					t.Fatalf("run %d: %d bytes of 60000", i, j.count)
				}
			}
			if st, err := out.Stat(); err != nil || st.Size() != int64(60000*runs) {
				t.Error(st.Size(), err)
			}
		})
	}
}

func TestSlowReaderStallsTheCommand(t *testing.T) {
	t.Parallel()
	const total = 8 << 20
	r, w := pipePair(t)
	j := &journal{drop: true}
	s, cmd := run(t, Stdio{Out: w}, Auto, j, fmt.Sprintf("head -c %d /dev/zero", total))
	seen := func() int64 { j.mu.Lock(); defer j.mu.Unlock(); return j.count }
	last := int64(-1)
	eventually(t, "a stall", func() bool {
		time.Sleep(50 * time.Millisecond)
		now := seen()
		defer func() { last = now }()
		return now > 0 && now == last
	})
	if last >= total/2 {
		t.Errorf("%d bytes were taken from the command while nobody read", last)
	}
	all := slurp(r)
	finish(t, s, cmd)
	w.Close()
	if got := len(<-all); got != total {
		t.Errorf("%d bytes of %d", got, total)
	}
}

// Another process may have made the caller's pipe non-blocking.
func TestNonBlockingReader(t *testing.T) {
	t.Parallel()
	const total = 4 << 20
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	r, w := os.NewFile(uintptr(p[0]), "r"), os.NewFile(uintptr(p[1]), "w")
	defer r.Close()
	all := slurp(r)
	s, cmd := run(t, Stdio{Out: w}, Auto, &journal{drop: true},
		fmt.Sprintf("head -c %d /dev/zero", total))
	finish(t, s, cmd)
	w.Close()
	if got := len(<-all); got != total {
		t.Errorf("%d bytes of %d", got, total)
	}
}

func TestNothingStaysOpen(t *testing.T) {
	o := newOuter(t)
	r, w := pipePair(t)
	go io.Copy(io.Discard, r)
	for _, mode := range []PTY{Auto, Always} {
		before := descriptors(t)
		for _, caller := range []Stdio{{In: o.peer, Out: o.peer, Err: o.peer},
			{Out: w, Err: o.peer}, {Out: w, Err: w}} {
			s, cmd := run(t, caller, mode, &journal{}, "echo hello")
			finish(t, s, cmd)
		}
		if after := descriptors(t); after != before {
			t.Errorf("%v: %d descriptors before, %d after", mode, before, after)
		}
	}
}

func descriptors(t *testing.T) int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func TestAlwaysIsATerminal(t *testing.T) {
	t.Parallel()
	r, w := pipePair(t)
	all := slurp(r)
	s, cmd := run(t, Stdio{Out: w, Err: w}, Always, &journal{},
		"test -t 1 && test -t 2 && echo both; stty size < /dev/tty; echo err >&2")
	finish(t, s, cmd)
	w.Close()
	if got := string(<-all); got != "both\r\n24 80\r\nerr\r\n" {
		t.Errorf("%q", got)
	}
}
