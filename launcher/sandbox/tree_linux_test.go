package sandbox

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// survivorMain tries to outlive its sandbox in the ways of args, and says so on descriptor 1 before
// it sleeps.
func survivorMain(args []string) {
	signal.Ignore(unix.SIGTERM, unix.SIGHUP, unix.SIGINT, unix.SIGQUIT)
	if len(args) > 1 {
		// One generation more, in a session of its own, its parent gone.
		cmd := exec.Command("/proc/self/exe")
		cmd.Args = append([]string{"survivor"}, args[1:]...)
		cmd.Stdout = os.Stdout
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if args[0] == "leave beside" {
			cmd.SysProcAttr.Cloneflags = unix.CLONE_PARENT
		}
		if err := cmd.Start(); err != nil {
			fmt.Println(err)
		}
		if args[0] == "stay" {
			time.Sleep(time.Hour)
		}
		return
	}
	fmt.Println("ready")
	if strings.HasSuffix(args[0], "stop") {
		unix.Kill(os.Getpid(), unix.SIGSTOP)
	}
	time.Sleep(time.Hour)
}

// subreaperMain kills a launcher that takes a while to die, and adopts what it leaves without ever
// reaping any of it.
func subreaperMain(args []string) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Println(err)
		return
	}
	delay, err := time.ParseDuration(args[0])
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = append([]string{"launcher-slow"}, args[1:]...)
	out, w, _ := os.Pipe()
	cmd.Stdout = w
	if err == nil {
		err = cmd.Start()
	}
	w.Close()
	ready := make([]byte, 5)
	if err == nil {
		_, err = io.ReadFull(out, ready)
	}
	time.Sleep(delay)
	if err == nil {
		err = cmd.Process.Kill()
	}
	fmt.Println("killed", string(ready), err)
	time.Sleep(time.Hour)
}

// slowMain is a launcher with thousands of files, below and above those of its sandbox: while the
// kernel closes them, the launcher is still there and the lifeline is not.
func slowMain(args []string) {
	open := func() {
		var limit unix.Rlimit
		_ = unix.Getrlimit(unix.RLIMIT_NOFILE, &limit)
		for range min(3000, limit.Cur/4) {
			if _, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
				fmt.Println(err)
			}
		}
	}
	open()
	launch(args, open)
}

// launcherMain starts survivors in a sandbox and waits to be killed.
func launcherMain(args []string) { launch(args, func() {}) }

// launch starts survivors in a sandbox, calls then, and waits to be killed.
func launch(args []string, then func()) {
	self, _ := os.Executable()
	p := Default("", "")
	p.Read = append(p.Read, Path{Name: self})
	p.Most, p.Require = Base, Base
	if args[0] == "strong" {
		p.Most, p.Require = Strong, Strong
	}
	_, _, err := Start(p, Command{Path: self, Argv: append([]string{"survivor"}, args[1:]...),
		Files: []*os.File{nil, os.Stdout, os.Stderr}})
	if err != nil {
		fmt.Println(err)
		return
	}
	then()
	time.Sleep(time.Hour) // and no Wait: it would end the tree as soon as the first of it ends
}

// alive returns the processes that have mark among their arguments: the command's, and the
// launcher's with its stewards and inits. What has ended and is not reaped has no arguments.
func alive(mark string) (commands, launchers []string) {
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range names {
		text, _ := os.ReadFile(name)
		switch {
		case !bytes.Contains(text, []byte(mark)), bytes.HasPrefix(text, []byte("subreaper")):
		case bytes.HasPrefix(text, []byte("launcher")):
			launchers = append(launchers, name)
		default:
			commands = append(commands, name)
		}
	}
	return commands, launchers
}

// gone waits for the processes with mark to end; what was sent SIGKILL ends without running again,
// and soon.
func gone(t *testing.T, mark string) {
	t.Helper()
	var left []string
	for range 200 {
		commands, launchers := alive(mark)
		if left = append(commands, launchers...); len(left) == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("still alive: %v", left)
}

var generations = []struct {
	name string
	ways []string
}{
	{"ignores signals", []string{"plain"}},
	{"stopped", []string{"stop"}},
	{"double fork and setsid", []string{"leave", "leave", "plain"}},
	{"double fork and stopped", []string{"leave", "leave", "stop"}},
	{"parent stays", []string{"stay", "leave", "plain"}},
	{"child of the launcher", []string{"leave beside", "plain"}},
	{"stopped child of the launcher", []string{"leave beside", "stop"}},
}

func withMark(ways []string, mark string) []string {
	ways = append([]string(nil), ways...)
	ways[len(ways)-1] = mark + ways[len(ways)-1]
	return ways
}

// The whole tree ends when the launcher is killed with SIGKILL.
func TestLauncherKilled(t *testing.T) {
	for _, level := range []Level{Base, Strong} {
		for _, g := range generations {
			t.Run(level.String()+"/"+g.name, func(t *testing.T) {
				t.Parallel()
				mark := fmt.Sprintf("mark%d-", time.Now().UnixNano())
				cmd := exec.Command(self(t))
				cmd.Args = append([]string{"launcher", level.String()}, withMark(g.ways, mark)...)
				out, err := cmd.StdoutPipe()
				must(t, err)
				must(t, cmd.Start())
				b := make([]byte, 5)
				if _, err := io.ReadFull(out, b); err != nil || string(b) != "ready" {
					t.Fatalf("%q %v", b, err)
				}
				if commands, launchers := alive(mark); len(commands) == 0 || len(launchers) < 2 {
					t.Fatalf("nothing to kill: %v %v", commands, launchers)
				}
				must(t, cmd.Process.Kill())
				gone(t, mark)
				cmd.Wait()
			})
		}
	}
}

// The whole tree ends when the command ends, and when Kill is called.
func TestTreeEnds(t *testing.T) {
	for _, level := range []Level{Base, Strong} {
		for _, g := range generations {
			t.Run(level.String()+"/"+g.name, func(t *testing.T) {
				t.Parallel()
				mark := fmt.Sprintf("mark%d-", time.Now().UnixNano())
				out, in, _ := os.Pipe()
				p := Default("", "")
				p.Read = append(p.Read, Path{Name: self(t)})
				p.Most, p.Require = level, level
				process, _, err := Start(p,
					Command{Path: self(t),
						Argv:  append([]string{"survivor"}, withMark(g.ways, mark)...),
						Files: []*os.File{nil, in, in}})
				in.Close()
				must(t, err)
				b := make([]byte, 5)
				leaves := strings.HasPrefix(g.ways[0], "leave")
				if _, err := io.ReadFull(out, b); (err != nil || string(b) != "ready") && !leaves {
					t.Fatalf("%q %v", b, err)
				}
				if !leaves {
					process.Kill()
				}
				s, err := process.Wait()
				if err != nil || leaves != s.Exited || !leaves && s.Signal != unix.SIGKILL {
					t.Errorf("%+v %v", s, err)
				}
				gone(t, mark)
				// the end of file comes only when the last holder is gone
				rest, err := io.ReadAll(out)
				if err != nil || !leaves && strings.TrimSpace(string(rest)) != "" {
					t.Errorf("%q %v", rest, err)
				}
			})
		}
	}
}

// A launcher is killed, and its parent adopts the command and never reaps it: the namespace of the
// command then has no end, and the steward does not wait for it.
func TestLauncherKilledUnreaped(t *testing.T) {
	for _, level := range []Level{Base, Strong} {
		t.Run(level.String(), func(t *testing.T) {
			t.Parallel()
			for range hermetic.Rounds(20) {
				mark := fmt.Sprintf("mark%d-", time.Now().UnixNano())
				delay := time.Duration(rand.Float64() * float64(20*time.Millisecond))
				cmd := exec.Command(self(t))
				cmd.Args = []string{"subreaper", delay.String(), level.String(), mark + "plain"}
				out, err := cmd.StdoutPipe()
				must(t, err)
				must(t, cmd.Start())
				said, err := bufio.NewReader(out).ReadString('\n')
				if err != nil || said != "killed ready <nil>\n" {
					t.Errorf("%q %v", said, err)
				}
				gone(t, mark)
				must(t, cmd.Process.Kill())
				cmd.Wait()
				if t.Failed() {
					return
				}
			}
		})
	}
}

// The launcher is killed at any moment, in the middle of a start too: nothing is left, not even a
// steward.
func TestLauncherKilledAnytime(t *testing.T) {
	for _, level := range []Level{Base, Strong} {
		t.Run(level.String(), func(t *testing.T) {
			t.Parallel()
			mark := fmt.Sprintf("mark%d-", time.Now().UnixNano())
			start := func() (*exec.Cmd, io.Reader) {
				cmd := exec.Command(self(t))
				cmd.Args = []string{"launcher", level.String(), "leave", "leave", mark + "plain"}
				out, err := cmd.StdoutPipe()
				must(t, err)
				must(t, cmd.Start())
				return cmd, out
			}
			began := time.Now()
			cmd, out := start()
			_, err := io.ReadFull(out, make([]byte, 5))
			must(t, err)
			whole := time.Since(began) // how long a start takes on this machine now
			for range hermetic.Rounds(100) {
				must(t, cmd.Process.Kill())
				cmd.Wait()
				cmd, _ = start()
				time.Sleep(time.Duration(rand.Float64() * 1.2 * float64(whole)))
			}
			must(t, cmd.Process.Kill())
			cmd.Wait()
			gone(t, mark)
		})
	}
}

// What was begun and not let go has not run, can be cancelled at any moment, and leaves nothing.
func TestHeld(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		ran := filepath.Join(p.Write[0].Name, "ran")
		command := Command{Path: "/bin/bash", Argv: []string{"bash", "-c", "echo > " + ran}}
		for i := range 20 {
			held, err := Begin(p, command)
			must(t, err)
			time.Sleep(time.Duration(i%10) * 500 * time.Microsecond)
			guard := held.now.process.guard
			held.Cancel()
			for range 200 {
				if err = unix.Kill(-guard, 0); err == unix.ESRCH { // it led a session
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			if err != unix.ESRCH {
				t.Fatalf("the group of %d: %v", guard, err)
			}
		}
		if _, err := os.Stat(ran); err == nil {
			t.Error("a command ran that was not let go")
		}
		held, err := Begin(p, command)
		must(t, err)
		process, _, err := held.Go()
		must(t, err)
		if s, err := process.Wait(); err != nil || s.Code != 0 {
			t.Errorf("%+v %v", s, err)
		}
		if _, err := os.Stat(ran); err != nil {
			t.Error(err)
		}
	})
}

// nestedMain starts a command from inside a sandbox, where namespaces are refused.
func nestedMain() {
	p := Default("", "")
	p.Write = []Path{{Name: "/usr"}} // the outer sandbox does not let it be written
	process, receipt, err := Start(p,
		Command{Path: "/bin/bash", Argv: []string{"bash", "-c", "sleep 100 & echo inside"},
			Files: []*os.File{nil, os.Stdout, os.Stderr}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := process.Wait()
	fmt.Println(receipt.Level, receipt.Lost[0].Protection, lost(receipt, Metadata), s.Code, err)
}

// Where namespaces are refused, as in most containers, Base is what is had, and the receipt says
// so.
func TestNested(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		p.Read = append(p.Read, Path{Name: self(t)})
		out, in, _ := os.Pipe()
		process, _, err := Start(p, Command{Path: self(t), Argv: []string{"nested"},
			Files: []*os.File{nil, in, in}})
		in.Close()
		must(t, err)
		text, _ := io.ReadAll(out)
		process.Wait()
		// A sandbox inside one that answers calls cannot have an answerer of its own.
		if want := fmt.Sprintf("inside\nbase namespaces %v 0 <nil>\n",
			p.Most == Base); string(text) != want {
			t.Errorf("%q", text)
		}
	})
}

// What guards holds nothing but its lifeline, the pipe that tells of its end and, at Strong, the
// init; its memory is the launcher's own.
func TestGuardHoldsNothing(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		process, _, err := Start(p, Command{Path: "/bin/sleep", Argv: []string{"sleep", "100"}})
		must(t, err)
		defer process.Wait()
		defer process.Kill()
		for range 200 { // it lets go of everything right after the start
			fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", process.guard))
			must(t, err)
			if len(fds) == 2 || len(fds) == 3 && p.Most == Strong {
				smaps, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", process.guard))
				must(t, err)
				for line := range strings.Lines(string(smaps)) {
					if f := strings.Fields(line); strings.HasPrefix(line, "Pss:") ||
						strings.HasPrefix(line, "Private_Dirty:") {
						t.Log(f)
					}
				}
				return
			}
			time.Sleep(time.Millisecond)
		}
		t.Error("the guard holds more than it needs")
	})
}
