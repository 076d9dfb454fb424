package replay

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/plans"
	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/frozen"
	"github.com/tada-run/tada-run/shellparse"
)

func TestMain(m *testing.M) { os.Exit(hermetic.Tests(m).Run()) }

func policy(t testing.TB, a pathguard.Account, text string) pathguard.Policy {
	t.Helper()
	p, err := pathguard.Load(a, pathguard.ConfigFile{Path: "config.yaml",
		Layer: pathguard.UserLayer, Draft: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// recordOf is a record in which these lines ran under the defaults, the first of them twice.
func recordOf(t testing.TB, lines ...string) Record {
	t.Helper()
	return recordIn(t, hermetic.Tree(t, "home/dev/", "w/.git/", "w/a.txt"), "{}", lines...)
}

// recordIn is the same in a tree, under a configuration.
func recordIn(t testing.TB, root, config string, lines ...string) Record {
	t.Helper()
	home, err := state.OpenHome(filepath.Join(root, "state"))
	if err != nil {
		t.Fatal(err)
	}
	dir := home.Use()
	log := record.Of(dir)
	approvals, err := permit.Open(dir, log)
	if err != nil {
		t.Fatal(err)
	}
	rec := Record{Reader: past.Of(log, dir, approvals), Approvals: approvals, Plans: dir.Plans(),
		Account: pathguard.Account{Home: root + "/home/dev", UID: os.Getuid(), StateDir: dir.Dir}}
	rec.Policy = policy(t, rec.Account, config)
	w, err := rec.OpenLog()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	undo, certain := rec.Policy.UndoOf(rec.Account.Home), func() string { return "" }
	for _, line := range append(lines, lines[0]) {
		plan, err := pathguard.Resolve(
			shellparse.Parse(line, shellparse.Options{Dir: root + "/w", Home: rec.Account.Home}),
			pathguard.Caller{Dir: root + "/w", Home: rec.Account.Home, UID: os.Getuid(),
				Local: pathguard.Local{Undo: undo.Kept("", false, false, certain)}})
		if err != nil {
			t.Fatal(err)
		}
		f := frozen.Frozen{Plan: rec.Policy.Named(plan), Programs: rec.Policy.Settings().Programs,
			Undo: frozen.Undo{Quota: undo.Quota}}
		var v pathguard.Verdict
		f.Answers = plan.Asked(func() { v = rec.Policy.Judge(plan) })
		name, err := plans.Put(rec.Plans, frozen.Freeze(f, nil))
		plan.Close()
		if err != nil {
			t.Fatal(err)
		}
		id, err := state.NewID(dir.Now(), dir.Random)
		if err != nil {
			t.Fatal(err)
		}
		body, err := canonical.Append(nil, map[string]any{"sid": id, "command": line,
			"cwd": root + "/w", "verdict": v.Decision.String(), "rules": v.Deciding(),
			"plan": name, "policy": rec.Policy.Digest()})
		if err == nil {
			_, err = w.Append(record.KindIntent, body, audit.Lazy)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return rec
}

// Runs on record are judged under another policy, by their plans alone.
func TestReplay(t *testing.T) {
	rec := recordOf(t, "cat a.txt", "ls")
	same, err := rec.Replay(Options{})
	if err != nil || same.Runs != 3 || same.Plans != 2 || same.Same != 3 || same.Earlier != 0 {
		t.Errorf("under the same policy: %+v, %v", same, err)
	}
	deny := policy(t, rec.Account, "rules: {commands: [{program: cat, verdict: deny}]}")
	r, err := rec.Replay(Options{Policy: &deny})
	if err != nil || r.Same != 1 || len(r.Changes) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	c := r.Changes[0]
	if c.From != "allow" || c.To != "deny" || c.Count != 2 || len(c.Examples) != 2 ||
		c.Examples[0].Command != "cat a.txt" || c.Allows() || len(r.Loose()) > 0 {
		t.Errorf("%+v", c)
	}
	if other, err := rec.Replay(Options{Workspace: "/elsewhere"}); err != nil || other.Runs != 0 {
		t.Errorf("of another workspace: %+v, %v", other, err)
	}
	names := map[string]bool{}
	err = NamedPlans(rec, 0, func(name string) { names[name] = true })
	if err != nil || len(names) != 2 {
		t.Errorf("%v, %v", names, err)
	}
	rec.Policy = deny
	if back, err := rec.Replay(Options{}); err != nil || len(back.Changes) != 1 ||
		back.Earlier != 3 {
		t.Errorf("the policy in force is another: %+v, %v", back, err)
	}
	if err := os.RemoveAll(rec.Plans); err != nil {
		t.Fatal(err)
	}
	if r, err := rec.Replay(Options{}); err != nil || len(r.Skipped) != 1 ||
		r.Skipped[0] != (Skipped{lostPlan, 3}) {
		t.Errorf("without the plans: %+v, %v", r, err)
	}
}

// A plan on record is not judged by inodes: a file that has the one of another by now is not that
// file, and another name of a file was one even if that was replaced since.
func TestReplayWithoutInodes(t *testing.T) {
	root := hermetic.Tree(t, "home/dev/vault", "home/dev/new", "w/.git/", "w/a.txt")
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	vault := root + "/home/dev/vault"
	do(os.Link(vault, root+"/w/link"))
	const config = "security: {restricted_paths: [~/vault]}"
	rec := recordIn(t, root, config, "cat a.txt", "cat link")
	do(os.Rename(root+"/w/a.txt", vault))
	rec.Policy = policy(t, rec.Account, config)
	if r, err := rec.Replay(Options{}); err != nil || r.Runs != 3 || r.Same != 3 {
		t.Errorf("%+v, %v", r, err)
	}
	without := policy(t, rec.Account, "{}")
	r, err := rec.Replay(Options{Policy: &without})
	if err != nil || len(r.Changes) != 1 || r.Changes[0].From != "deny" || !r.Changes[0].Allows() {
		t.Errorf("%+v, %v", r, err)
	}
}

// What is no entry may have been a run, and a replay says so. What the log itself sets apart is
// known to be none.
func TestReplayOfDamaged(t *testing.T) {
	rec := recordOf(t, "ls", "cat a.txt", "pwd")
	file := filepath.Join(filepath.Dir(rec.Plans), "audit", "log.jsonl")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	write := func(text []byte) {
		t.Helper()
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(append(text[:len(text):len(text)], `{"torn":`...))
	w, err := rec.OpenLog() // sets it apart
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	if r, err := rec.Replay(Options{}); err != nil || r.Runs != 4 || len(r.Skipped) != 0 {
		t.Errorf("torn: %+v, %v", r, err)
	}
	lines[1] = bytes.Repeat([]byte("x"), len(lines[1])-1)
	lines[1] = append(lines[1], '\n')
	write(bytes.Join(lines, nil))
	r, err := rec.Replay(Options{})
	if err != nil || r.Runs != 3 || !slices.Equal(r.Skipped, []Skipped{{badLine, 1}}) {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = rec.Shadowed(Options{}); err != nil ||
		!slices.Equal(r.Skipped, []Skipped{{badLine, 1}}) {
		t.Errorf("%+v, %v", r, err)
	}
}

// A verdict for which the record names no rule is not one that was accepted.
func TestReplayWithoutRules(t *testing.T) {
	rec := recordOf(t, "cat a.txt")
	w, err := rec.OpenLog()
	if err != nil {
		t.Fatal(err)
	}
	runs, err := rec.Runs()
	if err == nil {
		_, err = w.Append(record.KindIntent, fmt.Appendf(nil,
			`{"command":"cat a.txt","plan":%q,"sid":"06h2t9zbj5ctbcs9","verdict":"deny"}`,
			runs[0].Plan), audit.Lazy)
	}
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	r, err := rec.Replay(Options{Accept: []string{"net.upload"}})
	if err != nil || !slices.Equal(r.Loose(), []string{noRules}) {
		t.Errorf("%+v, %q, %v", r, r.Loose(), err)
	}
}

// A replay says how many calls of an agent's own tools it does not judge: they have no plan.
func TestReplayOfTools(t *testing.T) {
	rec := recordOf(t, "ls")
	w, err := rec.OpenLog()
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{
		`{"command":"Write /x","decision":"allowed","sid":"06h2t9zbj5ctbcs9","verdict":"allow"}`,
		`{"command":"ls","decision":"rewritten","verdict":"allow"}`} {
		if _, err := w.Append(record.KindHook, []byte(body), audit.Lazy); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	r, err := rec.Replay(Options{})
	if err != nil || r.Runs != 2 || !slices.Equal(r.Skipped, []Skipped{{ownTool, 1}}) {
		t.Errorf("%+v, %v", r, err)
	}
}
