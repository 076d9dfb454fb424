package integration

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
)

// answering are the commands that answer for a person, by their action in the table of channels; a
// row of the table without one fails the test. $id is an open question of risk 1, $high one of risk
// 2.
var answering = map[approval.Action][]string{
	approval.ApproveLow: {"tadactl approve $id", "tadactl approve $id --plan $plan",
		"tadactl inbox", "tadactl inbox --web", "tadactl console"},
	approval.ApproveHigh:     {"tadactl approve $high"},
	approval.ApproveCritical: {}, // the same command: the risk is the question's
	approval.Deny:            {},
	approval.TakeBack:        {"tadactl deny --undo $id"},
	approval.Remember:        {"tadactl approve $id --uses 3", "tadactl approve $id --for 1h"},
	approval.Revoke:          {},
	approval.Sign: {"tadactl export-request $id | tadactl sign -",
		"tadactl key delegate --machine m \"$(cat line)\""},
	approval.TakeOver: {}, // TestAgentsCannotTakeOver
	approval.AcceptFile: {"tadactl tamper accept TODO.md --reason x",
		"tadactl tamper accept TODO.md --reason x --digest 0",
		"tadactl tamper accept security.tamper_proof --reason x"},
	approval.RestoreFile:  {"tadactl tamper restore TODO.md"},
	approval.AcceptRecord: {"tadactl audit accept --reason x"},
	approval.EditPolicy:   {"EDITOR=true tadactl policy edit"},
	approval.SetUp: {"tadactl setup", "tadactl setup --dry-run", "tadactl setup --plan 0",
		"tadactl setup --undo"},
	approval.Enrol: {"tadactl key init me --no-passphrase",
		"tadactl key trust \"$(cat line)\"", "tadactl key totp"},
	approval.Mend:       {"tadactl approvals rebuild"},
	approval.TestPeople: {"tadactl approvals canary"},
}

// asked is a place with two open questions, a changed protected file, and the line of a key.
func asked(t *testing.T) *place {
	t.Helper()
	p := newPlace(t).asking()
	for name, text := range map[string]string{"TODO.md": "one\n",
		"line": "ed25519 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo= ada\n"} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.run("tada-run 'ls'; tada-run 'rm -rf build'; tada-run 'rm -rf /srv/none'; echo two >> TODO.md; tadactl tamper diff")
	return p
}

// vars puts the ids into a command line.
const vars = `id=$(tadactl pending | sed -n 's/ .*R1.*//p'); high=$(tadactl pending | sed -n 's/ .*R2.*//p')
plan=$(tadactl show --json $id | sed 's/.*"plan_hash":"\([^"]*\)".*/\1/'); test -n "$id" -a -n "$high" -a -n "$plan" || echo NO QUESTION
`

// agentCalled makes a link to bash with the name of an agent's program, so that it can run a line.
func agentCalled(t *testing.T, p *place, name string) string {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(filepath.Dir(p.dir), "bin", name)
	if err := linkOrCopy(bash, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// An agentWay is a way in which an agent reaches a command for people.
type agentWay struct {
	// the program at the other end of its terminal; "" for no terminal
	holder string
	wrap   func(line string) string // makes the command line that it runs
	says   string                   // why it is refused
}

func (w agentWay) run(p *place, line string) string {
	if w.holder == "" {
		return p.run(w.wrap(line))
	}
	return p.terminalOf(w.holder, w.wrap(line))
}

// agentWays are tried with every command for people: a mark in the environment, an agent's program
// as the parent or above it, and a terminal whose other end is not a person's.
func agentWays(t *testing.T, p *place) map[string]agentWay {
	t.Helper()
	agent := agentCalled(t, p, "codex")
	quoted := func(line string) string { return "'" + strings.ReplaceAll(line, "'", `'\''`) + "'" }
	plain := func(line string) string { return line }
	clean := `env -i PATH="$PATH" TRANSCRIPT_HOME="$TRANSCRIPT_HOME" TERM=xterm bash -c `
	return map[string]agentWay{
		"no terminal": {"", func(l string) string { return "(" + l + ") < /dev/null" },
			"is not in the foreground of a terminal"},
		"a variable": {terminalName, func(l string) string { return "export CLAUDECODE=1; " + l },
			"CLAUDECODE is set"},
		"a variable above": {terminalName, func(l string) string {
			return "CLAUDECODE=1 bash -c " + quoted("env -u CLAUDECODE bash -c "+quoted(l)+"; true")
		}, "CLAUDECODE is set in the environment of its ancestor bash"},
		"a program": {terminalName,
			func(l string) string { return agent + " -c " + quoted(l+"; true") },
			"its ancestor codex (process"},
		"a program above": {terminalName,
			func(l string) string {
				return agent + " -c " + quoted(clean+quoted(l+"; true")+"; true")
			}, "its ancestor codex (process"},
		"a script of node": {terminalName, func(l string) string {
			return p.node(t) + " /x/@anthropic-ai/claude-code/cli.js " + quoted(l)
		}, "is an agent"},
		"the agent's terminal":  {"codex", plain, "codex"},
		"a terminal of unknown": {"python3", plain, "is not a known terminal program"},
	}
}

// answeredWhere is where a refusal sends the user: to answer, or to run the command.
func answeredWhere(a approval.Action) string {
	switch a {
	case approval.ApproveLow, approval.ApproveHigh, approval.Remember:
		return "answer in your own terminal"
	}
	return "this needs a person at a terminal"
}

// Y: a process that comes from an agent's program, in any way, answers nothing for a person, over
// no channel, with no command; a person at the same terminal does.
func TestAgentsAnswerNothing(t *testing.T) {
	t.Parallel()
	p := asked(t)
	ways := agentWays(t, p)
	var tried []string
	script := vars
	var where []string
	for action, lines := range answering {
		for _, line := range lines {
			where = append(where, answeredWhere(action))
			script += fmt.Sprintf("echo '@@%d@'; (%s) 2>&1\n", len(tried), line)
			tried = append(tried, line)
		}
	}
	for name, way := range ways {
		out := way.run(p, script)
		for i, line := range tried {
			_, said, ran := strings.Cut(out, fmt.Sprintf("@@%d@\n", i))
			said, _, _ = strings.Cut(said, "@@")
			if !ran || !strings.Contains(said, way.says) || !strings.Contains(said, where[i]) {
				t.Errorf("%s: %q: %s", name, line, said)
			}
		}
	}
	for _, row := range approval.ChannelRows() {
		if _, known := answering[row.Action]; !known {
			t.Errorf("no command is tried for %q", row.Action)
		}
	}
	left := p.run("tadactl pending; cat TODO.md; tadactl key show; tadactl approvals stats --json")
	if strings.Count(left, " R") != 2 || !strings.Contains(left, "two") ||
		strings.Contains(left, "trusts") || strings.Contains(left, "answered") {
		t.Errorf("something was answered: %s", left)
	}
	if out := p.run("tadactl log --json --kind approval.refused"); !strings.Contains(out,
		`"channel":"agent"`) || !strings.Contains(out, `"holder":"codex (process`) {
		t.Errorf("the attempts are not on record: %.2000s", out)
	}
	// The same, by a person.
	for _, line := range []string{"tadactl approve $id", "tadactl approve $high",
		"tadactl tamper accept TODO.md --reason x", "tadactl key init me --no-passphrase"} {
		if out := p.answered(vars + line + "; echo status $?"); !strings.Contains(out, "status 0") {
			t.Errorf("a person: %q: %s", line, out)
		}
	}
}

// Y1: a process that comes from an agent's program, in any way, cannot take over a session; a
// person at the same terminal can.
func TestAgentsCannotTakeOver(t *testing.T) {
	t.Parallel()
	d, _, id := inside(t, 100, 30)
	ways := agentWays(t, d.place)
	delete(ways, "no terminal") // which attach itself asks for
	take := "tadactl attach --take " + id
	for name, way := range ways {
		client, err := startOn(d.command(way.wrap("stty cols 400; "+take)), way.holder)
		if err != nil {
			t.Fatal(err)
		}
		s := watch(client)
		for _, want := range []string{"only a person can do this: ", way.says} {
			if err := s.shows(want); err != nil {
				t.Errorf("%s: %v: %q", name, err, s.text())
			}
		}
		_, _ = client.WriteString("\x1dt") // the key, after it was let in to watch
		if err := s.shows("only a person can do this: "); err != nil ||
			strings.Contains(s.text(), "You are in control") {
			t.Errorf("%s: by the key: %v: %q", name, err, s.text())
		}
		client.Close()
	}
	tmux := "tmux -S " + filepath.Join(filepath.Dir(d.dir), "agents") + " -f /dev/null "
	d.run("CLAUDECODE=1 " + tmux + "new-session -d -s s -x 400 -y 50 'env -u CLAUDECODE " + take +
		"'")
	t.Cleanup(func() { d.run(tmux + "kill-server") })
	_, _ = d.asPerson("exec " + tmux + "attach -f ignore-size -t s")
	d.eventually("why a tmux that an agent started takes nothing over", func() bool {
		shown := d.run(tmux + "resize-window -t s -x 400 -y 20; " + tmux + "capture-pane -p -t s")
		return strings.Contains(shown, "only a person can do this: ") &&
			strings.Contains(shown, "CLAUDECODE is set")
	})
	out := d.run("tadactl log")
	if strings.Contains(out, "ctl.takeover") {
		t.Errorf("something took over: %s", out)
	}
	refused := `ctl.refused +sid=` + id + ` .*order="take control" +reason=".*`
	for name, way := range ways { // each attempt is recorded, with how it came
		if !regexp.MustCompile(refused + regexp.QuoteMeta(way.says)).MatchString(out) {
			t.Errorf("%s: the refused takeover is not on record: %s", name, out)
		}
	}
	if facts := d.run("tadactl log --json --kind ctl.refused"); !strings.Contains(facts,
		`"via":{"ancestors":["`) || !strings.Contains(facts, `"channel":"agent"`) {
		t.Errorf("the record does not say how they came: %s", facts)
	}
	if mark := d.run("tadactl export --format cast " + id); !strings.Contains(mark,
		" was refused: take control") {
		t.Errorf("the transcript does not show them: %s", mark)
	}
	s, _ := d.asPerson(take)
	if err := s.shows("You are in control"); err != nil {
		t.Errorf("a person: %v: %q", err, s.text())
	}
}

// Y1: a command that asks on a terminal where no person is recognised says so once, and why, and
// what to type; the question stays open.
func TestUnrecognisedTerminalSaysWhy(t *testing.T) {
	t.Parallel()
	p := newPlace(t).asking()
	for name, why := range map[string]string{"python3": "is not a known terminal program",
		"codex": "is an agent"} {
		client, err := startOn(p.command("stty cols 400; tada-run 'rm -rf build'; echo status $?"),
			name)
		if err != nil {
			t.Fatal(err)
		}
		s := watch(client)
		if err := s.shows("status 75"); err != nil {
			t.Errorf("%s: %v: %q", name, err, s.text())
		}
		client.Close()
		id := strings.Fields(p.run("tadactl pending") + "none")[0]
		for _, want := range []string{"not asked on this terminal", why} {
			if strings.Count(s.text(), want) != 1 {
				t.Errorf("%s: not once %q: %s", name, want, s.text())
			}
		}
		if !strings.Contains(s.text(), "needs approval: tadactl approve "+id) {
			t.Errorf("%s: %s", name, s.text())
		}
	}
}

// node makes a program called node that runs its second argument as a command line, like an agent's
// script.
func (p *place) node(t *testing.T) string {
	t.Helper()
	path := filepath.Join(filepath.Dir(p.dir), "bin", "node")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := linkOrCopy(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// terminalOf runs a line on a terminal whose other end a program of that name holds, and returns
// what it printed.
func (p *place) terminalOf(name, line string) string {
	p.t.Helper()
	terminal, out := p.printing(name, line)
	defer out.Close()
	defer terminal.Close()
	go func() { _, _ = fmt.Fprint(terminal, "yyyy") }()
	// the command asked instead of refusing
	_ = out.SetReadDeadline(time.Now().Add(time.Minute))
	text, err := io.ReadAll(out)
	if err != nil {
		return string(text) + "\n" + err.Error()
	}
	return string(text)
}

// A tmux that an agent started has no person, even if one is attached to it; the person's own tmux
// has one while a person is attached.
func TestTmuxHasThePersonOfItsTerminals(t *testing.T) {
	t.Parallel()
	need(t, "tmux")
	for name, c := range map[string]struct {
		start  string // of the server
		attach string // the terminal of the client; "" for none
		says   string
	}{
		"of the person":           {"", terminalName, "status 0"},
		"with nobody attached":    {"", "", "shows it on no terminal"},
		"with an agent attached":  {"", "codex", "codex (process"},
		"with a program attached": {"", "python3", "is not a known terminal program"},
		"started by an agent": {"CLAUDECODE=1 ", terminalName,
			"CLAUDECODE is set in the environment of its ancestor tmux"},
		"started by another, cleaned": {"GEMINI_CLI=1 ", terminalName, "GEMINI_CLI is set"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := asked(t)
			tmux := "tmux -S " + filepath.Join(filepath.Dir(p.dir), "tmux") + " -f /dev/null "
			if out := p.run(c.start + tmux +
				"new-session -d -s s -x 100 -y 50 'exec env -u CLAUDECODE -u GEMINI_CLI bash --norc'"); out != "" {
				t.Fatal(out)
			}
			t.Cleanup(func() { p.run(tmux + "kill-server") })
			if c.attach != "" {
				client, err := startOn(p.command("exec "+tmux+"attach -t s"), c.attach)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { client.Close() })
				if err := watch(client).shows("[s]"); err != nil {
					t.Fatal(err)
				}
			}
			said := filepath.Join(p.dir, "said")
			script := filepath.Join(p.dir, "script")
			if err := os.WriteFile(script,
				[]byte(vars+"tadactl approve $id > "+said+" 2>&1; echo status $? >> "+said),
				0o600); err != nil {
				t.Fatal(err)
			}
			p.run(tmux + "send-keys -t s 'bash " + script + "' Enter")
			for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
				if strings.Contains(p.run(tmux+"capture-pane -p -t s"), "y: approve") {
					p.run(tmux + "send-keys -t s y")
				}
				if text, _ := os.ReadFile(said); strings.Contains(string(text), "status ") {
					break
				}
			}
			if text, _ := os.ReadFile(said); !strings.Contains(string(text), c.says) {
				t.Errorf("%s", text)
			}
		})
	}
}
