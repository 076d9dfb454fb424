package launcher

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// The namespaces that are made while the configuration is read are those of the next run, and of no
// other; where the configuration gives every command the network, none are left.
func TestNamespacesAreMadeBeforeTheConfigurationIsRead(t *testing.T) {
	place := Place{State: filepath.Join(t.TempDir(), "state"), Account: t.TempDir()}
	l, err := place.OpenToRun()
	if err != nil {
		t.Fatal(err)
	}
	if l.level() != sandbox.Strong {
		t.Skip("needs namespaces, which this machine does not allow")
	}
	made := l.early
	if made == nil {
		t.Fatal("OpenToRun made no namespaces")
	}
	first, second := l.ahead(), l.ahead()
	if first != made || second == made || second == nil || l.early != nil {
		t.Errorf("the first run gets %p, the second %p, of %p", first, second, made)
	}
	first.Release()
	second.Release()

	config := filepath.Join(place.State, "config.yaml")
	for text, opens := range map[string]bool{
		"network:\n  default: on\n": true, "mistake: 1\n": false,
	} {
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := place.OpenToRun()
		if (err == nil) != opens {
			t.Fatalf("%q: %v", text, err)
		}
		if opens && (l.ahead() != nil || l.early != nil) {
			t.Errorf("%q leaves namespaces", text)
		}
	}
}
