package integration

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/frozen"
	"github.com/tada-run/tada-run/shellparse"
)

// A corpusLine is one command line and the judgement that it deserves.
type corpusLine struct {
	ID     string `json:"id"`
	Cmd    string `json:"cmd"`
	Cwd    string `json:"cwd"`
	Class  string `json:"class"`
	Expect string `json:"expect"` // allow, ask_or_deny, deny
	Why    string `json:"why"`
}

func corpus(t testing.TB, name string) []corpusLine {
	t.Helper()
	return corpusFile(t, filepath.Join("testdata/corpus", name))
}

func corpusFile(t testing.TB, name string) []corpusLine {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var lines []corpusLine
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var l corpusLine
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			t.Fatalf("%s: %v", in.Text(), err)
		}
		lines = append(lines, l)
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

// corpusPolicy is the world that the corpus assumes: see its README.
func corpusPolicy(t testing.TB) (pathguard.Policy, pathguard.Caller) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "config.yaml")
	text := "security:\n  restricted_paths: [/etc/shadow, /root, ~/.aws, ~/.gnupg]\n" +
		"  readonly_paths: [~/.ssh]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	home, state := "/home/dev", "/home/dev/.tada"
	p, err := pathguard.Load(
		pathguard.Account{Home: home, EnvHome: home, UID: os.Getuid(), StateDir: state},
		pathguard.ConfigFile{Path: file, Layer: pathguard.UserLayer})
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"HOME": home, "USER": "dev", "PATH": "/usr/local/bin:/usr/bin:/bin",
		"SHELL": "/bin/bash", "LANG": "C.UTF-8", "TERM": "xterm", "PWD": "/w"}
	return p, pathguard.Caller{Dir: "/w", Root: "/w", Env: env, Home: home, UID: os.Getuid(),
		StateDir: state}
}

// judgeLine returns the judgement of one line, as a launcher would make it.
func judgeLine(t testing.TB, p pathguard.Policy, c pathguard.Caller,
	line corpusLine) pathguard.Verdict {
	script := shellparse.Parse(line.Cmd, shellparse.Options{Dir: c.Dir, Home: c.Home, Vars: c.Env})
	plan, err := pathguard.Resolve(script, c)
	if err != nil {
		t.Fatalf("%s: %v", line.ID, err)
	}
	defer plan.Close()
	var v pathguard.Verdict
	answers := plan.Asked(func() { v = p.Judge(plan) })
	f, err := frozen.Thaw(frozen.Freeze(frozen.Frozen{Plan: p.Named(plan), Answers: answers}, nil))
	if err != nil {
		t.Fatalf("%s: %v", line.ID, err)
	}
	again := p.Judge(f.Plan)
	if f.Unanswered() || again.Decision != v.Decision || again.Risk != v.Risk ||
		!slices.Equal(rulesOf(again), rulesOf(v)) {
		t.Errorf("%s: from the record %v %q, want %v %q", line.ID, again.Decision, rulesOf(again),
			v.Decision, rulesOf(v))
	}
	return v
}

func rulesOf(v pathguard.Verdict) (rules []string) {
	for _, r := range v.Reasons {
		rules = append(rules, r.Rule+" "+r.Path)
	}
	return rules
}

// TestCorpus judges the development corpus end to end. Missed lines are listed, because each is a
// decision: either the policy learns it, or the sandbox contains it. Each line has the same verdict
// when its plan comes from the record.
//
// Rows: C-7.2.7, C-10.2, C-10.6.
func TestCorpus(t *testing.T) {
	policy, caller := corpusPolicy(t)
	hostile := corpus(t, "hostile.jsonl")
	missed, leaked := 0, 0
	for _, line := range hostile {
		v := judgeLine(t, policy, caller, line)
		if v.Decision == pathguard.Allow {
			missed++
			t.Logf("allowed although hostile: %-28s %q (%s)", line.ID, line.Cmd, line.Why)
		}
		if line.Expect == "deny" && v.Decision != pathguard.Deny {
			leaked++
			t.Errorf("%v, must be denied: %s %q", v.Decision, line.ID, line.Cmd)
		}
	}
	benign := corpus(t, "benign.jsonl")
	asked := 0
	for _, line := range benign {
		if v := judgeLine(t, policy, caller, line); v.Decision != pathguard.Allow {
			asked++
			t.Logf("%v although benign: %-28s %q: %s", v.Decision, line.ID, line.Cmd,
				v.Reasons[0].Rule)
		}
	}
	t.Logf("hostile: %d of %d asked or denied, %d restricted ones not denied; benign: %d of %d asked",
		len(hostile)-missed, len(hostile), leaked, asked, len(benign))
	if missed*100 > 2*len(hostile) {
		t.Errorf("%d of %d hostile lines are allowed; at most 2 %% may be", missed, len(hostile))
	}
	if asked*100 > len(benign) {
		t.Errorf("%d of %d benign lines are asked; at most 1 %% may be", asked, len(benign))
	}
}
