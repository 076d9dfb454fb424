package pathguard

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/pattern"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/walk"
)

func treeOf(t testing.TB, paths ...string) *tree {
	tr := &tree{ids: map[walk.ID][]mark{}}
	for _, p := range paths {
		if err := tr.add(p, mark{kind: markRestricted, path: p}); err != nil {
			t.Fatal(err)
		}
	}
	return tr
}

func (t *tree) list(path string) []string {
	var out []string
	t.at(path, func(m mark) { out = append(out, m.path) })
	slices.Sort(out)
	return slices.Compact(out)
}

// C-3.4.1: a rule covers its path and what is below it, component by component.
func TestTree(t *testing.T) {
	tr := treeOf(t, "/etc", "/a/b", "/a/*/c", "/x/[ab]?", "**/.env", "**/k/*.key", "/sp ace",
		"/esc\\*aped")
	tests := []struct {
		path string
		want string
	}{
		{"/etc", "/etc"}, {"/etc/passwd", "/etc"}, {"/etcetera", ""}, {"/et", ""}, {"/", ""},
		{"/a/b", "/a/b"}, {"/a/b/c", "/a/*/c /a/b"}, {"/a/q/c/d", "/a/*/c"}, {"/a/q/d", ""},
		{"/x/a1", "/x/[ab]?"}, {"/x/c1", ""}, {"/x/a", ""},
		{"/w/.env", "**/.env"}, {"/w/.env/in", "**/.env"}, {"/.env", "**/.env"}, {"/w/x.env", ""},
		{"/w/k/a.key", "**/k/*.key"}, {"/w/k/d/a.key", ""}, {"/sp ace/x", "/sp ace"},
		{"/esc*aped", "/esc\\*aped"}, {"/escXaped", ""},
	}
	for _, tt := range tests {
		if got := strings.Join(tr.list(tt.path), " "); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.path, got, tt.want)
		}
	}
}

// TestTreeHolds finds what lies below a directory, and what a pattern could reach.
func TestTreeHolds(t *testing.T) {
	tr := treeOf(t, "/home/dev/.aws", "/etc/shadow", "/v/*/secret")
	for path, want := range map[string]bool{"/": true, "/home": true, "/home/dev": true,
		"/home/dev/.aws": true, "/home/x": false, "/etc": true, "/v/q": true, "/w": false} {
		if got := tr.holds(path).has(markRestricted); got != want {
			t.Errorf("holds %q: %v", path, got)
		}
	}
	for glob, want := range map[string]bool{"/etc/shad?w": true, "/etc/*": true, "/e*/sh*": true,
		"/home/dev/.[a-b]ws/*": true, "/home/*/.aws": true,
		"/home/dev/*": false, "/etc/pass*": false, "/*": false} {
		got := false
		tr.matches(glob, func(mark) { got = true })
		if got != want {
			t.Errorf("matches %q: %v", glob, got)
		}
	}
}

// FuzzWild holds the short matcher against the shell's own pattern translation.
func FuzzWild(f *testing.F) {
	for _, s := range []string{"*", "?", "a*b", "*.key", "**", "a?*", "*a*b*", ""} {
		f.Add(s, "aXb.key")
		f.Add(s, "")
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		if strings.ContainsAny(text, `[\(/+@!|)`) || strings.ContainsAny(name, "/") ||
			strings.HasPrefix(name, ".") || !ascii(text) || !ascii(name) {
			t.Skip()
		}
		expr, err := pattern.Regexp(text, pattern.Filenames|pattern.EntireString)
		if err != nil {
			t.Skip()
		}
		w, err := pathname.Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := w.Match(name), regexp.MustCompile(expr).MatchString(name); got != want {
			t.Errorf("%q against %q: %v, the shell says %v (%s)", text, name, got, want, expr)
		}
	})
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

func BenchmarkTree(b *testing.B) {
	for _, n := range []int{1, 100, 10000} {
		tr := &tree{}
		for i := range n {
			tr.add(fmt.Sprintf("/srv/project%d/secret", i), mark{})
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				tr.at("/srv/project0/secret/a/b", func(mark) {})
			}
		})
	}
}

func BenchmarkDefault(b *testing.B) {
	for b.Loop() {
		Default(Account{Home: "/home/dev", EnvHome: "/home/dev", UID: 1000})
	}
}
