package frozen

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
)

func TestMain(m *testing.M) { os.Exit(hermetic.Tests(m).Run()) }

// lines are command lines with every kind of value that a plan has.
var lines = []string{
	"ls", "", "if then", "rm -rf src/*.go && echo x > y", "sh s.sh", "make", "npm run build",
	"curl -sT a.txt https://x.test/in | python3 -c 'import os; os.remove(\"a\")'",
	"cat ~/.ssh/id_rsa", "git push origin main",
	"for f in *.txt; do mv \"$f\" \"${f%.txt}.md\"; done",
	"A=1 env B=2 sudo -u x cat 'a\xffb'", "python3 - <<'E'\nprint(1)\nE\n", "cat a\u202eb",
}

// desk makes a workspace, and returns a way to resolve lines in it and a policy.
func desk(t testing.TB) (func(string) *resolve.Plan, pathguard.Policy) {
	t.Helper()
	root := hermetic.Tree(t, "home/dev/", "w/.git/", "w/src/a.go", "w/a.txt", "w/b.txt")
	for name, text := range map[string]string{
		"s.sh": "rm -rf src\ncat ~/.ssh/id_rsa\n", "Makefile": "all:\n\tsh s.sh\n",
		"package.json": `{"scripts": {"build": "rm -rf dist; sh s.sh"}}`,
	} {
		if err := os.WriteFile(filepath.Join(root, "w", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	home := root + "/home/dev"
	p, err := pathguard.Load(pathguard.Account{Home: home, EnvHome: home, UID: os.Getuid()})
	if err != nil {
		t.Fatal(err)
	}
	c := resolve.Caller{Dir: root + "/w", Root: root + "/w", Home: home, UID: os.Getuid(),
		Env: map[string]string{"HOME": home, "PATH": "/usr/bin:/bin", "GIT_DIR": "secret"}}
	c.Agents = func() []string { return []string{"claude"} }
	c.Wrote = func(*resolve.Target) bool { return true }
	return func(line string) *resolve.Plan {
		script := shellparse.Parse(line,
			shellparse.Options{Dir: c.Dir, Home: c.Home, Vars: c.Env})
		plan, err := resolve.Resolve(script, c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { plan.Close() })
		return plan
	}, p
}

// A plan from the record has the verdict that it had, without the files.
func TestThaw(t *testing.T) {
	resolved, p := desk(t)
	for _, line := range lines {
		plan := resolved(line)
		var v pathguard.Verdict
		answers := plan.Asked(func() { v = p.Judge(plan) })
		b := Freeze(Frozen{Plan: plan, Answers: answers}, nil)
		if plan.Script.Argv == nil && plan.Script.Plain || plan.Caller.Env["GIT_DIR"] != "secret" {
			t.Errorf("%q: Freeze changed the plan", line)
		}
		f, err := Thaw(b)
		if err != nil {
			t.Errorf("%q: %v", line, err)
			continue
		}
		again := p.Judge(f.Plan)
		if f.Unanswered() || again.Decision != v.Decision || again.Risk != v.Risk ||
			!slices.Equal(messages(again), messages(v)) {
			t.Errorf("%q:\n%v %q\nfrom the record, want\n%v %q", line, again.Decision,
				messages(again), v.Decision, messages(v))
		}
		if again := Freeze(*f, nil); !bytes.Equal(again, b) {
			t.Errorf("%q: frozen again it has other bytes", line)
		}
		if bytes.Contains(b, []byte("secret")) {
			t.Errorf("%q: the value of a variable is stored", line)
		}
	}
}

func messages(v pathguard.Verdict) (list []string) {
	for _, r := range v.Reasons {
		list = append(list, r.Rule+" "+r.Path)
	}
	return list
}

// What nobody had asked has no answer.
func TestUnanswered(t *testing.T) {
	resolved, p := desk(t)
	plan := resolved("./unknown-tool")
	answers := plan.Asked(func() {})
	f, err := Thaw(Freeze(Frozen{Plan: plan, Answers: answers}, nil))
	if err != nil {
		t.Fatal(err)
	}
	p.Judge(f.Plan)
	if !f.Unanswered() {
		t.Error("a question without an answer was answered")
	}
	if f.Unanswered() {
		t.Error("it is reported twice")
	}
}

// Each text passes the function that hides.
func TestFreezeHides(t *testing.T) {
	resolved, _ := desk(t)
	plan := resolved("echo hunter2 > hunter2")
	b := Freeze(Frozen{Plan: plan}, func(s string) string {
		return strings.ReplaceAll(s, "hunter2", "*******")
	})
	if bytes.Contains(b, []byte("hunter2")) {
		t.Error("it is stored")
	}
	if f, err := Thaw(b); err != nil || f.Plan.Script.Text != "echo ******* > *******" {
		t.Errorf("%+v, %v", f, err)
	}
}

// Bytes of another version, and bytes that were changed, are refused by name.
func TestThawRefuses(t *testing.T) {
	resolved, p := desk(t)
	b := Freeze(Frozen{Plan: resolved("sh s.sh; cat *.txt")}, nil)
	other := bytes.Replace(b, []byte("tada-plan/1 "), []byte("tada-plan/0 "), 1)
	if _, err := Thaw(other); !errors.Is(err, ErrOther) {
		t.Errorf("another version: %v", err)
	}
	for n := range len(b) {
		if f, err := Thaw(b[:n]); err == nil {
			t.Errorf("%d bytes of %d are a plan: %v", n, len(b), f)
		}
	}
	for n := range b {
		for _, bit := range []byte{1, 2, 4, 16, 64, 128} {
			changed := bytes.Clone(b)
			changed[n] ^= bit
			if f, err := Thaw(changed); err == nil {
				p.Judge(f.Plan) // it may be a plan, and then it is judged
			}
		}
	}
	if _, err := Thaw(append(bytes.Clone(b), 0)); err == nil {
		t.Error("bytes are left over")
	}
}

// An index that is none of the plan's own is refused.
func TestWhole(t *testing.T) {
	resolved, _ := desk(t)
	for _, spoil := range []func(*resolve.Plan){
		func(p *resolve.Plan) { p.Globs[0].Effect = -1 },
		func(p *resolve.Plan) { p.Globs[0].Effect = 99 },
		func(p *resolve.Plan) { p.Targets[0].Command = 99 },
		func(p *resolve.Plan) { p.Targets[0].Effect = -2 },
		func(p *resolve.Plan) { p.Programs[0].Command = -2 },
		func(p *resolve.Plan) { p.Script.Effects[0].Command = 7 },
		func(p *resolve.Plan) { p.Inner[0].Command = -1 },
		func(p *resolve.Plan) { p.Inner[0].Plan.Targets[0].Effect = 99 },
	} {
		plan := resolved("cat *.txt; sh s.sh")
		spoil(plan)
		if _, err := Thaw(Freeze(Frozen{Plan: plan}, nil)); err == nil {
			t.Error("it is a plan")
		}
	}
}

// No bytes make it panic, or take much more memory than a plan that is as long.
func FuzzThaw(f *testing.F) {
	resolved, p := desk(f)
	for _, line := range lines {
		f.Add(Freeze(Frozen{Plan: resolved(line)}, nil)[len(head):])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := Thaw(append([]byte(head), body...))
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20+1024*uint64(len(body)) {
			t.Errorf("%d bytes take %d of memory", len(body), took)
		}
		if err == nil {
			p.Judge(got.Plan)
			Freeze(*got, nil)
		}
	})
}

// Every field that a judgement can read is of a kind that is written.
func TestFieldsAreWritten(t *testing.T) {
	var text strings.Builder
	describe(&text, reflect.TypeFor[Frozen](), map[reflect.Type]bool{})
	for _, word := range []string{"interface", "chan", "complex", "float", "unsafe"} {
		if strings.Contains(text.String(), word) {
			t.Errorf("a field is of kind %s:\n%s", word, text.String())
		}
	}
	// When this fails, fields of a plan have changed, and recorded plans are not read any more.
	// Write the new digits, and count the number up if a field only means something else.
	if want := "tada-plan/1 " + fieldsSum(reflect.TypeFor[Frozen]()) + "\n"; head != want {
		t.Errorf("the first line is %q, want %q", head, want)
	}
}

func BenchmarkFreeze(b *testing.B) {
	resolved, _ := desk(b)
	f := Frozen{Plan: resolved("sed -i s/a/b/ src/a.go && go test ./... 2>&1 | tail -20")}
	for b.Loop() {
		Freeze(f, nil)
	}
}

func BenchmarkThaw(b *testing.B) {
	resolved, p := desk(b)
	frozen := Freeze(Frozen{Plan: resolved("sed -i s/a/b/ src/a.go && go test ./... 2>&1 | tail")},
		nil)
	for b.Loop() {
		f, err := Thaw(frozen)
		if err != nil {
			b.Fatal(err)
		}
		p.Judge(f.Plan)
	}
}
