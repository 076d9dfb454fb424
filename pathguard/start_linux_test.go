package pathguard

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
)

// accountOf is a home as it looks on a machine that is used, with a configuration in it.
func accountOf(t testing.TB) (Account, []ConfigFile, resolve.Caller) {
	t.Helper()
	root := hermetic.Tree(t, "home/dev/.ssh/id_rsa", "home/dev/.bashrc", "home/dev/.cache/",
		"home/dev/.config/gh/", "home/dev/.config/git/config", "home/dev/.npm/",
		"home/dev/.cargo/registry/", "home/dev/.bash_history", "home/dev/.local/share/keyrings/",
		"home/dev/.tada/", "home/dev/go/pkg/", "home/dev/src/", "home/dev/w/.git/",
		"home/dev/w/a.go")
	home := root + "/home/dev"
	if err := os.WriteFile(home+"/.tada/config.yaml",
		[]byte("security:\n  restricted_paths: [/etc/shadow, ~/.aws]\n"+
			"  readonly_paths: [~/.ssh]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := Account{Home: home, EnvHome: home, UID: os.Getuid(), StateDir: home + "/.tada"}
	files := []ConfigFile{{Path: filepath.Join(root, "etc/tada/config.yaml"), Layer: FloorLayer},
		{Path: home + "/.tada/config.yaml", Layer: UserLayer}}
	c := resolve.Caller{Dir: home + "/w", Home: home, UID: os.Getuid(), StateDir: a.StateDir,
		Env: map[string]string{"HOME": home,
			"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}}
	return a, files, c
}

// BenchmarkStart is what one run of tada-run spends in this room: every command is a
// process of its own, so nothing is kept from one to the next.
func BenchmarkStart(b *testing.B) {
	a, files, c := accountOf(b)
	p, err := Load(a, files...)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("default", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Default(a)
		}
	})
	b.Run("load", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Load(a, files...); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, line := range []string{"true", "ls | wc -l", "git status", "go build ./..."} {
		script := shellparse.Parse(line, shellparse.Options{Dir: c.Dir, Home: c.Home, Vars: c.Env})
		b.Run("resolve+judge "+line[:2], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				plan, _ := resolve.Resolve(script, c)
				p.Judge(plan)
				plan.Close()
			}
		})
		b.Run("fence "+line[:2], func(b *testing.B) {
			b.ReportAllocs()
			plan, _ := resolve.Resolve(script, c)
			defer plan.Close()
			for b.Loop() {
				p.Fence(plan)
			}
		})
		b.Run("all "+line[:2], func(b *testing.B) {
			for b.Loop() {
				p, _ := Load(a, files...)
				plan, _ := resolve.Resolve(script, c)
				p.Judge(plan)
				p.Fence(plan)
				plan.Close()
			}
		})
	}
}
