package pathguard

import (
	"slices"
	"testing"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
)

// What runs later stays read-only whatever harmless word names a folder around it, and is
// given only to a line that was judged for it.
func TestKeptWhateverIsNamedAround(t *testing.T) {
	for _, test := range []struct {
		line string
		kept bool
	}{
		{"touch . ; ./gen", true},
		{"cp f . ; ./gen", true},
		{"mkdir -p . ; ./gen", true},
		{"chmod u+x . ; ./gen", true},
		{"gofmt -w . ; ./gen", true},
		{"prettier --write . ; ./gen", true},
		{"find . -name '*.pyc' -delete ; ./gen", true},
		{"unzip -o nosuch.zip ; ./gen", true},
		{"echo x > .vscode/tasks.json ; ./gen", false},
		{"rm -rf .vscode ; ./gen", false},
	} {
		g, root := desk(t, "", "w/f", "w/gen", "w/.vscode/tasks.json")
		script := shellparse.Parse(test.line,
			shellparse.Options{Dir: g.Caller.Dir, Home: g.Caller.Home, Vars: g.Caller.Env})
		plan, err := resolve.Resolve(script, g.Caller)
		if err != nil {
			t.Fatal(err)
		}
		f := g.Policy.Fence(plan)
		kept := slices.ContainsFunc(f.ReadOnly,
			func(p string) bool { return pathname.Within(root+"/w/.vscode/tasks.json", p) })
		if kept != test.kept {
			t.Errorf("%s: kept %v, want %v; read-only %q", test.line, kept, test.kept, f.ReadOnly)
		}
		plan.Close()
	}
}

// One odd byte in a script does not switch its judgement off.
func TestInnerUnread(t *testing.T) {
	for _, test := range []struct{ text, rule string }{
		{"# \x1b\nrm -rf ~\n", "code.unread"},
		{"# \u202e\nrm -rf ~\n", "code.unread"},
		{"# \r\nrm -rf ~\n", "code.unread"},
	} {
		g, _ := desk(t, "", "w/s.sh")
		put(t, g.Caller.Dir, map[string]string{"s.sh": test.text})
		script := shellparse.Parse("bash s.sh",
			shellparse.Options{Dir: g.Caller.Dir, Home: g.Caller.Home, Vars: g.Caller.Env})
		plan, err := resolve.Resolve(script, g.Caller)
		if err != nil {
			t.Fatal(err)
		}
		v := g.Policy.Judge(plan)
		found := slices.ContainsFunc(v.Reasons, func(r Reason) bool { return r.Rule == test.rule })
		if v.Decision == Allow || !found {
			t.Errorf("%q: %v %v", test.text, v.Decision, v.Reasons)
		}
		plan.Close()
	}
}
