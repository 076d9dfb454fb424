package approval_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/plan/plantest"
)

// The table of channels agrees with the code: what each risk requires, what a grant covers, and
// that only a person's terminal or a signature can approve.
func TestChannelTable(t *testing.T) {
	channels := approval.Channels()
	if len(channels) != 10 {
		t.Fatalf("%q", channels)
	}
	persons := map[approval.Channel]bool{approval.ChannelTadactl: true,
		approval.ChannelPrompt: true, approval.ChannelInbox: true,
		approval.ChannelWeb: true, approval.ChannelAttach: true}
	known := map[string]bool{"key": true, "type": true, "code": true, "signature": true,
		"grant": true, "some": true, "yes": true, "no": true, "-": true}
	cells := map[approval.Action]map[approval.Channel]string{}
	for _, row := range approval.ChannelRows() {
		if len(row.Takes) != len(channels) {
			t.Fatalf("%q has %d cells", row.Action, len(row.Takes))
		}
		cells[row.Action] = map[approval.Channel]string{}
		for i, takes := range row.Takes {
			if !known[takes] {
				t.Errorf("%q over %q takes %q", row.Action, channels[i], takes)
			}
			cells[row.Action][channels[i]] = takes
			if got := approval.Permits(row.Action,
				channels[i]); got != (takes != "no" && takes != "-") {
				t.Errorf("%q over %q: %v, the table says %q", row.Action, channels[i], got, takes)
			}
		}
	}
	for risk, word := range map[int]string{0: "key", 1: "key", 2: "type", 3: "type"} {
		row := cells[approval.Approve(risk)]
		if (plan.FrictionOf(risk).Challenge > 0) != (word == "type") ||
			row[approval.ChannelTadactl] != word || row[approval.ChannelInbox] != word ||
			row[approval.ChannelPrompt] != word {
			t.Errorf("risk %d: %v", risk, row)
		}
		plan := grantable(t, func(p map[string]any) { p["risk"] = risk })
		if may := len(approval.Grantable(plan)) == 0; may != (row[approval.ChannelGranted] == "grant") {
			t.Errorf("risk %d: a grant covers it: %v, the table says %q", risk, may,
				row[approval.ChannelGranted])
		}
		chosen := grantable(t, func(p map[string]any) {
			p["risk"] = risk
			p["chosen"] = map[string]any{"program": "/usr/bin/git"}
		})
		word := row[approval.ChannelGranted]
		may := len(approval.Grantable(chosen)) == 0
		if may != (word == "grant" || word == "some") {
			t.Errorf("risk %d: a choice covers it: %v, the table says %q", risk, may, word)
		}
		for channel, takes := range row {
			if !persons[channel] && channel != approval.ChannelToken &&
				channel != approval.ChannelGranted && takes != "no" {
				t.Errorf("%q approves risk %d: %q", channel, risk, takes)
			}
		}
	}
	for action, row := range cells {
		if row[approval.ChannelSandbox] != "no" {
			t.Errorf("%q inside of a sandbox: %q", action, row[approval.ChannelSandbox])
		}
		tightens := action == approval.Deny || action == approval.Revoke
		if row[approval.ChannelAgent] != row[approval.ChannelProgram] ||
			(row[approval.ChannelAgent] == "yes") != tightens {
			t.Errorf("%q by an agent: %q, by a program: %q", action, row[approval.ChannelAgent],
				row[approval.ChannelProgram])
		}
	}
	for _, what := range []struct {
		a approval.Action
		c approval.Channel
	}{{"approve R4", approval.ChannelTadactl}, {approval.Deny, "elsewhere"}, {"", ""}} {
		if approval.Permits(what.a, what.c) {
			t.Errorf("%v is permitted", what)
		}
	}
}

// Who is an agent, a program or a person, by what the kernel says about the process, its ancestors
// and its terminal.
func TestWho(t *testing.T) {
	process := func(name string, args ...string) approval.Process {
		return approval.Process{PID: 7, Name: name[:min(15, len(name))], File: "/usr/bin/" + name,
			Args: append([]string{name}, args...)}
	}
	unseen := func(name string) approval.Process { return approval.Process{PID: 7, Name: name} }
	line := func(ps ...approval.Process) []approval.Process {
		return append([]approval.Process{process("tadactl")}, ps...)
	}
	held := func(device string, ps ...approval.Process) approval.Terminal {
		t := approval.Terminal{Device: device, Pseudo: true, Keys: true}
		for _, p := range ps {
			t.Holders = append(t.Holders, approval.Holder{Line: []approval.Process{p}})
		}
		return t
	}
	shown := func(p approval.Process, on ...approval.Terminal) approval.Terminal {
		t := held("pts/1", p)
		t.Holders[0].Shown = on
		return t
	}
	outer := func(p approval.Process) approval.Terminal {
		return approval.Terminal{Device: "pts/1", Pseudo: true, Keys: true,
			Outer: &approval.Holder{Line: []approval.Process{p}}}
	}
	marked := process("bash")
	marked.Marks = []string{"CLAUDECODE"}
	xterm := held("pts/1", process("xterm"))
	for name, c := range map[string]struct {
		line     []approval.Process
		terminal approval.Terminal
		who      approval.Channel
		says     string
	}{
		"a shell in xterm": {line(process("bash"), process("xterm")), xterm, "", ""},
		"a console": {line(process("bash"), unseen("login")),
			approval.Terminal{Device: "tty4:1", Keys: true}, "", ""},
		"gnome": {line(process("bash")),
			held("pts/1", process("gnome-terminal-server")), "", ""},
		"nix": {line(process("bash")),
			held("pts/1", process(".kitty-wrapped")), "", ""},
		"VS Code on the desktop": {line(process("zsh"), process("code", "--type=utility")),
			held("pts/1", process("code", "--type=utility",
				"--utility-sub-type=node.mojom.NodeService")), "", ""},
		"VS Code at the other end": {line(process("zsh")),
			held("pts/1", process("node", "/srv/bootstrap-fork", "--type=ptyHost")), "", ""},
		"another node": {line(process("zsh")),
			held("pts/1", process("node", "/srv/x.js")), approval.ChannelProgram,
			"its terminal pts/1 is controlled by node /srv/x.js (process 7), which is not a known"},
		"JetBrains": {line(process("bash")),
			held("pts/1", process("java", "-cp", "x", "com.intellij.idea.Main")), "", ""},
		"terminator": {line(process("bash")),
			held("pts/1", process("python3.11", "/usr/bin/terminator")), "", ""},
		"a python": {line(process("bash")),
			held("pts/1", process("python3", "/tmp/x.py")), approval.ChannelProgram,
			"is not a known terminal program"},
		"expect": {line(process("bash")), held("pts/1", process("expect")),
			approval.ChannelProgram, "is not a known terminal program"},
		"sshd, unseen": {line(process("bash"), unseen("sshd")), outer(unseen("sshd")),
			"", ""},
		"gnome of another user": {line(process("bash"), unseen("gnome-terminal-")),
			outer(unseen("gnome-terminal-")), "", ""},
		"WSL": {line(process("bash"), unseen("Relay(9)")),
			outer(unseen("Relay(9)")), "", ""},
		"docker exec": {line(process("bash")),
			approval.Terminal{Device: "pts/0", Pseudo: true, Keys: true}, "", ""},
		"nobody's child, unseen": {line(process("bash"), unseen("systemd")),
			outer(unseen("systemd")), approval.ChannelProgram, "cannot be seen"},
		"tmux, attached in xterm": {line(process("bash"), process("tmux")),
			shown(process("tmux"), held("pts/2", process("xterm"))), "", ""},
		"tmux, nobody attached": {line(process("bash"), process("tmux")),
			shown(process("tmux")), approval.ChannelProgram, "shows it on no terminal"},
		"tmux, attached by a python": {line(process("bash"), process("tmux")),
			shown(process("tmux"), held("pts/2", process("python3"))), approval.ChannelProgram,
			"its terminal pts/2 is controlled by python3 (process 7)"},
		"tmux, attached by both": {line(process("bash"), process("tmux")),
			shown(process("tmux"), held("pts/2", process("python3")),
				held("pts/3", process("xterm"))), "", ""},
		"tmux, attached by an agent": {line(process("bash"), process("tmux")),
			shown(process("tmux"), held("pts/2", process("claude"))), approval.ChannelAgent,
			"claude"},
		"script in xterm": {line(process("bash"), process("script")),
			shown(process("script"), held("pts/2", process("xterm"))), "", ""},
		"script without a terminal": {line(process("bash"), process("script")),
			shown(process("script")), approval.ChannelProgram, "shows it on no terminal"},
		"a leak beside the terminal": {line(process("bash")),
			held("pts/1", process("xclip"), process("xterm")), "", ""},
		"an agent beside it": {line(process("bash")),
			held("pts/1", process("xterm"), process("codex")), approval.ChannelAgent, "codex"},
		"a mark": {line(marked), xterm, approval.ChannelAgent,
			"CLAUDECODE is set in the environment of its ancestor bash (process 7)"},
		"a mark far up": {line(process("bash"), process("bash"), marked), xterm,
			approval.ChannelAgent, "CLAUDECODE"},
		"a mark of the terminal": {line(process("bash")),
			held("pts/1", func() approval.Process { p := process("tmux"); p.Marks = []string{"GEMINI_CLI"}; return p }()), approval.ChannelAgent, "GEMINI_CLI"},
		"claude by its title": {line(process("bash"),
			approval.Process{PID: 7, Name: "claude", File: "/usr/bin/node"}), xterm,
			approval.ChannelAgent, "is an agent"},
		"claude by its script": {line(process("sh"),
			process("node", "--max-old-space-size=8192",
				"/opt/node_modules/@anthropic-ai/claude-code/cli.js")), xterm,
			approval.ChannelAgent, "is an agent"},
		"gemini by its link": {line(process("bash"),
			process("node", "/usr/local/bin/gemini")), xterm, approval.ChannelAgent, "is an agent"},
		"aider by its module": {line(process("bash"), process("python3", "-m", "aider")),
			xterm, approval.ChannelAgent, "is an agent"},
		"an agent's name as a word": {line(process("bash", "-c", "claude"),
			process("vim", "claude")), xterm, "", ""},
		"no terminal": {line(process("bash")), approval.Terminal{},
			approval.ChannelProgram, "not in the foreground"},
		"in the background": {line(process("bash")),
			approval.Terminal{Device: "pts/1", Pseudo: true, Holders: xterm.Holders},
			approval.ChannelProgram, "not in the foreground"},
	} {
		caller := approval.Caller{Peer: approval.PeerFacts{Known: true}, Line: c.line,
			Terminal: c.terminal}
		who, why := caller.Who()
		if who != c.who || (why == "") != (c.says == "") || !strings.Contains(why, c.says) {
			t.Errorf("%s: %q, %q", name, who, why)
		}
		_, err := caller.May(approval.ApproveLow, approval.ChannelInbox)
		if (err == nil) != (c.who == "") || err != nil && !errors.Is(err, approval.ErrPeer) {
			t.Errorf("%s may not: %v", name, err)
		}
		if _, err := caller.May(approval.ApproveCritical, approval.ChannelToken); err != nil {
			t.Errorf("%s may not hand in a signed answer: %v", name, err)
		}
		if _, err := caller.May(approval.Deny, approval.ChannelTadactl); err != nil {
			t.Errorf("%s may not deny: %v", name, err)
		}
	}
	fenced := approval.Caller{Peer: approval.PeerFacts{Known: true, NoNewPrivs: true},
		Line: line(process("bash")), Terminal: xterm}
	for _, over := range approval.Channels() {
		if _, err := fenced.May(approval.Deny, over); !errors.Is(err, approval.ErrPeer) {
			t.Errorf("inside of a sandbox, over %q: %v", over, err)
		}
	}
	for action, says := range map[approval.Action]string{
		approval.ApproveLow: "may ask questions but not answer them",
		approval.Remember:   "may ask questions but not answer them",
		approval.Deny:       "may ask questions but not answer them",
		approval.EditPolicy: "this needs a person at a terminal: ",
		approval.Enrol:      "this needs a person at a terminal: ",
		approval.Mend:       "this needs a person at a terminal: ",
	} {
		_, err := fenced.May(action, approval.ChannelTadactl)
		outside := fenced.Outside(action)
		f, _ := approval.Explain(err)
		if err == nil || outside == nil || outside.Error() != err.Error() ||
			!strings.Contains(err.Error(), says) || !errors.Is(err, approval.ErrPeer) {
			t.Errorf("%s: %v, %v", action, err, outside)
		}
		if strings.Contains(says, "answer") != strings.Contains(f.Message, "answer") ||
			f.Code != "peer" {
			t.Errorf("%s: %+v", action, f)
		}
	}
	if _, why := (approval.Caller{}).Who(); why == "" {
		t.Error("a process of which nothing is known counts as a person")
	}
}

// grantable is a plan that can be granted, with changes.
func grantable(t testing.TB, change func(map[string]any)) []byte {
	t.Helper()
	p := lintPlan("npm run lint")
	change(p)
	return plantest.Bytes(t, p)
}
