package cli

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/intent"
)

//go:embed usage.txt
var usage string

// A Door is what the process was started with. Only tests set the place: a process that could
// choose it by its environment could choose its own policy.
type Door struct {
	Argv []string
	launcher.Place
}

// Main runs the command line argv and returns the exit status.
func Main(argv []string) int {
	launcher.DeepenStack()
	calm()
	return Run(Door{Argv: argv})
}

// Run is the body of the program; see [Main].
func Run(d Door) int {
	if asksWords(d.Argv) {
		words(os.Stdout, d.Argv[2:])
		return 0
	}
	argv, keeper := kept(d.Argv)
	d.Argv = argv
	inv, err := parseArgs(d.Argv)
	switch {
	case err == nil && inv.help:
		fmt.Print(usage)
		return 0
	case err != nil:
		return report(err)
	case inv.version:
		fmt.Println("tada-run", launcher.Version())
		return 0
	}
	inv.at(d.Place)
	inv.keeper = keeper
	if inv.typedAlone() {
		return report(errNothing())
	}
	if !launcher.Inside() && isTerminal(os.Stdin) && isTerminal(os.Stdout) {
		d.Argv = inv.seat(d.Argv)
	}
	if inv.prompts && !inv.session {
		return report(errInteractive)
	}
	if launcher.Inside() {
		status, err := nested(inv, d.Argv)
		if err != nil {
			return report(err)
		}
		return status
	}
	if err := cramped(); err != nil {
		return report(err)
	}
	if err := ownHook(inv, d.Argv); err != nil {
		return report(err)
	}
	if inv.line != nil {
		return report(&usageError{"--line is internal to sessions", "tada-run --session"})
	}
	if away := inv.away(); away != nil && !inv.detached {
		status, err := away(d.Argv, inv.place)
		if err != nil {
			return report(err)
		}
		return status
	}
	status, err := serve(inv, d.Argv)
	if err != nil {
		return report(err)
	}
	return status
}

// away returns how to start a launcher of its own, which outlives this process; nil if none is
// needed.
func (inv *invocation) away() func(argv []string, place launcher.Place) (int, error) {
	switch {
	case inv.background:
		return background
	case inv.session && !inv.batch && !inv.check:
		return attended
	}
	return nil
}

// seat makes a session of a shell that was started on a terminal without a command, as by tmux and
// login. It returns the command line for its launcher: a shell's own options have no meaning there.
func (inv *invocation) seat(argv []string) []string {
	if !inv.stdin || len(inv.args) > 0 || len(inv.shellFlags) > 0 || inv.check || inv.background {
		return argv
	}
	inv.session, inv.shell, inv.stdin, inv.name = true, false, false, "tada-run"
	if inv.called != "tada-run" {
		return []string{"tada-run"}
	}
	return append([]string{"tada-run"}, argv[1:]...)
}

// serve reads what is to be judged, then checks or runs it.
func serve(inv *invocation, argv []string) (int, error) {
	open := inv.place.OpenToRun
	switch {
	case inv.batch:
		open = inv.place.Open
	case inv.check:
		open = inv.place.OpenToJudge
	}
	l, err := open()
	if err != nil {
		return 0, err
	}
	defer l.Release()
	if inv.fronts(l) {
		l.Release()
		return front(argv)
	}
	req, err := request(l, inv)
	if err != nil {
		return 0, err
	}
	if !inv.check {
		launcher.AdoptOrphans()
	}
	if inv.batch {
		return batch(l, inv, req)
	}
	if inv.check {
		if inv.session {
			req.Hold = &launcher.Hold{Shell: len(inv.words) == 0}
		}
		return check(l, req, inv.json)
	}
	req.Ask = asker(l, inv, req)
	req.Keep = inv.keeper.keep(req.Files)
	if inv.detached {
		if err := detach(&req, inv); err != nil {
			return 0, err
		}
	}
	out, err := l.Run(context.Background(), req)
	if err != nil {
		return 0, err
	}
	if out.Refusal != nil {
		fmt.Fprintln(os.Stderr, out.Refusal.Line())
		if !out.Refusal.Here || !isTerminal(os.Stderr) { // else no program reads it
			fmt.Fprintln(os.Stderr, out.Refusal.JSON())
		}
	}
	if changes := out.RunChanges.String(); out.Stood && changes != "" && req.Ask != nil {
		// the person at this terminal would have been asked
		fmt.Fprintf(os.Stderr, "tada-run: %s: tadactl undo %s\n", changes, out.Session)
	}
	if out.Signal != 0 {
		session.EndBy(syscall.Signal(out.Signal))
	}
	return out.Status, nil
}

// check prints the judgement and returns 0, 75, 77 or 126.
func check(l *launcher.Launcher, req launcher.Request, asJSON bool) (int, error) {
	j, err := l.Judge(req)
	if err != nil {
		return 0, err
	}
	defer j.Close()
	report, err := l.Check(context.Background(), j)
	if err != nil {
		return 0, err
	}
	if asJSON {
		fmt.Println(report.JSON())
	} else {
		fmt.Print(report.Text())
	}
	return report.Status(), nil
}

// request gathers what the launcher needs from the invocation and from the process.
func request(l *launcher.Launcher, inv *invocation) (launcher.Request, error) {
	req := launcher.Request{
		Env: os.Environ(), Agent: inv.agent, WorkItem: inv.workItem, CallID: inv.callID,
		Profile: inv.profile, Origin: inv.origin, Timeout: inv.timeout, Wait: inv.wait,
		Stdio: session.Stdio{In: os.Stdin, Out: os.Stdout, Err: os.Stderr},
		Shell: shell.Call{
			Words: inv.words, Flags: inv.shellFlags, Name: inv.name, Args: inv.args,
			Script: inv.script, Stdin: inv.stdin, Login: inv.login,
			Dialect: shell.DialectOf(inv.called),
		},
	}
	for _, port := range inv.publish {
		req.Publish = append(req.Publish, uint16(port))
	}
	var err error
	if req.Dir, err = os.Getwd(); err != nil {
		return req, fmt.Errorf("the current directory is gone or cannot be read (%v); try: cd /",
			err)
	}
	req.PTY = ptyMode(inv.pty)
	if !inv.detached {
		req.Files = launcher.Inherited()
	}
	if inv.shell {
		req.Door = "SHELL"
	}
	if inv.batch {
		return req, nil
	}
	if inv.intent != "" {
		if req.Intent, err = readIntent(l, req.Dir, inv.intent); err != nil {
			return req, err
		}
	}
	if inv.script != "" && stream(inv.script) { // it is read once, so its text is what runs
		req.Shell.Script = ""
		if err := l.MayRead(req.Dir, inv.script); err != nil {
			return req, err
		}
	}
	req.Shell.Text, err = text(inv)
	return req, err
}

// stream reports whether a script is a pipe, a terminal or a device.
func stream(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// text returns the command line: an argument, a script file, or all of standard input. A shell on a
// terminal without operands would be interactive.
func text(inv *invocation) (string, error) {
	switch {
	case inv.session, inv.words != nil || inv.script != "" && !stream(inv.script):
		return "", nil
	case inv.text != nil:
		return *inv.text, nil
	case inv.script != "":
		return readScript(inv.script)
	case isTerminal(os.Stdin):
		if inv.shell && inv.stdin && !inv.check {
			return "", errInteractive
		}
		return "", &usageError{"no command given", "tada-run 'ls -l'"}
	}
	b, err := readAll(os.Stdin, "standard input")
	if err == nil && inv.bare() && len(bytes.TrimSpace(b)) == 0 {
		return "", errNothing()
	}
	return string(b), err
}

// maxScript limits what is read before it is judged: the text is in memory, and a person could not
// review more.
const maxScript = 16 << 20

func readScript(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := readAll(f, path)
	return string(b), err
}

func readAll(r io.Reader, name string) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxScript+1))
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", name, err)
	}
	if len(b) > maxScript {
		return nil, fmt.Errorf("%q is longer than %d bytes: split it", name, maxScript)
	}
	return b, nil
}

// ptyMode returns the word of --pty, which is one of the modes or "".
func ptyMode(word string) session.PTY {
	for _, m := range []session.PTY{session.Always, session.Never} {
		if word == m.String() {
			return m
		}
	}
	return session.Auto
}

func readIntent(l *launcher.Launcher, dir, path string) (pathguard.Intent, error) {
	f, err := openIntent(l, dir, path)
	if err != nil {
		return pathguard.Intent{}, err
	}
	defer f.Close()
	return intent.Parse(f)
}

// openIntent opens the file of --intent; - is standard input.
func openIntent(l *launcher.Launcher, dir, path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(os.Stdin), nil
	}
	if err := l.MayRead(dir, path); err != nil {
		return nil, err
	}
	return os.Open(filepath.Clean(path))
}

// report prints err as one line and returns its exit status.
func report(err error) int {
	var usage *usageError
	if errors.Is(err, syscall.EMFILE) {
		err = fmt.Errorf("%w; the limit of open files (RLIMIT_NOFILE) is too small for this "+
			"command line; try: ulimit -n 1024", err)
	}
	fmt.Fprintf(os.Stderr, "tada-run: %v\n", err)
	if errors.Is(err, syscall.EROFS) {
		fmt.Fprintln(os.Stderr,
			"tada-run: nothing runs without a record. If another program's sandbox surrounds "+
				"tada-run, let it write the state "+
				"directory (Codex: sandbox_workspace_write.writable_roots in config.toml; Claude "+
				"Code: sandbox.filesystem.allowWrite in settings.json)")
	}
	if !errors.As(err, &usage) {
		return launcher.ExitOf(err)
	}
	if usage.hint != "" {
		fmt.Fprintf(os.Stderr, "tada-run: try: %s\n", usage.hint)
	}
	return exit.Usage
}
