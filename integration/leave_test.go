package integration

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A glass is a person's terminal that can be signalled and closed while it is read.
type glass struct {
	*terminal
	screen *screen
	mark   string // a variable of the processes on it
}

func (w *glass) types(text string) { _, _ = w.WriteString(text) }

// signal sends a signal, from a key of the terminal or another, to the terminal's foreground.
func (w *glass) signal(sig syscall.Signal) {
	names, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range names {
		if text, _ := os.ReadFile(name); !strings.Contains(string(text), w.mark) {
			continue
		}
		text, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "stat"))
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest) // state, parent, group, session, terminal, its foreground
		if len(fields) < 6 {
			continue
		}
		if group, _ := strconv.Atoi(fields[5]); group > 1 {
			_ = syscall.Kill(-group, sig)
			return
		}
	}
}

func (w *glass) close() { _ = w.Close() }

// glass runs a line on a terminal of its own.
func (p *place) glass(line string) *glass {
	p.t.Helper()
	w := &glass{mark: "GLASS=" + rand.Text()}
	cmd := p.command(line)
	cmd.Env = append(slices.Clone(p.env), w.mark)
	var err error
	if w.terminal, err = startOn(cmd, terminalName); err != nil {
		p.t.Fatal(err)
	}
	w.screen = watch(w.terminal)
	p.t.Cleanup(w.close)
	return w
}

// Leaving a question is not a denial, however and wherever it is left. At the prompt of the process
// that asked, it is withdrawn; everywhere else it stays open. The same command asks again at once.
// Only a typed n denies.
func TestLeavingAQuestionIsNoDenial(t *testing.T) {
	t.Parallel()
	send := func(sig syscall.Signal) func(*glass) {
		return func(w *glass) { w.signal(sig) }
	}
	keys := func(text string) func(*glass) {
		return func(w *glass) {
			for _, piece := range strings.SplitAfter(text, "\r") {
				w.types(piece)
				// a pause after it distinguishes a lone Escape from a sequence
				time.Sleep(100 * time.Millisecond)
			}
		}
	}
	const asker = "tada-run 'rm -rf %s'; echo status $?"
	const risky = "tada-run 'git push --force origin %s'; echo status $?"
	const approve = "tada-run 'rm -rf %s'; tadactl approve $(tadactl pending | sed -n '/%[1]s/s/ .*//p'); echo status $?"
	const inbox = "tada-run 'rm -rf %s'; tadactl inbox; echo status $?"
	ways := []struct {
		name, command string
		shows         string // before it is left
		leave         func(*glass)
		state         string // of the question afterwards
	}{
		{"q", asker, "y: approve", keys("q"), "withdrawn"},
		{"ctrl-c", asker, "y: approve", keys("\x03"), "withdrawn"},
		{"ctrl-d, end of file", asker, "y: approve", keys("\x04"), "withdrawn"},
		{"ctrl-backslash", asker, "y: approve", keys("\x1c"), "withdrawn"},
		{"escape", asker, "y: approve", keys("\x1b"), "withdrawn"},
		{"escape from a challenge", risky, "to approve", keys("\x1b"), "withdrawn"},
		{"wrong characters", risky, "to approve", keys(strings.Repeat("l", 24)), "withdrawn"},
		{"ctrl-c behind a message", asker, "y: approve", func(w *glass) {
			keys("e")(w)
			time.Sleep(300 * time.Millisecond)
			keys("no reason\x03")(w)
			time.Sleep(900 * time.Millisecond)
			keys("\x03")(w)
		}, "withdrawn"},
		{"interrupt", asker, "y: approve", send(syscall.SIGINT), "withdrawn"},
		{"terminate", asker, "y: approve", send(syscall.SIGTERM), "withdrawn"},
		{"quit", asker, "y: approve", send(syscall.SIGQUIT), "withdrawn"},
		{"hang-up", asker, "y: approve", send(syscall.SIGHUP), "withdrawn"},
		{"the terminal is closed", asker, "y: approve", func(w *glass) { w.close() }, "withdrawn"},
		{"q at approve", approve, "y: approve", keys("q"), "open"},
		{"ctrl-c at approve", approve, "y: approve", keys("\x03"), "open"},
		{"terminate at approve", approve, "y: approve", send(syscall.SIGTERM), "open"},
		{"q in the inbox", inbox, "1 open", keys("q"), "open"},
		{"q at a page of the inbox", inbox, "1 open", keys("\rqq"), "open"},
		{"ctrl-c behind a message in the inbox", inbox, "1 open", keys("\rnno reason\x03"), "open"},
		{"the terminal of the inbox is closed", inbox, "1 open", func(w *glass) { w.close() },
			"open"},
	}
	for i, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t).asking()
			name := fmt.Sprintf("left%d-", i)
			if err := os.MkdirAll(filepath.Join(p.dir, name, "x"), 0o755); err != nil {
				t.Fatal(err)
			}
			command := fmt.Sprintf(way.command, name)
			if strings.HasPrefix(command, "tada-run") && way.state == "open" {
				// asked where it cannot be answered at once
				command = strings.Replace(command, "; tadactl", " < /dev/null; tadactl", 1)
			}
			w := p.glass(command)
			s := w.screen
			if err := s.shows(way.shows); err != nil {
				t.Fatal(err, s.text())
			}
			time.Sleep(600 * time.Millisecond) // the guard time
			way.leave(w)
			log := ""
			for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
				log = p.run("tadactl log --json --kind approval")
				if way.state == "open" && strings.Contains(s.text(), "status ") ||
					strings.Contains(log, `"approval.rejected"`) {
					break
				}
			}
			s.drained()
			if strings.Contains(log, `"outcome":"denied"`) {
				t.Errorf("it counts as a denial: %s\n%s", log, s.text())
			}
			if got := strings.Contains(log,
				`"outcome":"cancelled"`); got != (way.state == "withdrawn") {
				t.Errorf("withdrawn: %v\n%s\n%s", got, log, s.text())
			}
			if way.state == "withdrawn" && p.run("tadactl pending") != "" {
				t.Errorf("still open: %s", p.run("tadactl pending"))
			}
			again := strings.Split(command, ";")[0]
			if out := p.run(again + " </dev/null 2>&1; echo status $?"); !strings.Contains(out,
				"status 75") {
				t.Errorf("the same command does not ask again: %s", out)
			}
		})
	}
}
