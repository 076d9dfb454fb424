package integration

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// A person answers at a terminal, and tada-run looks at the process that holds its other end and at
// the ancestors of the command. A test gets such a terminal with a program that is called xterm,
// makes a terminal, starts the command on it, and has no parent that tada-run knows. The test has
// its keys and its screen, over a socket. That a program can do this is what SECURITY.md says about
// an agent of which only the commands are wrapped.

// terminalName is the name of the terminal program, which tada-run knows.
const terminalName = "xterm"

// A terminal is one at which a person could be.
type terminal struct {
	// keys in, screen out; ends when the command and the processes it left have closed the terminal
	*os.File
	status chan error // of the command, once
}

// Wait returns how the command ended, as exec.Cmd.Wait does for a failed one.
func (t *terminal) Wait() error { return <-t.status }

// An exitStatus is that of a command on a terminal.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// startOn starts cmd on a terminal of its own: for all three descriptors, or for those that cmd
// does not set.
func startOn(cmd *exec.Cmd, name string) (*terminal, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "terminal")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, name)
	if err := linkOrCopy(self, program); err != nil {
		return nil, err
	}
	fds, err := socketPair()
	if err != nil {
		return nil, err
	}
	if err := syscall.SetNonblock(fds[0], true); err != nil { // or Close would not end a Read
		return nil, err
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "terminal"), os.NewFile(uintptr(fds[1]), "terminal")
	defer theirs.Close()
	said, say, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer say.Close()
	kept := ""
	files := []*os.File{theirs, say}
	for i, f := range []any{cmd.Stdin, cmd.Stdout, cmd.Stderr} {
		if f, ok := f.(*os.File); ok {
			files, kept = append(files, f), kept+strconv.Itoa(i)
		}
	}
	start := exec.Command(program, append([]string{terminalRole, kept, cmd.Path}, cmd.Args...)...)
	start.Dir, start.Env, start.ExtraFiles, start.Stderr = cmd.Dir, cmd.Env, files, os.Stderr
	if out, err := start.Output(); err != nil { // it ends at once, and orphans its child
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	t := &terminal{File: ours, status: make(chan error, 1)}
	go func() {
		defer said.Close()
		text, _ := io.ReadAll(said)
		switch n, err := strconv.Atoi(string(text)); {
		case err != nil:
			t.status <- fmt.Errorf("the terminal said %q", text)
		case n != 0:
			t.status <- exitStatus(n)
		default:
			t.status <- nil
		}
	}()
	return t, nil
}

func linkOrCopy(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	program, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return hermetic.WriteProgram(to, program, 0o755)
}

// The roles of the test binary as a terminal: the first starts the second and ends, so that the
// second has no parent that tada-run knows.
const (
	terminalRole = "start-a-terminal"
	holdRole     = "hold-a-terminal"
)

// terminalMain runs a role. Its arguments: which descriptors the command keeps, its path, its argv.
func terminalMain() {
	switch {
	case len(os.Args) == 3 && filepath.Base(os.Args[0]) == "node":
		// an agent's script: see caller_test.go
		cmd := exec.Command("bash", "-c", os.Args[2])
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		_ = cmd.Run()
		os.Exit(cmd.ProcessState.ExitCode())
	case len(os.Args) > 1 && os.Args[1] == terminalRole:
		os.Exit(leaveTerminal())
	case len(os.Args) > 1 && os.Args[1] == holdRole:
		os.Exit(holdTerminal())
	}
}

func inherited(n int) (files []*os.File) {
	for i := range n {
		syscall.CloseOnExec(3 + i)
		files = append(files, os.NewFile(uintptr(3+i), "inherited"))
	}
	return files
}

func leaveTerminal() int {
	cmd := exec.Command("/proc/self/exe",
		append([]string{holdRole, strconv.Itoa(os.Getpid())}, os.Args[2:]...)...)
	if self, err := os.Readlink("/proc/self/exe"); err == nil {
		cmd.Path, cmd.Args[0] = self, filepath.Base(self)
	}
	cmd.Stderr = os.Stderr
	cmd.ExtraFiles = inherited(2 + len(os.Args[2]))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func holdTerminal() int {
	parent, kept, path, argv := os.Args[2], os.Args[3], os.Args[4], os.Args[5:]
	for strconv.Itoa(os.Getppid()) == parent { // until it is orphaned
		time.Sleep(time.Millisecond)
	}
	files := inherited(2 + len(kept))
	screen, say := files[0], files[1]
	cmd := &exec.Cmd{Path: path, Args: argv, Env: os.Environ()}
	for i, at := range kept {
		switch f := files[2+i]; at {
		case '0':
			cmd.Stdin = f
		case '1':
			cmd.Stdout = f
		case '2':
			cmd.Stderr = f
		}
	}
	tty, err := startOnNew(cmd)
	if err != nil {
		fmt.Fprint(say, err)
		return 1
	}
	for _, f := range files[2:] {
		f.Close()
	}
	go func() {
		_, _ = io.Copy(tty, screen)
		// the person has left: the other end is closed, and what runs on the terminal gets SIGHUP
		os.Exit(0)
	}()
	shown := make(chan struct{})
	go func() {
		_, _ = io.Copy(screen, tty)
		close(shown)
	}()
	_ = cmd.Wait()
	status := cmd.ProcessState.ExitCode()
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		status = 128 + int(ws.Signal())
	}
	fmt.Fprint(say, status)
	say.Close()
	<-shown
	return 0
}

// startOnNew starts a command on a terminal that loses no output.
func startOnNew(cmd *exec.Cmd) (*os.File, error) {
	screen, tty, err := pty.Open()
	if err != nil {
		return nil, err
	}
	defer tty.Close()
	if err = keepOutput(int(tty.Fd())); err == nil {
		err = pty.Setsize(tty, &pty.Winsize{Rows: 40, Cols: 100})
	}
	if cmd.Stdin == nil {
		cmd.Stdin = tty
	}
	if cmd.Stdout == nil {
		cmd.Stdout = tty
	}
	if cmd.Stderr == nil {
		cmd.Stderr = tty
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		screen.Close()
		return nil, err
	}
	return screen, nil
}

// personMain is the command of stories that answers like a person: person COMMAND [ARG ...] runs it
// on a terminal, with its output where the story has it, and approves whatever it asks there.
func personMain() {
	path, err := exec.LookPath(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(127)
	}
	cmd := exec.Command(path, os.Args[2:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = os.Environ(), os.Stdout, os.Stderr
	t, err := startOn(cmd, terminalName)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(125)
	}
	go approving(t)
	switch err := t.Wait().(type) {
	case nil:
	case exitStatus:
		os.Exit(int(err))
	default:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(125)
	}
	os.Exit(0)
}

// approving types what a question asks for, as soon as it may be typed: a key, or characters.
func approving(t io.ReadWriter) {
	s := watch(t)
	typed := ""
	for {
		switch which, err := s.showsOne("y: approve", "type yes: ", "space: more",
			"v: details first", "? (yes) ", " to approve "); {
		case err != nil:
			return
		case which == 0:
			_, _ = io.WriteString(t, "y")
		case which == 1, which == 4:
			_, _ = io.WriteString(t, "yes\r")
		case which == 2:
			_, _ = io.WriteString(t, " ")
		case which == 3:
			_, _ = io.WriteString(t, "v")
		default:
			words := strings.Fields(s.before())
			if word := words[len(words)-1]; word != typed {
				// the row is drawn again with each character
				typed = word
			} else {
				continue
			}
			for _, key := range typed {
				time.Sleep(20 * time.Millisecond) // a person does not type a burst of keys
				_, _ = io.WriteString(t, string(key))
			}
		}
	}
}

// showsOne waits until one of several texts was shown and returns which; an error means that the
// screen is gone.
func (s *screen) showsOne(texts ...string) (int, error) {
	for {
		s.mu.Lock()
		first, which := -1, 0
		for i, text := range texts {
			if at := strings.Index(s.buf.String()[s.seen:], text); at >= 0 &&
				(first < 0 || at < first) {
				first, which = at, i
			}
		}
		if first >= 0 {
			s.from, s.seen = s.seen+first, s.seen+first+len(texts[which])
		}
		s.mu.Unlock()
		if first >= 0 {
			return which, nil
		}
		select {
		case <-s.more:
		case <-s.done:
			return 0, io.EOF
		}
	}
}

// before returns what the screen showed ahead of the last match.
func (s *screen) before() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()[:s.from]
}

// asPerson starts a command line in the place, on a terminal of its own.
func (p *place) asPerson(line string) (*screen, *terminal) {
	p.t.Helper()
	t, err := startOn(p.command(line), terminalName)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { t.Close() })
	return watch(t), t
}

// printing starts a line on a terminal whose other end a program of that name holds, with its
// output in a pipe.
func (p *place) printing(name, line string) (*terminal, *os.File) {
	p.t.Helper()
	out, in, err := os.Pipe()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := p.command(line)
	cmd.Stdout, cmd.Stderr = in, in
	t, err := startOn(cmd, name)
	in.Close()
	if err != nil {
		out.Close()
		p.t.Fatal(err)
	}
	return t, out
}

// answered runs a line on the terminal of a person who approves whatever is asked there, and
// returns what was printed.
func (p *place) answered(line string) string {
	p.t.Helper()
	t, out := p.printing(terminalName, line)
	defer out.Close()
	defer t.Close()
	go approving(t)
	text, _ := io.ReadAll(out)
	_ = t.Wait()
	return string(text)
}
