package cli

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/session"
)

// With background: keep, processes that a command leaves running go on, and its caller gets the
// command's status at once. So the launcher is a child of the process that was called, in a session
// of its own. Signals are passed on to it. If the process that was called dies before it knows how
// the command ended, the launcher is killed with everything in the sandbox.

// keeperFlag is the first word of such a launcher, with the number of its end of the connection.
const keeperFlag = "--keeper="

// fronts reports whether this process starts such a launcher. A command with a terminal ends with
// it.
func (inv *invocation) fronts(l *launcher.Launcher) bool {
	return l.Policy().Settings().KeepBackground && inv.keeper == nil && !inv.detached &&
		!inv.batch && !inv.check && inv.pty != session.Always.String() &&
		!isTerminal(os.Stdin) && !isTerminal(os.Stdout) && !isTerminal(os.Stderr)
}

// front starts the launcher, and returns the status of the command or, if none has run, the
// launcher's own.
func front(argv []string) (int, error) {
	ours, theirs, err := session.Peers()
	if err != nil {
		return 0, err
	}
	defer ours.Close()
	number, err := unix.FcntlInt(theirs.Fd(), unix.F_DUPFD, 3)
	theirs.Close()
	if err != nil {
		return 0, fmt.Errorf("start the launcher: %w", err)
	}
	cmd := exec.Cmd{
		Path: "/proc/self/exe", Args: append([]string{argv[0], keeperFlag + strconv.Itoa(number)},
			argv[1:]...),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	err = cmd.Start()
	unix.Close(number)
	if err != nil {
		return 0, fmt.Errorf("start the launcher: %w", err)
	}
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, session.Forwarded()...)
	letGo(nil)
	told := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(ours).ReadString('\n')
		told <- line
	}()
	for {
		select {
		case s := <-signals:
			_ = cmd.Process.Signal(s)
			if s == syscall.SIGTSTP {
				_ = unix.Kill(os.Getpid(), unix.SIGSTOP)
			}
		case line := <-told:
			return ended(&cmd, line)
		}
	}
}

// ended returns the status to exit with: that of line, or without one that of the launcher.
func ended(cmd *exec.Cmd, line string) (int, error) {
	var status, sig int
	if _, err := fmt.Sscanf(line, "%d %d\n", &status, &sig); err != nil {
		_ = cmd.Wait()
		status, sig = cmd.ProcessState.ExitCode(), 0
		if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			sig, status = int(ws.Signal()), session.ExitStatus(ws.Signal())
		}
	}
	if sig != 0 {
		session.EndBy(syscall.Signal(sig))
	}
	return status, nil
}

// letGo closes what the caller has passed: a reader that waits for its end then waits for the
// command's processes, and not for this one.
func letGo(files []int) {
	if null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0); err == nil {
		for fd := range 3 {
			_ = syscall.Dup3(int(null.Fd()), fd, 0)
		}
		null.Close()
	}
	for _, fd := range files {
		unix.Close(fd)
	}
}

// A keeper is the launcher's end of the connection to the process that was called.
type keeper struct {
	conn *os.File
	from int
	over atomic.Bool // the other end is no longer needed
}

// kept removes the first word of such a launcher from its command line; nil for any other process.
func kept(argv []string) ([]string, *keeper) {
	if len(argv) < 2 || !strings.HasPrefix(argv[1], keeperFlag) {
		return argv, nil
	}
	fd, err := strconv.Atoi(argv[1][len(keeperFlag):])
	var st unix.Stat_t
	if err != nil || fd < 3 || unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return argv, nil
	}
	unix.CloseOnExec(fd)
	if unix.SetNonblock(fd, true) != nil {
		return argv, nil
	}
	k := &keeper{conn: os.NewFile(uintptr(fd), "caller"), from: os.Getppid()}
	go func() {
		_, _ = k.conn.Read(make([]byte, 1)) // nothing is ever sent: it is the end
		if !k.over.Load() {
			_ = unix.Kill(os.Getpid(), unix.SIGKILL)
		}
	}()
	return append([]string{argv[0]}, argv[2:]...), k
}

// keep is what the launcher does when the command has ended and something goes on.
func (k *keeper) keep(files []int) *launcher.Keep {
	if k == nil {
		return nil
	}
	return &launcher.Keep{From: k.from, Over: func(out launcher.Outcome) error {
		letGo(files)
		k.over.Store(true)
		_, err := fmt.Fprintf(k.conn, "%d %d\n", out.Status, out.Signal)
		return err
	}}
}
