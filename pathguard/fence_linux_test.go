package pathguard

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/pathguard/walk"
)

// fenceOf is the fence of a line, with the root of the desk written "@".
func fenceOf(t *testing.T, g Guard, root, line string) (f Fence, write, reveal []string) {
	t.Helper()
	_, plan, err := g.judge(line)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { plan.Close() })
	f = g.Policy.Fence(plan)
	short := func(s string) string { return strings.ReplaceAll(s, root, "@") }
	for _, w := range f.Write {
		write = append(write, short(pathname.Join(w.Path, w.Missing)))
	}
	for _, r := range f.Reveal {
		reveal = append(reveal, short(r.Path))
	}
	for _, list := range []*[]string{&f.Hide, &f.ReadOnly} {
		for i := range *list {
			(*list)[i] = short((*list)[i])
		}
	}
	return f, write, reveal
}

// TestFence: if the plan says that it writes two files, two files can be written.
func TestFence(t *testing.T) {
	g, root := desk(t, "security: {restricted_paths: [~/vault], readonly_paths: ['@/w/vendor']}",
		"home/dev/vault/x", "home/dev/.ssh/id_rsa", "home/dev/.ssh/config",
		"home/dev/.aws/credentials", "home/dev/.tada/config.yaml", "home/dev/.cache/x",
		"home/dev/.cache/go-build/x", "home/dev/n.txt", "w/.env", "w/.env.example", "w/vendor/v.go",
		"w/.git/hooks/h", "w/.git/config", "w/a.txt", "w/.github/workflows/ci.yml", "w/.envrc")
	tests := []struct {
		line  string
		exact bool
		write []string // all of it when exact, else some of it
		never []string
	}{
		{"cat a.txt", true, nil, nil},
		{"cp a.txt b.txt; echo x > c/d.txt", true, []string{"@/w/b.txt", "@/w/c/d.txt"}, nil},
		{"rm a.txt", true, []string{"@/w/a.txt"}, nil},
		{"sed -i s/a/b/ ~/n.txt", true, []string{"@/home/dev/n.txt"}, nil},
		{"make", false, []string{"@/w", "/tmp", "@/home/dev/.cache/go-build"},
			[]string{"@/home/dev", "@/home/dev/.cache"}},
		{"./tool; touch ~/n.txt", false, []string{"@/w", "@/home/dev/n.txt"},
			[]string{"@/home/dev"}},
		{"no-such-program --name=/etc/x /home/y", false, []string{"@/w"},
			[]string{"/etc/x", "/home/y", "/etc"}},
	}
	for _, tt := range tests {
		f, write, _ := fenceOf(t, g, root, tt.line)
		if f.Exact != tt.exact || tt.exact && !slices.Equal(write, tt.write) {
			t.Errorf("%q: exact %v write %q", tt.line, f.Exact, write)
		}
		for _, w := range tt.write {
			if !slices.Contains(write, w) {
				t.Errorf("%q: %q lacks %q", tt.line, write, w)
			}
		}
		for _, w := range tt.never {
			if slices.Contains(write, w) {
				t.Errorf("%q: %q has %q", tt.line, write, w)
			}
		}
		for _, h := range []string{"@/home/dev/.tada", "@/home/dev/vault", "@/home/dev/.ssh",
			"@/home/dev/.aws", "@/w/.env"} {
			if !slices.Contains(f.Hide, h) {
				t.Errorf("%q: %q does not hide %q", tt.line, f.Hide, h)
			}
		}
		if slices.Contains(f.Hide, "@/w/.env.example") {
			t.Errorf("%q hides an example", tt.line)
		}
	}
}

// TestGrants: a name is a right to its directory, so the directory is held and the name is
// told; and what is worth more than a name is never given for it.
func TestGrants(t *testing.T) {
	g, root := desk(t, "security: {restricted_paths: ['@/srv/shut/vault']}", "srv/p/old.txt",
		"srv/p/dir/x", "srv/p/a", "srv/shut/vault/x", "srv/shut/x", "home/dev/.ssh/known_hosts",
		"home/dev/n.txt", "home/dev/.local/bin/tool", "w/a.txt")
	if err := os.Symlink("a", filepath.Join(root, "srv/p/link")); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		line   string
		path   string
		parent string // "" without Entry
		names  string
		broad  bool
	}{
		{"echo x > @/srv/p/a", "@/srv/p/a", "", "", false},
		{"echo x > @/srv/p/new", "@/srv/p/new", "@/srv/p", "new", false},
		{"mkdir -p @/srv/p/q/r", "@/srv/p/q/r", "@/srv/p", "q", false},
		{"rm @/srv/p/old.txt", "@/srv/p/old.txt", "@/srv/p", "old.txt", false},
		{"rm -r @/srv/p/dir", "@/srv/p/dir", "@/srv/p", "dir", false},
		{"sed -i s/a/b/ @/srv/p/a", "@/srv/p/a", "@/srv/p", "", false},
		{"chmod 600 @/srv/p/a", "@/srv/p/a", "", "", false},
		{"touch -h @/srv/p/a", "@/srv/p/a", "", "", false},
		{"touch -h @/srv/p/link", "@/srv/p/link", "@/srv/p", "link", false},
		{"touch @/srv/p/link", "@/srv/p/a", "", "", false},
		{"rm @/srv/shut/x", "@/srv/shut/x", "@/srv/shut", "x", true},
		{"echo x > ~/new", "@/home/dev/new", "@/home/dev", "new", true},
		{"rm ~/n.txt", "@/home/dev/n.txt", "@/home/dev", "n.txt", true},
		{"rm ~/.ssh/known_hosts", "@/home/dev/.ssh/known_hosts", "@/home/dev/.ssh", "known_hosts",
			true},
		{"rm ~/.local/bin/tool", "@/home/dev/.local/bin/tool", "@/home/dev/.local/bin", "tool",
			true},
		{"echo x > /new-at-the-root", "/new-at-the-root", "/", "new-at-the-root", true},
		{"echo x > /etc/new-in-etc", "/etc/new-in-etc", "/etc", "new-in-etc", true},
		{"echo x > /usr/new", "/usr/new", "/usr", "new", true},
		{"rm a.txt", "@/w/a.txt", "@/w", "a.txt", false},
		{"rm .git/config", "@/w/.git/config", "@/w/.git", "config", true},
	}
	for _, tt := range tests {
		at := func(s string) string { return strings.ReplaceAll(s, "@", root) }
		_, plan, err := g.judge(at(tt.line))
		if err != nil {
			t.Fatal(err)
		}
		f := g.Policy.Fence(plan)
		i := slices.IndexFunc(f.Write,
			func(w Grant) bool { return pathname.Join(w.Path, w.Missing) == at(tt.path) })
		if i < 0 {
			t.Errorf("%q: %+v", tt.line, f.Write)
			continue
		}
		w := f.Write[i]
		if w.Entry != (tt.parent != "") || w.Parent != at(tt.parent) ||
			strings.Join(w.Names, " ") != tt.names || w.Broad != tt.broad {
			t.Errorf("%q: %+v", tt.line, w)
		}
		if tt.parent != "" {
			held, err := os.Stat("/proc/self/fd/" + strconv.Itoa(int(w.Dir.Fd())))
			named, err2 := os.Stat(at(tt.parent))
			if err != nil || err2 != nil || !os.SameFile(held, named) {
				t.Errorf("%q: the directory is not held: %v %v", tt.line, err, err2)
			}
		}
		plan.Close()
	}
}

// A directory that is put in the place of the one that was judged is not what is held.
func TestGrantSwapped(t *testing.T) {
	g, root := desk(t, "", "srv/p/a", "srv/q/a")
	_, plan, err := g.judge("rm " + root + "/srv/p/a")
	if err != nil {
		t.Fatal(err)
	}
	defer plan.Close()
	want, err := os.Stat(root + "/srv/p")
	if err != nil {
		t.Fatal(err)
	}
	os.Rename(root+"/srv/p", root+"/srv/was")
	os.Rename(root+"/srv/q", root+"/srv/p")
	w := g.Policy.Fence(plan).Write[0]
	if held, err := os.Stat("/proc/self/fd/" + strconv.Itoa(int(w.Dir.Fd()))); err != nil ||
		!os.SameFile(held, want) {
		t.Errorf("another directory is held: %v", err)
	}
}

// TestFenceApart: what writes in the folder of worktrees that a protected folder has leaves its
// other entries as they are, and the protected names and secrets in a worktree too.
func TestFenceApart(t *testing.T) {
	g, root := desk(t, "", "w/.claude/settings.json", "w/.claude/worktrees/a/.claude/settings.json",
		"w/.claude/worktrees/a/.env", "w/.claude/worktrees/a/src/a.ts", "w/.claude/hooks/h")
	nested := "@/w/.claude/worktrees/a/.claude"
	others := []string{"@/w/.claude/hooks", "@/w/.claude/settings.json", nested}
	for line, want := range map[string][]string{
		"./x":                                  {"@/w/.claude", nested},
		"./x > .claude/worktrees/a/o":          others,
		"rm .claude/worktrees/a/src/a.ts; ./x": others,
		"./x > .claude/o":                      {nested}} {
		f, _, _ := fenceOf(t, g, root, line)
		got := slices.DeleteFunc(slices.Clone(f.ReadOnly),
			func(name string) bool { return !strings.HasPrefix(name, "@/w/.claude") })
		if !slices.Equal(got, want) {
			t.Errorf("%q: keeps %q, want %q", line, got, want)
		}
		if !slices.Contains(f.Hide, "@/w/.claude/worktrees/a/.env") {
			t.Errorf("%q: the secret of a worktree is not hidden", line)
		}
	}
}

// TestFenceNested: secrets and names that run later are found below the workspace too, when
// what runs could come to them without naming them.
func TestFenceNested(t *testing.T) {
	g, root := desk(t, "security: {restricted_paths: ['**/vault']}", "w/api/.env",
		"w/api/.env.example", "w/api/deep/er/x.pem", "w/node_modules/m/.env",
		"w/api/.aws/credentials",
		"w/sub/.git/hooks/h", "w/sub/AGENTS.md", "w/sub/.github/workflows/ci.yml", "w/api/vault/x",
		"w/.git/x/.env")
	hidden := []string{"@/w/api/.aws/credentials", "@/w/api/.env", "@/w/api/deep/er/x.pem",
		"@/w/api/vault"}
	kept := []string{"@/w/sub/.git", "@/w/sub/.github/workflows", "@/w/sub/AGENTS.md"}
	for line, want := range map[string]bool{"make": true, "grep -rn x .": true, "cat a.go": false,
		"echo x > b": false} {
		f, _, _ := fenceOf(t, g, root, line)
		for _, path := range hidden {
			if slices.Contains(f.Hide, path) != want {
				t.Errorf("%q: hides %q: %v", line, path, !want)
			}
		}
		for _, path := range kept {
			if slices.Contains(f.ReadOnly, path) != want {
				t.Errorf("%q: keeps %q: %v", line, path, !want)
			}
		}
		for _, path := range append(f.Hide, f.ReadOnly...) {
			if strings.Contains(path, "node_modules") || strings.Contains(path, "example") ||
				strings.HasPrefix(path, "@/w/.git/x") {
				t.Errorf("%q: %q", line, path)
			}
		}
	}
	f, _, reveal := fenceOf(t, g, root, "cat api/.env && make")
	if slices.Contains(f.Hide, "@/w/api/.env") || !slices.Contains(reveal, "@/w/api/.env") {
		t.Errorf("what was approved stays hidden: %q", f.Hide)
	}
}

// BenchmarkFenceSearch is the fence of a build in a workspace with more directories than are
// searched.
func BenchmarkFenceSearch(b *testing.B) {
	var files []string
	for i := range 200 {
		for k := range 10 {
			files = append(files, "w/d"+strconv.Itoa(i)+"/f"+strconv.Itoa(k))
		}
	}
	g, _ := desk(b, "", files...)
	for _, line := range []string{"cat d1/f1", "make"} {
		_, plan, err := g.judge(line)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(line[:3], func(b *testing.B) {
			for b.Loop() {
				g.Policy.Fence(plan)
			}
		})
		plan.Close()
	}
}

// F4: in a folder that is hidden as a whole, nothing is looked for; beside it, and in one of which
// a file is revealed, it is.
func TestFenceDoesNotSearchWhatIsHidden(t *testing.T) {
	g, root := desk(t, "security: {restricted_paths: ['@/w/closed']}", "w/closed/deep/.env",
		"w/open/.env")
	f, _, _ := fenceOf(t, g, root, "make")
	for path, want := range map[string]bool{"@/w/closed": true, "@/w/closed/deep/.env": false,
		"@/w/open/.env": true} {
		if slices.Contains(f.Hide, path) != want {
			t.Errorf("hides %q: %q", path, f.Hide)
		}
	}
	j := &judgement{plan: &resolve.Plan{Workspace: "/w"}}
	for reveal, want := range map[string]bool{"/w/closed/deep/x": false, "/w": false,
		"/w/closed": false, "/w/other": true} {
		if got := j.covered([]string{"/w/closed", "/etc/x"},
			[]Grant{{Path: reveal}}); got["/w/closed"] != want || got["/etc/x"] {
			t.Errorf("with %q revealed: %v", reveal, got)
		}
	}
}

// TestFenceHidesCopies: a file that is by its name a copy of a secret is hidden too.
func TestFenceHidesCopies(t *testing.T) {
	g, root := desk(t, "", "w/.env~", "w/deep/server.key.bak", "home/dev/.netrc~",
		"w/deep/.id_rsa.swp", "w/package.json.bak", "w/.env.example.bak", "home/dev/a.bak")
	f, _, _ := fenceOf(t, g, root, "make")
	want := []string{"@/home/dev/.netrc~", "@/home/dev/.tada", "@/w/.env~", "@/w/deep/.id_rsa.swp",
		"@/w/deep/server.key.bak"}
	slices.Sort(f.Hide)
	if got := slices.DeleteFunc(f.Hide,
		func(name string) bool { return name[0] != '@' }); !slices.Equal(got, want) {
		t.Errorf("hides %q, want %q", got, want)
	}
}

// TestFenceReveal: what a person approved to be read is readable, and its neighbours are not.
func TestFenceReveal(t *testing.T) {
	g, root := desk(t, "security: {restricted_paths: [~/vault]}", "home/dev/.ssh/id_rsa",
		"home/dev/.ssh/id_ed25519", "home/dev/.ssh/config", "w/.env", "home/dev/vault/x")
	f, _, reveal := fenceOf(t, g, root, "cat ~/.ssh/id_rsa .env ~/vault/x")
	if want := []string{"@/home/dev/.ssh/id_rsa", "@/w/.env"}; !slices.Equal(reveal, want) {
		t.Errorf("reveals %q, want %q", reveal, want)
	}
	for path, want := range map[string]bool{"@/home/dev/.ssh": false,
		"@/home/dev/.ssh/id_rsa": false, "@/home/dev/.ssh/id_ed25519": true,
		"@/home/dev/.ssh/config": true, "@/w/.env": false, "@/home/dev/vault": true} {
		if slices.Contains(f.Hide, path) != want {
			t.Errorf("hides %q: %q", f.Hide, path)
		}
	}
}

// TestFenceReadOnly: what runs later stays as it is, unless the plan writes it; git writes
// its own folder, and not the hooks.
func TestFenceReadOnly(t *testing.T) {
	g, root := desk(t, "security: {readonly_paths: ['@/w/vendor']}", "w/vendor/v.go",
		"w/.git/hooks/h", "w/.git/config", "w/.github/workflows/ci.yml", "w/.envrc",
		"w/.tada/config.yaml")
	tests := []struct{ line, want string }{
		{"make", "@/w/.envrc @/w/.git @/w/.github/workflows @/w/.tada @/w/vendor"},
		{"git commit -m x && make",
			"@/w/.envrc @/w/.git/hooks @/w/.github/workflows @/w/.tada @/w/vendor"},
		{"echo x >> .envrc && make", "@/w/.git @/w/.github/workflows @/w/.tada @/w/vendor"},
		{"touch .git/hooks/post-merge && make",
			"@/w/.envrc @/w/.github/workflows @/w/.tada @/w/vendor"},
	}
	for _, tt := range tests {
		f, _, _ := fenceOf(t, g, root, tt.line)
		if got := strings.Join(f.ReadOnly, " "); got != tt.want {
			t.Errorf("%q:\n got %s\nwant %s", tt.line, got, tt.want)
		}
	}
}

// TestFenceNetwork: no network unless the plan names who it talks to.
func TestFenceNetwork(t *testing.T) {
	g, root := desk(t, "")
	for line, want := range map[string]string{"make": "off", "curl http://localhost:1": "off",
		"curl https://example.com/x":               "example.com",
		"curl https://b.example https://a.example": "b.example a.example"} {
		f, _, _ := fenceOf(t, g, root, line)
		got := "off"
		if f.Network {
			got = strings.Join(f.Hosts, " ")
		}
		if got != want {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
	}
}

func BenchmarkFence(b *testing.B) {
	g, _ := desk(b, "")
	_, plan, err := g.judge("make")
	if err != nil {
		b.Fatal(err)
	}
	defer plan.Close()
	for b.Loop() {
		g.Policy.Fence(plan)
	}
}

// TestFenceLarge: in a workspace with more folders than are searched, what is restricted at any
// depth is hidden all the same, and a secret behind the bound is told by Partial.
func TestFenceLarge(t *testing.T) {
	var files []string
	for i := range walk.MaxSearched + 50 {
		files = append(files, fmt.Sprintf("w/d%03d/f", i))
	}
	last := fmt.Sprintf("d%03d", walk.MaxSearched+49)
	files = append(files, "w/"+last+"/deep/vault/x", "w/"+last+"/locked", "w/"+last+"/.env",
		"w/node_modules/vault/x")
	g, root := desk(t, "security: {restricted_paths: ['**/vault'], readonly_paths: ['**/locked']}",
		files...)
	f, _, _ := fenceOf(t, g, root, "make")
	for _, path := range []string{"@/w/" + last + "/deep/vault", "@/w/node_modules/vault",
		"@/w/" + last + "/.env"} {
		if !slices.Contains(f.Hide, path) {
			t.Errorf("%s is not hidden", path)
		}
	}
	if f.Partial || !slices.Contains(f.ReadOnly, "@/w/"+last+"/locked") {
		t.Errorf("partial %v, kept %q", f.Partial, f.ReadOnly)
	}
	g, root = desk(t, "", files...)
	if f, _, _ := fenceOf(t, g, root, "make"); !f.Partial {
		t.Error("nobody is told that not all was looked at")
	}
}
