package pathguard

import (
	"slices"
	"strings"
	"testing"
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
		write = append(write, short(join(w.Path, w.Missing)))
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
	g, root := desk(t, "security: {restricted_paths: [~/vault], readonly_paths: ['@/w/vendor']}", "home/dev/vault/x", "home/dev/.ssh/id_rsa", "home/dev/.ssh/config",
		"home/dev/.aws/credentials", "home/dev/.tada/config.yaml", "home/dev/.cache/x", "home/dev/n.txt", "w/.env", "w/.env.example", "w/vendor/v.go", "w/.git/hooks/h", "w/.git/config", "w/a.txt", "w/.github/workflows/ci.yml", "w/.envrc")
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
		{"make", false, []string{"@/w", "/tmp", "@/home/dev/.cache"}, []string{"@/home/dev"}},
		{"./tool; touch ~/n.txt", false, []string{"@/w", "@/home/dev/n.txt"}, []string{"@/home/dev"}},
		{"no-such-program --out=/etc/x /home/y", false, []string{"@/w"}, []string{"/etc/x", "/home/y", "/etc"}},
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
		for _, h := range []string{"@/home/dev/.tada", "@/home/dev/vault", "@/home/dev/.ssh", "@/home/dev/.aws", "@/w/.env"} {
			if !slices.Contains(f.Hide, h) {
				t.Errorf("%q: %q does not hide %q", tt.line, f.Hide, h)
			}
		}
		if slices.Contains(f.Hide, "@/w/.env.example") {
			t.Errorf("%q hides an example", tt.line)
		}
	}
}

// TestFenceReveal: what a person approved to be read is readable, and its neighbours are not.
func TestFenceReveal(t *testing.T) {
	g, root := desk(t, "security: {restricted_paths: [~/vault]}", "home/dev/.ssh/id_rsa", "home/dev/.ssh/id_ed25519", "home/dev/.ssh/config", "w/.env", "home/dev/vault/x")
	f, _, reveal := fenceOf(t, g, root, "cat ~/.ssh/id_rsa .env ~/vault/x")
	if want := []string{"@/home/dev/.ssh/id_rsa", "@/w/.env"}; !slices.Equal(reveal, want) {
		t.Errorf("reveals %q, want %q", reveal, want)
	}
	for path, want := range map[string]bool{"@/home/dev/.ssh": false, "@/home/dev/.ssh/id_rsa": false, "@/home/dev/.ssh/id_ed25519": true, "@/home/dev/.ssh/config": true, "@/w/.env": false, "@/home/dev/vault": true} {
		if slices.Contains(f.Hide, path) != want {
			t.Errorf("hides %q: %q", f.Hide, path)
		}
	}
}

// TestFenceReadOnly: what runs later stays as it is, unless the plan writes it; git writes
// its own folder, and not the hooks.
func TestFenceReadOnly(t *testing.T) {
	g, root := desk(t, "security: {readonly_paths: ['@/w/vendor']}", "w/vendor/v.go", "w/.git/hooks/h", "w/.git/config", "w/.github/workflows/ci.yml", "w/.envrc", "w/.tada/config.yaml")
	tests := []struct{ line, want string }{
		{"make", "@/w/.envrc @/w/.git @/w/.github/workflows @/w/.tada @/w/vendor"},
		{"git commit -m x && make", "@/w/.envrc @/w/.git/hooks @/w/.github/workflows @/w/.tada @/w/vendor"},
		{"echo x >> .envrc && make", "@/w/.git @/w/.github/workflows @/w/.tada @/w/vendor"},
		{"touch .git/hooks/post-merge && make", "@/w/.envrc @/w/.github/workflows @/w/.tada @/w/vendor"},
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
	for line, want := range map[string]string{"make": "off", "curl http://localhost:1": "off", "curl https://example.com/x": "example.com", "curl https://b.example https://a.example": "b.example a.example"} {
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
