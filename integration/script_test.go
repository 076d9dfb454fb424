package integration

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	runcli "github.com/tada-run/tada-run/cmd/tada-run/cli"
	ctlcli "github.com/tada-run/tada-run/cmd/tadactl/cli"
	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

// TestMain makes the test binary act as both programs by name, so that a transcript runs what was
// just compiled. Only here do the programs get their state directory, and the home of another
// account beside it, as a parameter: no environment variable of the real binaries can move them.
func TestMain(m *testing.M) {
	place := placeOf(os.Args)
	run := func() { os.Exit(runcli.Run(runcli.Door{Argv: os.Args, Place: place})) }
	// A link in a story may have a shell's name. These names are not registered: testscript would
	// put them in PATH before the real shells. Under such a name no test runs, whatever happened to
	// the variable.
	if name := filepath.Base(os.Args[0]); name == "bash" || name == "sh" || name == "tada-sh" ||
		name == "-tada-run" {
		if os.Getenv("TRANSCRIPT_HOME") == "" && !launcher.Inside() {
			os.Exit(exit.Failed)
		}
		run()
	}
	ctl := func() { os.Exit(ctlcli.Run(ctlcli.Door{Argv: os.Args, Place: place})) }
	terminalMain()
	testscript.Main(hermetic.Apart(m), map[string]func(){
		"tada-run": run, "tada-sh": run, "tadactl": ctl, "lockandstop": lockAndStop,
		"person":      personMain,
		"killat":      killAt,
		"judge-world": worldMain,
		"fleet-agent": fleetAgent,
	})
}

// pattern compiles an expression when it is first used: each line of a story starts this program.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// placeOf returns where a program in these tests finds its state and its account: the state that
// the test made, from the variable or, if the environment is empty, from --home; and never the
// account that runs the tests.
func placeOf(args []string) launcher.Place {
	place := launcher.Place{State: os.Getenv("TRANSCRIPT_HOME"), Account: "/proc/no-account"}
	at := place.State
	if i := slices.Index(args, "--home"); at == "" && i >= 0 && i+1 < len(args) {
		at = args[i+1]
	}
	if at != "" {
		place.Account = filepath.Dir(at) + ".account"
	}
	return place
}

func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("UPDATE") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setup,
		Condition:           condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"term":      term,
			"waitfor":   waitfor,
			"corrupt":   corrupt,
			"configure": configure,
		},
	})
}

// setup gives each story a workspace of its own, outside the state directory.
func setup(env *testscript.Env) error {
	work := filepath.Join(env.WorkDir, "repo")
	// as after a first run: no sandbox reads it
	account := filepath.Join(env.WorkDir+".account", ".tada")
	if err := errors.Join(os.MkdirAll(work, 0o755), os.MkdirAll(account, 0o700),
		programs(env.WorkDir)); err != nil {
		return err
	}
	env.Defer(func() { replayed(env) })
	env.Setenv("TRANSCRIPT_HOME", filepath.Join(env.WorkDir, "state"))
	env.Setenv("STATE", filepath.Join(env.WorkDir, "state"))
	env.Setenv("TERM", "xterm")
	env.Setenv("NO_COLOR", "1") // a story that looks at colours says so
	env.Setenv("LANG", "C.UTF-8")
	env.Setenv("SHELL", "/bin/bash")
	for name, path := range map[string]string{
		"CODEX": "../shellparse/testdata/codex.sh", "HOW": "../docs/how.md",
		"SECURITY": "../SECURITY.md", "OLD": "testdata/state",
	} {
		file, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		env.Setenv(name, file)
	}
	return nil
}

// programs replaces the files of a story, which its chmod may turn into programs, with files that
// no process has open for writing.
func programs(dir string) error {
	return filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return errors.Join(os.Remove(name), hermetic.WriteProgram(name, text, 0o644))
	})
}

// condition adds to the conditions of testscript: [root], and [strong] for a machine that supports
// that level.
func condition(cond string) (bool, error) {
	switch cond {
	case "root":
		return os.Getuid() == 0, nil
	case "strong":
		return sandbox.Probe().Level == sandbox.Strong, nil
	}
	return false, fmt.Errorf("unknown condition %q", cond)
}

// term runs a command on a private terminal and plays a dialogue with it:
//
//	term DIALOGUE COMMAND [ARG ...]
//
// A line "< text" of the dialogue waits until the screen has shown text after the last match, ">
// text" types it ("\r" is Enter, "\e" Escape, "^C" Ctrl-C), "~ 500ms" waits. What the screen showed
// becomes the standard output of the step. "! term" requires a non-zero status.
func term(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: term DIALOGUE COMMAND [ARG ...]")
	}
	dialogue := ts.ReadFile(args[0])
	path := args[1]
	if !strings.Contains(path, "/") {
		for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
			if p := filepath.Join(dir, path); executable(p) {
				path = p
				break
			}
		}
	}
	cmd := exec.Command(path, args[2:]...)
	cmd.Args[0] = args[1]
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = scriptEnv(ts)
	tty, err := startOn(cmd, terminalName)
	ts.Check(err)
	defer tty.Close()
	screen := watch(tty)
	if err := play(dialogue, screen, tty); err != nil {
		ts.Fatalf("%v\nscreen:\n%s", err, screen.text())
	}
	// a program that waits for more than was typed
	late := time.AfterFunc(2*time.Minute, func() { tty.Close() })
	err = tty.Wait()
	late.Stop()
	screen.drained()
	fmt.Fprint(ts.Stdout(), strings.ReplaceAll(screen.text(), "\r\n", "\n"))
	var exit exitStatus
	ended := errors.As(err, &exit)
	switch {
	case err == nil && neg:
		ts.Fatalf("unexpected success\nscreen:\n%s", screen.text())
	case ended && !neg:
		ts.Fatalf("%v\nscreen:\n%s", err, screen.text())
	case err != nil && !ended:
		ts.Fatalf("%v", err)
	}
}

func executable(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.Mode()&0o111 != 0 && !info.IsDir()
}

func scriptEnv(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "WORK", "TMPDIR", "TERM", "NO_COLOR", "LANG",
		"SHELL",
		"TRANSCRIPT_HOME", "STATE"} {
		env = append(env, name+"="+ts.Getenv(name))
	}
	return env
}

// A screen collects what a terminal prints.
type screen struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	seen int
	from int // where the last match begins
	more chan struct{}
	done chan struct{}
}

func watch(tty io.Reader) *screen {
	s := &screen{more: make(chan struct{}, 1), done: make(chan struct{})}
	go func() {
		defer close(s.done)
		chunk := make([]byte, 32<<10)
		for {
			n, err := tty.Read(chunk)
			s.mu.Lock()
			s.buf.Write(chunk[:n])
			s.mu.Unlock()
			select {
			case s.more <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	return s
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// drained waits for the end of the output, or a moment: a surviving process may have the terminal
// open.
func (s *screen) drained() {
	select {
	case <-s.done:
	case <-time.After(time.Second):
	}
}

// shows waits until want appears after what was matched before.
func (s *screen) shows(want string) error {
	deadline := time.After(10 * time.Second)
	for {
		s.mu.Lock()
		i := strings.Index(s.buf.String()[s.seen:], want)
		if i >= 0 {
			s.seen += i + len(want)
		}
		s.mu.Unlock()
		if i >= 0 {
			return nil
		}
		select {
		case <-s.more:
		case <-s.done:
			if !strings.Contains(s.text()[s.seen:], want) {
				return fmt.Errorf("the program ended, and the screen never showed %q", want)
			}
		case <-deadline:
			return fmt.Errorf("the screen did not show %q", want)
		}
	}
}

var typed = strings.NewReplacer(`\r`, "\r", `\n`, "\n", `\e`, "\x1b", "^C", "\x03", "^D", "\x04",
	"^Z", "\x1a")

// press types keys. Keys after the end of the program are lost, which is not an error: it may end
// before it asks, and the dialogue says what the screen must show.
func press(tty io.Writer, keys string) error {
	_, err := io.WriteString(tty, keys)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.EIO) {
		return nil
	}
	return err
}

func play(dialogue string, s *screen, tty io.Writer) error {
	for lines := bufio.NewScanner(strings.NewReader(dialogue)); lines.Scan(); {
		verb, rest, _ := strings.Cut(lines.Text(), " ")
		switch verb {
		case "<":
			if err := s.shows(rest); err != nil {
				return err
			}
		case "=": // types the word that the screen shows after this
			if err := s.shows(rest + " "); err != nil {
				return err
			}
			from := s.seen
			if err := s.shows(" "); err != nil {
				return err
			}
			for _, key := range strings.TrimSpace(s.text()[from:s.seen]) {
				// a person does not type a burst of keys
				time.Sleep(50 * time.Millisecond)
				if err := press(tty, string(key)); err != nil {
					return err
				}
			}
		case ">":
			if err := press(tty, typed.Replace(rest)); err != nil {
				return err
			}
		case "~":
			d, err := time.ParseDuration(rest)
			if err != nil {
				return err
			}
			time.Sleep(d)
		case "", "#":
		default:
			return fmt.Errorf("dialogue line %q starts with none of < > = ~ #", lines.Text())
		}
	}
	return nil
}

// waitfor waits until a file exists and is not empty.
func waitfor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitfor FILE")
	}
	for range 1000 {
		if info, err := os.Stat(ts.MkAbs(args[0])); err == nil && info.Size() > 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s did not appear", args[0])
}

// configure adds lines to the person's configuration, as an editor would:
//
//	configure LINE...
func configure(ts *testscript.TestScript, neg bool, lines []string) {
	if neg || len(lines) == 0 {
		ts.Fatalf("usage: configure LINE...")
	}
	dir := ts.Getenv("STATE")
	ts.Check(os.MkdirAll(dir, 0o700))
	f, err := os.OpenFile(filepath.Join(dir, "config.yaml"),
		os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	ts.Check(err)
	_, err = f.WriteString(strings.Join(lines, "\n") + "\n")
	ts.Check(errors.Join(err, f.Close()))
}

// corrupt changes a file like an attacker who wants to rewrite history:
//
//	corrupt FILE byte N      flip the lowest bit of byte N (from the end when negative)
//	corrupt FILE line N      drop line N, counted from 1
//	corrupt FILE tail N      cut the last N bytes
func corrupt(ts *testscript.TestScript, neg bool, args []string) {
	var n int
	if neg || len(args) != 3 {
		ts.Fatalf("usage: corrupt FILE byte|line|tail N")
	}
	if _, err := fmt.Sscan(args[2], &n); err != nil {
		ts.Fatalf("%q is no number", args[2])
	}
	path := ts.MkAbs(args[0])
	data, err := os.ReadFile(path)
	ts.Check(err)
	switch args[1] {
	case "byte":
		if n < 0 {
			n += len(data)
		}
		data[n] ^= 1
	case "line":
		lines := bytes.SplitAfter(data, []byte("\n"))
		data = bytes.Join(append(lines[:n-1:n-1], lines[n:]...), nil)
	case "tail":
		data = data[:len(data)-n]
	default:
		ts.Fatalf("corrupt what? %q", args[1])
	}
	ts.Check(os.WriteFile(path, data, 0o600))
}
