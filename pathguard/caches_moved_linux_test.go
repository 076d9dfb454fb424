package pathguard

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/pathguard/pathname"
)

// A cache that the caller's environment moves is open where it is, and made where it is missing.
// What is no cache by its place is neither, whatever a variable says.
func TestMovedCaches(t *testing.T) {
	g, root := desk(t, "security: {restricted_paths: ['@/closed']}", "xdg/go-build/x", "go/pkg/x",
		"closed/x", "other/.git/HEAD", "home/dev/.ssh/id_rsa", "home/dev/.config/fish/config.fish",
		"home/dev/notes", "second/.npm/x",
		"home/dev/.npm/x")
	tests := []struct{ variable, value, line, open, made string }{
		{"XDG_CACHE_HOME", "@/xdg", "go build ./...", "@/xdg/go-build", ""},
		{"XDG_CACHE_HOME", "@/xdg", "make", "@/xdg/go-build", ""},
		{"XDG_CACHE_HOME", "@/xdg/", "pip list", "", "@/xdg/pip"},
		{"XDG_CACHE_HOME", "@/new", "go vet ./...", "", "@/new/go-build"},
		{"GOPATH", "@/go:@/other", "go build ./...", "@/go/pkg", ""},
		{"GOMODCACHE", "@/mods", "go build ./...", "", "@/mods"},
		{"GOCACHE", "@/made/../cache", "go build ./...", "", "@/cache"},
		{"GOCACHE", "/usr/no-home/.cache/go-build", "go build ./...", "",
			"/usr/no-home/.cache/go-build"},
		{"npm_config_cache", "@/npm", "npm run x", "", "@/npm"},
		{"CARGO_HOME", "/usr/local/no-cargo", "cargo build", "", "/usr/local/no-cargo/registry"},
		{"HOME", "@/elsewhere", "npm install x", "", "@/elsewhere/.npm"},
		{"HOME", "@/second", "npm install x", "@/second/.npm", ""},
		{"HOME", "@/elsewhere", "pip install x", "", "@/elsewhere/.cache/pip"},
		{"HOME", "@/elsewhere/", "go get x", "", "@/elsewhere/go/pkg"},
	}
	for _, tt := range tests {
		f, write, _ := fenceOf(t, moving(t, g, root, tt.variable, tt.value), root, tt.line)
		made := []string{}
		for _, c := range f.Caches {
			made = append(made, strings.ReplaceAll(c, root, "@"))
		}
		if tt.open != "" && !slices.Contains(write, tt.open) ||
			tt.made != "" && !slices.Contains(made, tt.made) {
			t.Errorf("%s=%s %s: open are %q, made %q", tt.variable, tt.value, tt.line, write, made)
		}
	}
	for _, value := range []string{
		"", "off", "cache", "/", "/etc", "/usr/local", "/proc/self", "/sys/fs", "/dev", "/home",
		"@", "@/home", "@/home/dev", "@/home/dev/.ssh", "@/home/dev/.ssh/x", "@/home/dev/.config",
		"@/home/dev/.config/fish",
		"@/home/dev/.tada", "@/home/dev/.claude", "@/w", "@/other", "@/closed", "@/closed/x",
		"@/home/dev/../../closed",
	} {
		f, write, _ := fenceOf(t, moving(t, g, root, "GOCACHE", value), root, "go build ./...")
		plain, before, _ := fenceOf(t, g, root, "go build ./...")
		if !slices.Equal(write, before) || !slices.Equal(f.Caches, plain.Caches) {
			t.Errorf("GOCACHE=%s: open are %q, made %q", value, write, f.Caches)
		}
	}
}

// moving is the guard with one more variable in the caller's environment.
func moving(t *testing.T, g Guard, root, variable, value string) Guard {
	env := maps.Clone(g.Caller.Env)
	env[variable] = strings.ReplaceAll(value, "@", root)
	g.Caller.Env = env
	if variable == "HOME" { // ~ means both then
		a := g.Policy.account
		a.EnvHome = env[variable]
		p, err := compile(a, g.Policy.set, nil)
		if err != nil {
			t.Fatal(err)
		}
		g.Policy = p
	}
	return g
}

// Each line of the table moves a cache that there is.
func TestMovesAreOfCaches(t *testing.T) {
	seen := map[string]bool{}
	for line := range strings.Lines(moveTable) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if !slices.ContainsFunc(caches(),
			func(c cache) bool {
				return pathname.Within(c.name, f[0]) || pathname.Within(f[0], c.name)
			}) {
			t.Errorf("%s: no cache is there", f[0])
		}
		for _, variable := range f[1:] {
			if seen[variable] {
				t.Errorf("%s stands twice", variable)
			}
			seen[variable] = true
		}
	}
}
