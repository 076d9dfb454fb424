package pathname

import "testing"

// A path is in a directory by whole components.
func TestWithin(t *testing.T) {
	for _, tt := range []struct {
		path, dir string
		want      bool
	}{
		{"/etc", "/etc", true}, {"/etc/passwd", "/etc", true}, {"/etcetera", "/etc", false},
		{"/x", "/", true}, {"x", "/", false}, {"/x", "", false}, {"/a/b", "/a/b/c", false},
	} {
		if got := Within(tt.path, tt.dir); got != tt.want {
			t.Errorf("%q in %q: %v", tt.path, tt.dir, got)
		}
	}
}

// A built-in name of any depth is a name in a directory, and with a slash the directory too.
func TestIsDeep(t *testing.T) {
	for _, tt := range []struct {
		builtin, dir, name string
		want               bool
	}{
		{"**/.env", "/w/a", ".env", true}, {"**/*.pem", "/w", "x.pem", true},
		{"**/*.pem", "/w", "x.pub", false},
		{"**/.aws/credentials", "/w/.aws", "credentials", true},
		{"**/.aws/credentials", "/w", "credentials", false},
		{"~/.ssh", "/home/dev", ".ssh", false},
	} {
		if got := IsDeep(tt.builtin, tt.dir, tt.name); got != tt.want {
			t.Errorf("%s, %s in %s: %v", tt.builtin, tt.name, tt.dir, got)
		}
	}
}
