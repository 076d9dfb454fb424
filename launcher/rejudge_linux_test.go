package launcher

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/plans"
	"github.com/tada-run/tada-run/launcher/replay"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/frozen"
)

// mutants are configurations that each change one part of the policy.
func mutants() (list []string) {
	rule := func(key, format string, values ...string) {
		for _, value := range values {
			list = append(list, "rules: {"+key+": ["+fmt.Sprintf(format, value)+"]}")
		}
	}
	rule("commands", "{program: %s, verdict: allow}", "rm", "git", "curl", "wget", "psql", "docker",
		"kubectl", "npm", "python3", "sh", "bash", "dd", "chmod", "find", "aws", "terraform", "ssh",
		"mysql", "redis-cli", "kill", "pkill", "node", "make", "sudo", "npx", "pip")
	rule("commands", "{program: %s, verdict: deny}", "ls", "git", "cat", "grep")
	rule("commands", "{program: %s, verdict: ask}", "sed", "echo", "go")
	rule("commands", "{program: git, args: [%s], verdict: allow}", "push", "config", "clean")
	rule("paths", "{path: '%s', verdict: allow}", "/etc", "~/notes", "/srv", "~/.ssh", "/usr",
		"/var")
	rule("paths", "{path: '%s', verdict: deny}", "/etc", "**/*.go", "~/Documents")
	rule("paths", "{path: '%s', access: [read], verdict: ask}", "/usr/share", "**/package.json")
	rule("hosts", "{host: %s, verdict: allow}", "'*.test'", "github.com", "'*.example.com'")
	rule("hosts", "{host: %s, verdict: deny}", "'*.com'", "'*.org'")
	return append(list,
		"undo: {replaces_approval: false}", "undo: {quota: 0}", "undo: {except: ['**/src']}",
		"security: {command_level: always}", "security: {allow_shell: false}",
		"security: {restricted_paths: [/etc, ~/.config]}", "security: {readonly_paths: ['**/src']}",
		"network: {default: list}", "background: keep")
}

// someLines are every n-th line of the development corpora.
func someLines(t *testing.T, n int) (lines []string) {
	t.Helper()
	for _, name := range []string{"hostile", "benign"} {
		f, err := os.Open("../integration/testdata/corpus/" + name + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		in := bufio.NewScanner(f)
		in.Buffer(nil, 1<<20)
		for i := 0; in.Scan(); i++ {
			var line struct{ Cmd string }
			if err := json.Unmarshal(in.Bytes(), &line); err != nil {
				t.Fatal(err)
			}
			if i%n == 0 {
				lines = append(lines, line.Cmd)
			}
		}
	}
	return lines
}

// An onRecord is a line whose plan is on record.
type onRecord struct {
	line string
	plan []byte
	was  pathguard.Decision
}

// recorded puts the plans of lines on record under the policy in force.
func recorded(t *testing.T, l *Launcher, req Request, lines []string) (stored []onRecord) {
	t.Helper()
	for _, line := range lines {
		req.Shell.Text = line
		j, err := l.Judge(req)
		if err != nil {
			continue
		}
		name, err := l.storePlan(j)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := plans.Get(l.state.Plans(), name, audit.Codec{})
		if err != nil {
			t.Fatal(err)
		}
		stored = append(stored, onRecord{line, plan, j.Verdict.Decision})
		j.Close()
	}
	return stored
}

// rejudged judges plans on record under the policy in force, and compares that with what their
// lines are when they are judged afresh. It counts what changes.
func rejudged(t *testing.T, l *Launcher, req Request, config string,
	stored []onRecord) (looser, stricter int) {
	t.Helper()
	again := replay.Judge{Policy: l.policy, Home: l.account}
	for _, r := range stored {
		f, err := frozen.Thaw(r.plan)
		if err != nil {
			t.Fatal(err)
		}
		req.Shell.Text = r.line
		fresh, err := l.Judge(req)
		if err != nil {
			t.Fatal(err)
		}
		want := fresh.Verdict
		fresh.Close()
		got, err := again.Verdict(f)
		if err != nil || got.Decision != want.Decision || got.Risk != want.Risk ||
			!slices.Equal(got.Deciding(), want.Deciding()) {
			t.Errorf("%s: %q: from the record %v %q (%v), afresh %v %q", config, r.line,
				got.Decision, got.Deciding(), err, want.Decision, want.Deciding())
		}
		switch {
		case got.Decision > r.was:
			looser++
		case got.Decision < r.was:
			stricter++
		}
	}
	return looser, stricter
}

// Under each other policy a plan from the record has the verdict that its line has when it is
// judged afresh. So a replay finds every line for which a policy is looser.
func TestRejudge(t *testing.T) {
	l, req := world(t)
	l.policy = configured(t, l, "")
	stored := recorded(t, l, req,
		append(someLines(t, 211), "rm -rf src", "git push", "cat a b > /etc/x"))
	looser, stricter := 0, 0
	for _, config := range mutants() {
		l.policy = configured(t, l, config)
		more, less := rejudged(t, l, req, config, stored)
		looser, stricter = looser+more, stricter+less
	}
	if looser < 20 || stricter < 100 {
		t.Errorf("of %d lines under %d policies %d are looser and %d stricter: the policies do "+
			"not try much", len(stored), len(mutants()), looser, stricter)
	}
	t.Logf("%d lines, %d policies: %d looser, %d stricter", len(stored), len(mutants()), looser,
		stricter)
}

// The same for calls of an agent's own tools. What a search would have met is known for the rules
// that hid it then; for others nobody has looked, and it is not guessed.
func TestRejudgeCalls(t *testing.T) {
	l, req := world(t)
	l.policy = configured(t, l, "")
	if err := os.WriteFile(req.Dir+"/src/.env", []byte("KEY=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	configs := append(mutants(), "", "tools: {allow: [weather]}",
		"rules: {paths: [{path: '**/a', verdict: deny}]}")
	looser, stricter, unanswered := 0, 0, 0
	for _, tool := range []Tool{
		{Name: "Read", Access: []Access{{Reads, "a", false}}},
		{Name: "Read", Access: []Access{{Reads, "/etc/hosts", false}}},
		{Name: "Read", Access: []Access{{Reads, "~/.ssh/id_rsa", false}}},
		{Name: "Write", Access: []Access{{Changes, "src/b.go", false}}},
		{Name: "Write", Access: []Access{{Changes, "/srv/x", false}}},
		{Name: "Delete", Access: []Access{{Deletes, "a", false}}},
		{Name: "Grep", Access: []Access{{Searches, ".", false}}},
		{Name: "Glob", Access: []Access{{Lists, ".", false}}},
		{Name: "weather", Unknown: true},
		{Name: "terminal", Unknown: true, Command: "git push",
			Access: []Access{{Reads, "a", false}}},
		{Name: "terminal", Unknown: true, Command: "ls"},
	} {
		l.policy = configured(t, l, "")
		req.Tool = &tool
		stored := recorded(t, l, req, []string{tool.Name})
		f, err := frozen.Thaw(stored[0].plan)
		if err != nil {
			t.Fatal(err)
		}
		for _, config := range configs {
			l.policy = configured(t, l, config)
			fresh := judged(t, l, req)
			again := replay.Judge{Policy: l.policy, Home: l.account}
			got, err := again.Verdict(f)
			switch want := fresh.Verdict; {
			case err == replay.ErrUnanswered && config != "" &&
				strings.Contains(" Grep Glob ", tool.Name):
				unanswered++
			case err != nil || got.Decision != want.Decision ||
				!slices.Equal(got.Deciding(), want.Deciding()):
				t.Errorf("%s: %v: from the record %v %q (%v), afresh %v %q", config, tool,
					got.Decision, got.Deciding(), err, want.Decision, want.Deciding())
			case got.Decision > stored[0].was:
				looser++
			case got.Decision < stored[0].was:
				stricter++
			}
			fresh.Close()
		}
	}
	if looser == 0 || stricter == 0 || unanswered == 0 {
		t.Errorf("%d are looser, %d stricter, %d without an answer: the policies do not try much",
			looser, stricter, unanswered)
	}
	t.Logf("%d looser, %d stricter, %d without an answer", looser, stricter, unanswered)
}

// The same where undo begins to stand for questions, which the policy before answered or asked in
// any case.
func TestRejudgeUndo(t *testing.T) {
	lines := []string{"rm -rf src", "rm -rf src; git reset --hard", "git clean -fd", "rm *",
		"git checkout -- .", "rm -rf src; git push", "cat a > *.go", "find . -delete", "ls"}
	for _, test := range []struct {
		before, after    string
		looser, stricter int
	}{
		{"undo: {replaces_approval: false}", "", 5, 0},
		{"background: keep", "", 5, 0},
		{"rules: {commands: [{program: rm, verdict: allow}, {program: git, verdict: allow}]}", "",
			0, 1},
		{"", "undo: {quota: 9G}", 0, 0},
		{"undo: {replaces_approval: false}", "undo: {quota: 9G}", 5, 0},
		{"undo: {replaces_approval: false}", "rules: {commands: [{program: git, verdict: allow}]}",
			5, 0},
	} {
		l, req := world(t)
		l.policy = configured(t, l, test.before)
		stored := recorded(t, l, req, lines)
		l.policy = configured(t, l, test.after)
		looser, stricter := rejudged(t, l, req, test.after, stored)
		if len(stored) < len(lines) || looser != test.looser || stricter != test.stricter {
			t.Errorf("%s, then %s: %d of %d are looser and %d stricter", test.before, test.after,
				looser, len(stored), stricter)
		}
	}
}

// What cannot be judged again says why: a plan of another account, and one with a program that the
// policies know differently.
func TestNotRejudged(t *testing.T) {
	l, req := world(t)
	l.policy = configured(t, l, "programs: \"deploy: -e=_ --out=W : R*\"\n")
	frozenOf := func(line string) *frozen.Frozen {
		req.Shell.Text = line
		j, err := l.Judge(req)
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		f, err := frozen.Thaw(frozen.Freeze(j.frozen(), nil))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	deploy, ls := frozenOf("deploy --out=/srv/x a"), frozenOf("ls")
	for _, test := range []struct {
		plan   *frozen.Frozen
		config string
		home   string
		want   error
	}{
		{deploy, "programs: \"deploy: -e=_ --out=W : R*\"\n", l.account, nil},
		{deploy, "programs: \"deploy: -e=_ --out=W : R*\\nother: : R*\"\n", l.account, nil},
		{deploy, "programs: \"deploy: -e=_ : R*\"\n", l.account, replay.ErrPrograms},
		{deploy, "", l.account, replay.ErrPrograms},
		{ls, "", l.account, nil},
		{ls, "", "/home/another", replay.ErrOtherAccount},
	} {
		r := replay.Judge{Policy: configured(t, l, test.config), Home: test.home}
		if _, err := r.Verdict(test.plan); err != test.want {
			t.Errorf("%q under %q: %v, want %v", test.plan.Plan.Script.Text, test.config, err,
				test.want)
		}
	}
}
