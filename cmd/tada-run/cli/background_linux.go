package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/session"
)

// A run in the background has a launcher of its own, which outlives this process. It judges, asks
// on this terminal if necessary, and reports on a pipe that the command has started. Then it leaves
// the terminal and the session of the process that started it, and goes on recording.

// reportFD is the descriptor of the pipe in the launcher that stays.
const reportFD = 3

// frontFD is the descriptor of the connection to this process in the launcher of a session.
const frontFD = 4

// background starts that launcher and waits for its report: the id of the session, or the end of
// the pipe if nothing was started. The exit status is then the reason.
func background(argv []string, _ launcher.Place) (int, error) {
	id, status, err := hatch(argv, nil)
	if id != "" {
		fmt.Println(id)
	}
	return status, err
}

// hatch starts a launcher of its own. It returns the id of what it runs, or the status to exit
// with.
func hatch(argv []string, front *os.File) (id string, status int, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", 0, fmt.Errorf("run in the background: %w", err)
	}
	defer r.Close()
	// A reader of one of our pipes must not have to wait for the server to end.
	_ = unix.CloseRange(3, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC)
	args := append([]string{argv[0], "--detached"}, argv[1:]...)
	cmd := exec.Cmd{
		Path: "/proc/self/exe", Args: args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		ExtraFiles: []*os.File{w}, // becomes reportFD
	}
	if front != nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, front) // becomes frontFD
	}
	if err := cmd.Start(); err != nil {
		w.Close()
		return "", 0, fmt.Errorf("run in the background: %w", err)
	}
	w.Close()
	id, err = bufio.NewReader(r).ReadString('\n')
	if err == nil {
		return strings.TrimSpace(id), 0, nil
	}
	if !errors.Is(err, io.EOF) {
		return "", 0, fmt.Errorf("run in the background: %w", err)
	}
	_ = cmd.Wait()
	if s := cmd.ProcessState; s.ExitCode() >= 0 {
		return "", s.ExitCode(), nil
	}
	return "", exit.Failed, nil
}

// detach changes the request so that it needs no terminal: a session has its own terminal, and
// another run has no input, and its output only in the transcript. When the command has started,
// the launcher reports it and releases the terminal.
func detach(req *launcher.Request, inv *invocation) error {
	report := os.NewFile(reportFD, "report")
	if info, err := report.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return &usageError{"--detached is internal to tada-run", "tada-run --background 'COMMAND'"}
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if inv.session {
		req.Hold = hold(req, inv)
	} else {
		out, err := drain()
		if err != nil {
			return err
		}
		req.Stdio = session.Stdio{In: null, Out: out, Err: out}
		req.PTY = session.Never
	}
	req.Started = func(id string) {
		_, _ = syscall.Setsid()
		for fd := range 3 {
			_ = syscall.Dup3(int(null.Fd()), fd, 0)
		}
		fmt.Fprintln(report, id)
		report.Close()
	}
	return nil
}

// hold says who starts the session. A person at a terminal who names no agent is in control as a
// person.
func hold(req *launcher.Request, inv *invocation) *launcher.Hold {
	h := &launcher.Hold{Author: "agent:?" + inv.agent, Shell: len(inv.words) == 0}
	if h.Door, _ = os.Executable(); h.Shell {
		req.Shell.Words = []string{"bash"}
	}
	if isTerminal(req.Stdio.In) && inv.agent == "" {
		h.Author = session.Person
	}
	var st unix.Stat_t
	if unix.Fstat(frontFD, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFSOCK && !inv.background {
		_ = unix.SetNonblock(frontFD, true)
		unix.CloseOnExec(frontFD)
		h.Front = os.NewFile(frontFD, "front")
	}
	return h
}

// drain is a pipe that is read to its end and dropped. Output has to pass through the launcher to
// be recorded, and /dev/null would be passed to the command directly.
func drain() (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	return w, nil
}
