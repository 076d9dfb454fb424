package pathguard

import (
	"os"
	"strings"
	"testing"
)

// Settings in files that the sandbox hides are handed in, and no others: not where the file can be
// read, the plan names it, the caller has the variable, or the workspace's own settings say it.
func TestHandIn(t *testing.T) {
	g, root := desk(t, "security: {restricted_paths: ['@/home/dev/.config/pip']}",
		"home/dev/.npmrc", "home/dev/.config/pip/pip.conf", "home/dev/.config/go/env", "w/sub/x")
	for name, text := range map[string]string{
		"home/dev/.npmrc":               "registry=https://npm.corp/\n//npm.corp/:_auth=s3cr3t\n",
		"home/dev/.config/pip/pip.conf": "index-url=https://u:s3cr3t@pip.corp/simple\n",
		"home/dev/.config/go/env":       "GOPROXY=https://go.corp\n",
		"w/Makefile":                    "all:\n\tnpm ci\n",
	} {
		if err := os.WriteFile(root+"/"+name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const npm = "npm_config_registry=https://npm.corp/"
	for _, tt := range []struct{ line, env, want string }{
		{"npm ci", "", npm},
		{"make", "", npm},
		{"npm ci", "NPM_CONFIG_REGISTRY=https://other.corp", ""},
		{"npm ci --userconfig ~/.npmrc && cat ~/.npmrc", "", ""},
		{"npm test", "", ""},
		{"pip install x", "", "PIP_INDEX_URL=https://pip.corp/simple"},
		{"go get x", "", ""},
		{"ls", "", ""},
	} {
		guard := g
		if name, value, ok := strings.Cut(tt.env, "="); ok {
			guard = moving(t, g, root, name, value)
		}
		_, plan, err := guard.judge(tt.line)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(guard.Policy.HandIn(plan), " "); got != tt.want {
			t.Errorf("%s (%s): %q, want %q", tt.line, tt.env, got, tt.want)
		}
		plan.Close()
	}
	if err := os.WriteFile(root+"/w/.npmrc", []byte("registry=https://repo.test/\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	_, plan, err := g.judge("npm ci")
	if err != nil {
		t.Fatal(err)
	}
	defer plan.Close()
	if got := g.Policy.HandIn(plan); len(got) > 0 {
		t.Errorf("over the workspace's own setting: %q", got)
	}
}
