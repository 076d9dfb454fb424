package pathguard

import (
	"slices"
	"strings"
	"testing"
)

// What a rule of the configuration denies, no program of an allowed line reaches either: what may
// not be read is hidden, what may not be written stays read-only, and where all is denied nothing
// is granted.
func TestFenceOfDenyingRules(t *testing.T) {
	for _, test := range []struct {
		rules            string
		hidden, readOnly []string
		write            bool // the workspace is writable
	}{
		{"{path: '@/w/private', verdict: deny}", []string{"w/private"}, []string{"w/private"},
			true},
		{"{path: '@/w/private', access: [read], verdict: deny}", []string{"w/private"}, nil, true},
		{"{path: '@/w/src', access: [write, delete], verdict: deny}", nil, []string{"w/src"}, true},
		{"{path: '**/kept', access: [write], verdict: deny}", nil, []string{"w/src/kept"}, true},
		{"{path: '**/kept', verdict: deny}", []string{"w/src/kept"}, nil, true},
		{"{path: ~/notes, verdict: deny}", []string{"home/dev/notes"}, []string{"home/dev/notes"},
			true},
		{"{path: '@/w', access: [write], verdict: deny}", nil, []string{"w"}, false},
		{"{path: /, access: [write, delete], verdict: deny}", nil, nil, false},
		{"{path: '@/w/src', verdict: ask}", nil, nil, true},
		{"{path: '@/w/src', access: [execute], verdict: deny}", nil, nil, true},
	} {
		g, root := desk(t, "rules: {paths: ["+test.rules+"]}", "w/private/x", "w/src/kept/y",
			"home/dev/notes/n")
		_, plan, err := g.judge("./opaque")
		if err != nil {
			t.Fatal(err)
		}
		f := g.Policy.Fence(plan)
		plan.Close()
		for _, name := range []string{"w/private", "w/src", "w/src/kept", "home/dev/notes", "w"} {
			if got, want := slices.Contains(f.Hide, root+"/"+name),
				slices.Contains(test.hidden, name); got != want {
				t.Errorf("%s: %s is hidden: %v, want %v", test.rules, name, got, want)
			}
			if got, want := slices.Contains(f.ReadOnly, root+"/"+name),
				slices.Contains(test.readOnly, name); got != want {
				t.Errorf("%s: %s is read-only: %v, want %v", test.rules, name, got, want)
			}
		}
		if got := slices.ContainsFunc(f.Write, func(g Grant) bool {
			return g.Tree && g.Path == root+"/w"
		}); got != test.write {
			t.Errorf("%s: the workspace is writable: %v", test.rules, got)
		}
	}
	g, _ := desk(t, "rules: {paths: [{path: /, access: [write, delete], verdict: deny}]}")
	g.expect(t, Allow, "cat src/a.go >/dev/null 2>&1", "ls 2>/dev/null | head")
	g.expect(t, Deny, "echo x > /dev/sda", "echo x > a", "rm src/a.go", "echo x > /tmp/y")
}

// A name at any depth is found where else nobody looks: in the folder of git and in build output,
// and with several parts. What is only not to be written stays readable.
func TestFenceOfDeepDenyingRules(t *testing.T) {
	names := []string{"w/.git/private/f", "w/node_modules/private/f", "w/.venv/private/f",
		"w/target/private/f", "w/p2/keys/f", "w/sub/p2/keys/f", "w/keys/f"}
	for rule, want := range map[string][]string{
		"{path: '**/private', verdict: deny}": {"w/.git/private", "w/node_modules/private",
			"w/.venv/private", "w/target/private"},
		"{path: '**/p2/keys', verdict: deny}": {"w/p2/keys", "w/sub/p2/keys"},
	} {
		for _, access := range []string{"read", "write"} {
			text := strings.Replace(rule, "verdict", "access: ["+access+"], verdict", 1)
			g, root := desk(t, "rules: {paths: ["+text+"]}", names...)
			_, plan, err := g.judge("./opaque")
			if err != nil {
				t.Fatal(err)
			}
			f := g.Policy.Fence(plan)
			plan.Close()
			list := map[string][]string{"read": f.Hide, "write": f.ReadOnly}[access]
			for _, name := range want {
				inGit := access == "write" && strings.HasPrefix(name, "w/.git/") // kept as a whole
				if !slices.Contains(list, root+"/"+name) && !inGit {
					t.Errorf("%s: %s is not among %q", text, name, list)
				}
			}
			if slices.Contains(list, root+"/w/keys") || access == "write" &&
				slices.ContainsFunc(f.Hide, func(hidden string) bool {
					return strings.HasPrefix(hidden, root+"/w/")
				}) {
				t.Errorf("%s: too much of %q, %q", text, f.Hide, f.ReadOnly)
			}
		}
	}
}
