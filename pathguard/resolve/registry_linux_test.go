package resolve

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/shellparse"
)

// Hosts of registries that the user's settings outside of the workspace name count; those that a
// file of the workspace names do not, wherever a link or a variable shows it.
func TestRegistries(t *testing.T) {
	root := t.TempDir()
	home, ws := root+"/home", root+"/home/work"
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	write(home+"/.npmrc", "registry=https://npm.home\n@a:registry=https://a.home:8443\n", 0o600)
	write(ws+"/.npmrc", "registry=https://repository.test\n@b:registry=https://npm.home\n", 0o600)
	write(ws+"/pip.conf", "index-url=https://inside.test\n", 0o600)
	write(home+"/xdg/pip/pip.conf", "index-url=https://pip.home\n", 0o644)
	write(home+"/.cargo/config.toml", "index = \"sparse+https://open.home\"\n", 0o666)
	write(root+"/outside.conf", "index-url=https://temporary.test\n", 0o600)
	if err := os.Symlink(ws+"/pip.conf", home+"/link.conf"); err != nil {
		t.Fatal(err)
	}
	const npm = "a.home:8443 ~/.npmrc, npm.home:443 ~/.npmrc, repository.test:443 .npmrc asks"
	for _, tt := range []struct{ line, env, want string }{
		{"ls", "", ""},
		{"npm ci", "", npm},
		{"npm ci", "npm_config_registry=http://env.test:1",
			"env.test:1 $npm_config_registry, " + npm},
		{"npm_config_registry=http://evil.test npm ci", "", npm},
		{"pip install x", "XDG_CONFIG_HOME=" + home + "/xdg",
			"pip.home:443 ~/xdg/pip/pip.conf, inside.test:443 pip.conf asks"},
		{"pip install x", "PIP_CONFIG_FILE=" + home + "/link.conf",
			"inside.test:443 ~/link.conf asks"},
		{"pip install x", "PIP_CONFIG_FILE=" + root + "/outside.conf",
			"inside.test:443 pip.conf asks"},
		{"cargo fetch", "", ""}, // others can write the file
		{"sh -c 'npm ci'", "", npm},
		{"ssh host.test npm ci", "", ""},
		{"./npm ci", "", ""},
	} {
		env := map[string]string{"HOME": home, "PATH": "/usr/bin"}
		if name, value, ok := strings.Cut(tt.env, "="); ok {
			env[name] = value
		}
		s := shellparse.Parse(tt.line, shellparse.Options{Dir: ws, Home: home, Vars: env})
		plan, err := Resolve(s, Caller{Dir: ws, Home: home, UID: os.Getuid(), Root: ws, Env: env})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, g := range plan.Registries {
			if g.From == "" || strings.HasPrefix(g.From, "/") && !strings.HasPrefix(g.From, root) {
				continue // built in, or a setting of this machine's
			}
			text := g.Host + " " + g.From
			if g.Asks {
				text += " asks"
			}
			got = append(got, text)
		}
		plan.Close()
		if fmt.Sprint(strings.Join(got, ", ")) != tt.want {
			t.Errorf("%s (%s):\n%q, want\n%q", tt.line, tt.env, strings.Join(got, ", "), tt.want)
		}
	}
}
