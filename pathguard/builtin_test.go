package pathguard

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/pathguard/pathname"
)

// oracle is the built-in lists as a tree of rules: the way rules of the configuration are
// asked, which is slower to make and has its own tests.
func oracle(t testing.TB, homes []string) *tree {
	t.Helper()
	tr := &tree{}
	add := func(name string, m mark) {
		m.path = name
		for _, full := range pathname.ExpandHome(name, homes) {
			if err := tr.add(full, m); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, l := range builtins().lists {
		for _, name := range l.names {
			add(name, mark{kind: l.kind})
		}
	}
	for _, n := range builtins().protected {
		add(n.name, mark{kind: markProtected, tool: n.tools, only: n.only})
	}
	return tr
}

func seenAt(t *tree, path string) string {
	var out []string
	t.at(path, func(m mark) { out = append(out, fmt.Sprint(m.kind, m.path, m.tool)) })
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}

// seenAtOriginal is seenAt, with the secrets at what path is a copy of.
func seenAtOriginal(t *tree, path string) string {
	seen := strings.Fields(seenAt(t, path))
	if original, is := pathname.CopyOf(path); is {
		t.at(original, func(m mark) {
			if m.kind == markSecret || m.kind == markPublic {
				seen = append(seen, fmt.Sprint(m.kind, m.path))
			}
		})
	}
	slices.Sort(seen)
	return strings.Join(slices.Compact(seen), " ")
}

func seenBy(t *tree, glob string) string {
	var out []string
	t.matches(glob, func(m mark) {
		if !strings.Contains(m.path, "*") { // two patterns are not held against each other by both
			out = append(out, fmt.Sprint(m.kind, m.path))
		}
	})
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}

// agree holds the comparing of names against the tree of rules.
func agree(t *testing.T, known, want *tree, path string) {
	t.Helper()
	if got, want := seenAt(known, path), seenAtOriginal(want, path); got != want {
		t.Errorf("at %q:\n got %s\nwant %s", path, got, want)
	}
	if got, want := known.holds(path), want.holds(path); got != want {
		t.Errorf("holds %q: %b, want %b", path, got, want)
	}
	if known.holds(path).has(markSecret) != (known.under(path, markSecret) != "") {
		t.Errorf("under %q: %q", path, known.under(path, markSecret))
	}
}

// TestBuiltinLikeRules: a built-in name means what the same name in a rule would mean.
func TestBuiltinLikeRules(t *testing.T) {
	homes := []string{"/home/dev", "/mnt/h/dev"}
	known, want := &tree{known: true, homes: homes}, oracle(t, homes)
	paths := []string{"/", "/home", "/home/dev", "/home/dev/", "/mnt/h/dev", "/w", "/w/.git",
		"/w/a/.env", "/etc", "/etc/ssh", "/w/.aws/credentials",
		"/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_rsa_key.pub", "/home/dev/.ssh/id_rsa.pub",
		"/home/devil/.ssh", "/x//y", "/.env", "/etcetera"}
	for _, l := range builtins().lists {
		for _, name := range l.names {
			for _, full := range pathname.ExpandHome(strings.Replace(strings.ReplaceAll(name, "*/", "/w/"), "*", "x", 1), homes) {
				full = strings.ReplaceAll(full, "//", "/")
				paths = append(paths, full, full+"/in", full+"x", full[:len(full)-1],
					full[:max(1, strings.LastIndexByte(full, '/'))])
			}
		}
	}
	for _, path := range paths {
		agree(t, known, want, path)
	}
	for _, glob := range []string{"/etc/sh*", "/home/*/.ssh/*", "/home/dev/.[a-b]ws/*", "/*/*/.aws",
		"/home/dev/*", "/home/dev/.*", "/e?c/shadow", "/mnt/h/*/.net*",
		"/*", "/home/d*/.config/g*", "/etc/ssl/priv*/x", "/home/dev/.ssh/id_*", "[",
		"/home/dev/.co[", "/home"} {
		if got, want := seenBy(known, glob), seenBy(want, glob); got != want {
			t.Errorf("matches %q:\n got %s\nwant %s", glob, got, want)
		}
	}
}

// FuzzBuiltin does the same with any path.
func FuzzBuiltin(f *testing.F) {
	homes := []string{"/home/dev"}
	known, want := &tree{known: true, homes: homes}, oracle(f, homes)
	for _, s := range []string{"/home/dev/.ssh/id_rsa", "/w/.env.local", "/etc/ssh/ssh_host_*_key",
		"/a/b/.github/workflows/x", "/home/dev/.config/gh", "//", "/w/x.pem/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if !strings.HasPrefix(path, "/") || strings.Contains(path, "//") ||
			strings.Contains(path, "/./") || strings.HasSuffix(path, "/.") ||
			len(path) > 1 && strings.HasSuffix(path, "/") {
			t.Skip() // a resolved path has none of these
		}
		agree(t, known, want, path)
	})
}

// TestBuiltinPatterns: "*" is the only pattern that the comparison knows.
func TestBuiltinPatterns(t *testing.T) {
	for _, l := range builtins().lists {
		for _, name := range l.names {
			if strings.ContainsAny(strings.TrimPrefix(name, "**/"), `?[]\\`) ||
				strings.Contains(strings.TrimPrefix(name, "**/"), "**") ||
				strings.HasSuffix(name, "/") {
				t.Errorf("%q", name)
			}
		}
	}
}

// The names in the program are those of the tables. UPDATE=1 writes them again.
func TestBuiltinNamesAreOfTheTables(t *testing.T) {
	caches, code := cacheNames()
	var b strings.Builder
	for _, names := range [len(builtinKinds)][]string{pathname.Secrets(), pathname.Public(),
		pathname.Startup(), caches, code, pathname.ToolDirs(), {"**/.tada"}} {
		b.WriteString(strings.Join(names, "\n") + "\n\n")
	}
	for _, n := range protectedNames() {
		b.WriteString(n.name + "\t" + n.tools + "\t" + n.only + "\t" + n.apart + "\n")
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile("builtin.names", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if builtinText != b.String() {
		t.Error("the names are not those of the tables; run: make tables")
	}
}

// cacheNames are the folders of the caches, and those of them that hold code.
func cacheNames() (all, code []string) {
	for _, c := range caches() {
		if all = append(all, c.name); c.code {
			code = append(code, c.name)
		}
	}
	return all, code
}

// protectedNames are those of laterNames that are kept.
func protectedNames() (list []protectedName) {
	for _, n := range laterNames() {
		if n.kept {
			list = append(list, protectedName{n.name, n.tools, n.only, n.apart, headOf(n.name)})
		}
	}
	return list
}
