package integration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a new user types first, in an empty folder, and what it leaves there.
var firstInstalls = []struct{ tool, line, left, host string }{
	{"npm", "npm install --no-audit --no-fund left-pad", "node_modules/left-pad/package.json",
		"registry.npmjs.org:443 (npm)"},
	{"python3", "python3 -m venv v && v/bin/pip install --retries 0 six",
		"v/lib/python3*/site-packages/six.py", "pypi.org:443 (pip)"},
	{"go", "go mod init example.test/own && GOFLAGS=-modcacherw go get golang.org/x/text@v0.3.0",
		"go.sum", "proxy.golang.org:443 (go)"},
}

// Package tools reach their public registries unasked, with no configuration at all. What this
// machine does not reach without tada-run says nothing. make test-registries.
func TestPublicRegistries(t *testing.T) {
	if os.Getenv("TEST_REGISTRIES") == "" {
		t.Skip("reaches public registries; to run it: make test-registries")
	}
	for _, tt := range firstInstalls {
		t.Run(tt.tool, func(t *testing.T) {
			need(t, tt.tool)
			p := newPlace(t)
			left := func() bool {
				found, _ := filepath.Glob(filepath.Join(p.dir, tt.left))
				return len(found) > 0
			}
			if out := p.run(tt.line); !left() {
				t.Skipf("without tada-run too: %s", out)
			}
			p.run("find . -mindepth 1 -delete")
			if out := p.run("tada-run --check '" + tt.line + "'"); !strings.Contains(out, tt.host) {
				t.Errorf("%q does not name %q", out, tt.host)
			}
			if out := p.run("tada-run '" + tt.line + "' < /dev/null"); !left() {
				t.Errorf("nothing was installed: %s", out)
			}
			if out := p.run("tadactl pending"); strings.Contains(out, "connect") {
				t.Errorf("asked: %s", out)
			}
		})
	}
}
