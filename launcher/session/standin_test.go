//go:build linux

package session

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// The test binary plays three more parts, each in a process of its own, because process
// groups, controlling terminals and an end by a signal cannot be had inside of a test:
//
//	run      what the launcher does with a session: start bash -c, forward signals, job control
//	monitor  the leader of the command's session, without which the command's group would be
//	         orphaned and the kernel would ignore Ctrl-Z
//	ask      one Ask
const roleVariable = "SESSION_TEST_ROLE"

func TestMain(m *testing.M) {
	role, ok := os.LookupEnv(roleVariable)
	if !ok {
		code := hermetic.Tests(m).Run()
		if wholeDir != "" {
			os.RemoveAll(wholeDir)
		}
		os.Exit(code)
	}
	os.Unsetenv(roleVariable)
	switch role {
	case "run":
		runRole(os.Args[1:])
	case "monitor":
		monitorRole(os.Args[1:])
	case "ask":
		askRole(os.Args[1:])
	}
	os.Exit(99)
}

// role returns a command that plays a part.
func role(name string, args ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+name)
	return cmd
}

// self is the command line by which a shell plays the part run.
func self(t *testing.T, args string) string {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return roleVariable + "=run " + exe + " " + args
}

// A journal is a tap that writes down what it was given.
type journal struct {
	mu      sync.Mutex
	streams [3]strings.Builder
	typed   strings.Builder
	sizes   []string
	hidden  func() bool
	fail    error // what Output returns
	count   int64
	pieces  int  // calls of Output
	drop    bool // keep counts only
	slow    bool // Output takes a while
}

func (j *journal) Output(s Stream, p []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.count += int64(len(p))
	j.pieces++
	if j.slow {
		time.Sleep(50 * time.Millisecond)
	}
	if !j.drop {
		j.streams[s].Write(p)
	}
	return j.fail
}

func (j *journal) Input(author string, p []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.hidden != nil && j.hidden() {
		p = []byte(strings.Repeat("*", len(p)))
	}
	j.typed.Write(p)
	return nil
}

func (j *journal) Resize(cols, rows int) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.sizes = append(j.sizes, fmt.Sprintf("%dx%d", cols, rows))
	return nil
}

// runRole is a launcher without policy, sandbox and log.
func runRole(args []string) {
	flags := flag.NewFlagSet("run", flag.ExitOnError)
	mode := flags.String("pty", "auto", "")
	monitor := flags.Bool("monitor", false, "")
	mishap := flags.String("mishap", "", "panic, slow")
	report := flags.String("report", "", "file for the journal")
	flags.Parse(args)

	tap := &journal{slow: *mishap == "slow"}
	s, err := Open(Stdio{os.Stdin, os.Stdout, os.Stderr},
		map[string]PTY{"always": Always, "never": Never}[*mode], tap)
	check(err)
	tap.hidden = s.Hidden
	defer s.Restore()
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, Forwarded()...)

	c := start(s, *monitor, flags.Arg(0))
	s.Started()
	if *mishap == "panic" {
		for !s.term.isRaw() {
			time.Sleep(time.Millisecond)
		}
		panic("mishap")
	}
	status := c.wait(s, signals)
	check(s.Ended(context.Background()))
	if *report != "" {
		check(os.WriteFile(*report, fmt.Appendf(nil, "typed %q\nsizes %v\n", tap.typed.String(),
			tap.sizes), 0o600))
	}
	if status.Signaled() {
		EndBy(status.Signal())
		os.Exit(ExitStatus(status.Signal()))
	}
	os.Exit(status.ExitStatus())
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "stand-in:", err)
		os.Exit(98)
	}
}

// A started command, with or without a monitor.
type command struct {
	process *os.Process
	leader  int // the command's first process
	stops   chan syscall.Signal
}

func start(s *Session, monitored bool, text string) *command {
	cmd := exec.Command("bash", "-c", text)
	c := &command{stops: make(chan syscall.Signal, 1)}
	var reports *os.File
	if monitored {
		cmd = role("monitor", strconv.Itoa(s.TTY()), text)
		var w *os.File
		var err error
		reports, w, err = os.Pipe()
		check(err)
		defer w.Close()
		cmd.ExtraFiles = []*os.File{w}
	}
	// Assigning a nil *os.File to an interface would not be nil.
	for fd, file := range s.ChildFiles() {
		if file == nil {
			continue
		}
		switch fd {
		case 0:
			cmd.Stdin = file
		case 1:
			cmd.Stdout = file
		case 2:
			cmd.Stderr = file
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if s.TTY() >= 0 {
		cmd.SysProcAttr.Setctty, cmd.SysProcAttr.Ctty = true, s.TTY()
	}
	check(cmd.Start())
	c.process, c.leader = cmd.Process, cmd.Process.Pid
	if monitored {
		lines := bufio.NewReader(reports)
		_, err := fmt.Fscanln(lines, &c.leader)
		check(err)
		if c.leader <= 1 {
			check(fmt.Errorf("the monitor said %d", c.leader)) // its negative is every process
		}
		go func() {
			var n int
			for _, err := fmt.Fscanln(lines, &n); err == nil; _, err = fmt.Fscanln(lines, &n) {
				c.stops <- syscall.Signal(n)
			}
		}()
	}
	return c
}

func (c *command) wait(s *Session, signals <-chan os.Signal) syscall.WaitStatus {
	ended := make(chan syscall.WaitStatus, 1)
	go func() {
		state, err := c.process.Wait()
		check(err)
		ended <- state.Sys().(syscall.WaitStatus)
	}()
	for {
		select {
		case status := <-ended:
			return status
		case sig := <-c.stops:
			check(s.Suspend(sig))
			unix.Kill(-c.leader, unix.SIGCONT)
		case sig := <-signals:
			if sig == syscall.SIGCONT && !Stopped(c.leader) {
				continue
			}
			switch Forward(sig) {
			case Group:
				unix.Kill(-c.leader, sig.(syscall.Signal))
			case Leader:
				unix.Kill(c.leader, sig.(syscall.Signal))
			}
		case <-s.Failed():
			unix.Kill(-c.leader, unix.SIGKILL)
		}
	}
}

// monitorRole leads the session: it runs the command in a new group, in the foreground of the
// private terminal, and reports when the group is stopped.
func monitorRole(args []string) {
	tty, _ := strconv.Atoi(args[0])
	reports := os.NewFile(3, "reports")
	unix.CloseOnExec(3)
	// Caught and not ignored: what is ignored stays so for the command.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTTOU, syscall.SIGTSTP, syscall.SIGTTIN,
		syscall.SIGINT, syscall.SIGQUIT)
	cmd := exec.Command("bash", "-c", args[1])
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if tty >= 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Foreground: true, Ctty: tty}
	}
	check(cmd.Start())
	fmt.Fprintln(reports, cmd.Process.Pid)
	for {
		var status unix.WaitStatus
		_, err := unix.Wait4(cmd.Process.Pid, &status, unix.WUNTRACED, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			os.Exit(97)
		case status.Stopped():
			fmt.Fprintln(reports, int(status.StopSignal()))
		case status.Signaled():
			EndBy(status.Signal())
		default:
			os.Exit(status.ExitStatus())
		}
	}
}
