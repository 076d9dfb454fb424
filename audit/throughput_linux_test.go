package audit

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// A way is one way to pass a lot of output on, and what it cost.
type way struct {
	name string
	run  func(t *testing.T, command, dir string) *os.ProcessState
	wall []float64
	cpu  []float64

	failed bool // could not run here
}

// TestThroughput prints what recording much output costs, compared with copies that record nothing
// and with other installed recorders. On a busy machine only ratios of neighbours mean something.
// So all run in turn, round by round, and the test prints the medians of each round's ratio to the
// first way, in time and in processor time (of all processes together). It is a report for people
// and runs only on request:
//
//	BENCH_PEERS=1 [BENCH_MB=200] [TADA_RUN=path] go test -run TestThroughput -v ./audit
func TestThroughput(t *testing.T) {
	if os.Getenv("BENCH_PEERS") == "" {
		t.Skip("a report for people: BENCH_PEERS=1 go test -run TestThroughput -v ./audit")
	}
	if run := os.Getenv("TADA_RUN"); run != "" {
		// Without a tadactl beside it, it packs nothing; packing would run while the next way is
		// measured.
		program, err := os.ReadFile(run)
		must(t, err)
		alone := filepath.Join(t.TempDir(), "tada-run")
		must(t, hermetic.WriteProgram(alone, program, 0o755))
		t.Setenv("TADA_RUN", alone)
	}
	mb, err := strconv.Atoi(os.Getenv("BENCH_MB"))
	if err != nil {
		mb = 200
	}
	lines := fmt.Sprintf("yes %060d | head -c %d", 7, mb<<20)
	compareWays(t, fmt.Sprintf("%d MiB of lines on a pty", mb), lines, append([]*way{
		{name: "raw Go copy that drops it", run: rawPTY(nil)},
		{name: "and SHA-256", run: rawPTY(func(string) (io.WriteCloser,
			error) {
			return hashing{sha256.New()}, nil
		})},
		{name: "and write to a file",
			run: rawPTY(func(dir string) (io.WriteCloser,
				error) {
				return os.Create(filepath.Join(dir, "raw"))
			})},
		{name: "and Recorder", run: rawPTY(newSink)},
	}, recorders()...))
	compareWays(t, fmt.Sprintf("%d MiB of lines through a pipe", mb), lines, append([]*way{
		{name: "cat, sha256sum", run: shell("cat | sha256sum")},
		{name: "cat", run: shell("cat")},
		{name: "Recorder", run: rawPipe(newSink)},
	}, tadaPipe()...))
}

func compareWays(t *testing.T, title, command string, ways []*way) {
	const rounds = 5
	for round := range rounds + 1 {
		var wall, cpu float64
		for i, w := range ways {
			if w.failed {
				continue
			}
			dir := t.TempDir()
			before, began := childTime(t), time.Now()
			state := w.run(t, command, dir)
			if !state.Success() {
				w.failed = true
				continue
			}
			took, used := time.Since(began).Seconds(), (childTime(t) - before).Seconds()
			if i == 0 {
				wall, cpu = took, used
			}
			if round > 0 { // the first fills caches
				w.wall, w.cpu = append(w.wall, took/wall), append(w.cpu, used/cpu)
			}
			os.RemoveAll(dir)
		}
	}
	fmt.Printf("\n%s, %d rounds\n\n| | time | processor time |\n|---|---|---|\n", title, rounds)
	for _, w := range ways {
		if w.failed {
			fmt.Printf("| %s | does not run here | |\n", w.name)
			continue
		}
		slices.Sort(w.wall)
		slices.Sort(w.cpu)
		fmt.Printf("| %s | %.2f | %.2f |\n", w.name, w.wall[len(w.wall)/2], w.cpu[len(w.cpu)/2])
	}
}

// childTime is the processor time of this process and of all children that it waited for.
func childTime(t *testing.T) time.Duration {
	var self, children syscall.Rusage
	must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &self))
	must(t, syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children))
	return time.Duration(self.Utime.Nano() + self.Stime.Nano() + children.Utime.Nano() +
		children.Stime.Nano())
}

type hashing struct{ io.Writer }

func (hashing) Close() error { return nil }

// sink records what is written to it, like the session's relay.
type sink struct{ *Recorder }

func (s sink) Write(p []byte) (int, error) { return len(p), s.Output(CodeOutput, p) }

func (s sink) Close() error {
	_, err := s.Recorder.Close()
	return err
}

func newSink(dir string) (io.WriteCloser, error) {
	start := time.Now()
	r, err := Create(filepath.Join(dir, "a.cast"), Header{},
		RecordOptions{Now: func() time.Duration { return time.Since(start) }, Rand: rand.Reader})
	return sink{r}, err
}

// drain copies everything to a new sink in pieces of up to 128 KiB: a pty
// gives at most 4095 bytes a read, and a pipe what there is.
func drain(t *testing.T, from *os.File, open func(string) (io.WriteCloser, error), dir string) {
	t.Helper()
	var to io.WriteCloser
	if open != nil {
		var err error
		to, err = open(dir)
		must(t, err)
	}
	buf := make([]byte, 128<<10)
	fd := int(from.Fd())
	must(t, unix.SetNonblock(fd, true))
	for {
		n, err := 0, error(nil)
		for n < len(buf) && err == nil {
			var got int
			if got, err = unix.Read(fd, buf[n:]); got <= 0 {
				break
			}
			n += got
		}
		if n > 0 && to != nil {
			_, err := to.Write(buf[:n])
			must(t, err)
		}
		if errors.Is(err, unix.EAGAIN) {
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
		} else if !errors.Is(err, unix.EINTR) && (err != nil || n == 0) {
			break
		}
	}
	if to != nil {
		must(t, to.Close())
	}
}

func rawPTY(open func(string) (io.WriteCloser, error)) func(*testing.T, string,
	string) *os.ProcessState {
	return func(t *testing.T, command, dir string) *os.ProcessState {
		m, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
		must(t, err)
		defer m.Close()
		must(t, unix.IoctlSetPointerInt(int(m.Fd()), unix.TIOCSPTLCK, 0))
		peer, _, errno := unix.Syscall(unix.SYS_IOCTL, m.Fd(), unix.TIOCGPTPEER,
			unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC)
		if errno != 0 {
			t.Fatal(errno)
		}
		tty := os.NewFile(peer, "tty")
		cmd := exec.Command("bash", "-c", command)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		must(t, cmd.Start())
		tty.Close()
		drain(t, m, open, dir)
		_ = cmd.Wait()
		return cmd.ProcessState
	}
}

func rawPipe(open func(string) (io.WriteCloser, error)) func(*testing.T, string,
	string) *os.ProcessState {
	return func(t *testing.T, command, dir string) *os.ProcessState {
		r, w, err := os.Pipe()
		must(t, err)
		defer r.Close()
		cmd := exec.Command("bash", "-c", command)
		cmd.Stdout = w
		must(t, cmd.Start())
		w.Close()
		drain(t, r, open, dir)
		_ = cmd.Wait()
		return cmd.ProcessState
	}
}

func shell(reader string) func(*testing.T, string, string) *os.ProcessState {
	return func(t *testing.T, command, _ string) *os.ProcessState {
		cmd := exec.Command("bash", "-c", command+" | "+reader+" > /dev/null")
		must(t, cmd.Run())
		return cmd.ProcessState
	}
}

// program runs another recorder; its terminal output is dropped as in the raw copy.
func program(argv func(command, dir string) []string) func(*testing.T, string,
	string) *os.ProcessState {
	return func(t *testing.T, command, dir string) *os.ProcessState {
		words := argv(command, dir)
		for i, w := range words {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		return rawPTY(nil)(t, "exec "+strings.Join(words, " "), dir)
	}
}

// recorders are the installed ones. TADA_RUN names the binary of this project.
func recorders() []*way {
	var list []*way
	add := func(name, binary string, argv func(command, dir string) []string) {
		if _, err := exec.LookPath(binary); err == nil {
			list = append(list, &way{name: name, run: program(argv)})
		}
	}
	if run := os.Getenv("TADA_RUN"); run != "" {
		add("tada-run", run, func(c, dir string) []string {
			return []string{run, "--home", filepath.Join(dir, "home"), c}
		})
		// The first way reads one terminal; a run that shows what it records on a terminal needs
		// two. This one drops the output too.
		list = append(list, &way{name: "tada-run, output dropped",
			run: func(t *testing.T, c, dir string) *os.ProcessState {
				cmd := exec.Command(run, "--home", filepath.Join(dir, "home"), "--pty", "always", c)
				must(t, cmd.Run())
				return cmd.ProcessState
			}})
	}
	add("script", "script", func(c, dir string) []string {
		return []string{"script", "-q", "-e", "-c", c, "-O", filepath.Join(dir, "s"), "-T",
			filepath.Join(dir, "t")}
	})
	add("asciinema rec", "asciinema", func(c, dir string) []string {
		return []string{"asciinema", "rec", "-q", "-c", c, filepath.Join(dir, "a.cast")}
	})
	add("tlog-rec", "tlog-rec", func(c, dir string) []string {
		argv := []string{"tlog-rec", "--writer=file", "--file-path=" + filepath.Join(dir, "t.log"),
			"bash", "-c", c}
		if _, err := os.Stat("/run/utmp"); err != nil && os.Getuid() == 0 {
			// It does not record if no file says who is logged in: in a mount namespace of its own
			// it sees one.
			argv = append([]string{"unshare", "-m", "sh", "-c",
				`mount -t tmpfs tmpfs /run && touch /run/utmp && mkdir /run/tlog && exec "$@"`,
				"sh"}, argv...)
		}
		return argv
	})
	if os.Getuid() == 0 {
		// sudo reads only one sudoers file: the one that it sees in a mount namespace of its own.
		// Its log is written to the folder, uncompressed.
		add("sudo, log_output", "sudo", func(c, dir string) []string {
			conf := "Defaults log_output, !compress_io, iolog_dir=" + dir +
				"/io\nroot ALL=(ALL:ALL) NOPASSWD: ALL\n"
			file := filepath.Join(dir, "sudoers")
			_ = os.WriteFile(file, []byte(conf), 0o440)
			return []string{"unshare", "-m", "sh", "-c",
				`mount --bind "$1" /etc/sudoers && exec sudo -n bash -c "$2"`, "sh", file, c}
		})
	}
	return list
}

func tadaPipe() []*way {
	run := os.Getenv("TADA_RUN")
	if run == "" {
		return nil
	}
	return []*way{{name: "tada-run", run: func(t *testing.T, command, dir string) *os.ProcessState {
		cmd := exec.Command("bash", "-c", `"$0" --home "$1" "$2" | cat > /dev/null`, run,
			filepath.Join(dir, "home"), command)
		must(t, cmd.Run())
		return cmd.ProcessState
	}}}
}
