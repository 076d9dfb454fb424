package pathguard

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// TestOnlyCachesOfTheTableAreOpen: of the folders in which programs keep what they can make again,
// a plan that was not wholly read may write those of the table and no other: start-up files of
// shells are among the rest.
func TestOnlyCachesOfTheTableAreOpen(t *testing.T) {
	home := []string{".cache/p10k-instant-prompt-dev.zsh", ".cache/p10k-dump-dev.zsh",
		".cache/starship/init.zsh", ".cache/starship/init.fish",
		".cache/gitstatus/gitstatusd-linux-x86_64",
		".cache/oh-my-zsh/completions/x", ".cache/oh-my-posh/init.1.sh", ".cache/zsh/zcompdump",
		".cache/nvim/luac/x", ".cache/new", ".cache/fish/generated_completions/x",
		".local/share/fish/x", ".local/share/nvim/site/x",
		".local/share/zinit/x", ".local/share/applications/x.desktop", ".local/state/nvim/x",
		".local/share/new/x", ".zcompdump", "Library/Caches/x/y", ".cache/carapace/x",
		".cache/atuin/init"}
	entries := []string{}
	for _, c := range caches() {
		entries = append(entries, "home/dev/"+strings.TrimPrefix(c.name, "~/")+"/x")
	}
	for _, name := range home {
		entries = append(entries, "home/dev/"+name)
	}
	g, root := desk(t, "", entries...)
	for _, line := range []string{"make", "./unread", "npm run x", "go build ./...",
		"python3 x.py"} {
		f, write, _ := fenceOf(t, g, root, line)
		for _, c := range caches() {
			if name := "@/home/dev/" + strings.TrimPrefix(c.name, "~/"); !slices.Contains(write,
				name) {
				t.Errorf("%q: %s is not open", line, name)
			}
		}
		for _, name := range home {
			for _, w := range f.Write {
				if pathname.Within(w.Path, root) &&
					pathname.Within(root+"/home/dev/"+name, w.Path) {
					t.Errorf("%q may write %s, by %s", line, name, w.Path)
				}
			}
		}
		if len(f.Caches) > 0 {
			t.Errorf("%q: %q are there", line, f.Caches)
		}
		for _, w := range f.Write {
			if w.Cache != (w.Tree && pathname.Within(w.Path, root+"/home/dev")) {
				t.Errorf("%q: %s is a cache: %v", line, w.Path, w.Cache)
			}
		}
	}
	for _, name := range home {
		g.expect(t, Ask, "echo x > ~/'"+name+"'")
	}
}

// TestCachesAreMadeForTheirPrograms: a cache that is not there yet is named for the programs that
// use it, also when a file that is executed starts them.
func TestCachesAreMadeForTheirPrograms(t *testing.T) {
	g, root := desk(t, "", "w/run.sh", "w/Makefile")
	if err := os.WriteFile(root+"/w/run.sh", []byte("go vet ./...\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(root+"/w/Makefile", []byte("all:\n\tgo build ./...\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range caches() {
		for _, program := range strings.Fields(c.programs) {
			f, _, _ := fenceOf(t, g, root, program+" x")
			if want := root + "/home/dev/" + strings.TrimPrefix(c.name,
				"~/"); !slices.Contains(f.Caches, want) {
				t.Errorf("%s: %s is not made: %q", program, want, f.Caches)
			}
		}
	}
	for _, line := range []string{"sh run.sh", "make", "go test ./... | tail"} {
		if f, _, _ := fenceOf(t, g, root, line); !slices.Contains(f.Caches,
			root+"/home/dev/.cache/go-build") {
			t.Errorf("%q: %q", line, f.Caches)
		}
	}
	// A plan that says all that it writes has the caches of its programs too, and no others.
	for _, line := range []string{"pip list", "pip config list", "npm config get cache"} {
		f, _, _ := fenceOf(t, g, root, line)
		if !f.Exact || len(f.Caches) == 0 ||
			!slices.ContainsFunc(f.Caches,
				func(c string) bool {
					return strings.HasSuffix(c, "/.cache/pip") || strings.HasSuffix(c, "/.npm")
				}) || slices.Contains(f.Caches, root+"/home/dev/.cache/go-build") {
			t.Errorf("%q: exact %v, %q", line, f.Exact, f.Caches)
		}
	}
	for _, line := range []string{"ls", "cat run.sh", "./other"} {
		if f, _, _ := fenceOf(t, g, root, line); len(f.Caches) > 0 {
			t.Errorf("%q: %q", line, f.Caches)
		}
	}
}

// TestTablesHaveNoNameTwice: a name that stood twice would have two owners.
func TestTablesHaveNoNameTwice(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range caches() {
		if seen[c.name] || len(c.programs) == 0 {
			t.Errorf("%s", c.name)
		}
		seen[c.name] = true
	}
	for _, n := range laterNames() {
		if seen[n.name] {
			t.Errorf("%s", n.name)
		}
		seen[n.name] = true
	}
	if lines := strings.Count(strings.TrimSpace(strings.ReplaceAll(cacheTable, "\n\n", "\n")),
		"\n") + 1; lines != len(caches())-len(agents.Texts("cache")) {
		t.Errorf("%d lines, %d caches", lines, len(caches()))
	}
}
