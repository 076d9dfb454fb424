package sandbox

import (
	"crypto/sha256"
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

//go:embed testdata/guard.txt
var guardText string

// guardedTree is a profile with a workspace in which files are hidden and kept.
func guardedTree(t *testing.T, p Profile) Profile {
	t.Helper()
	ws := p.Write[0].Name
	for name, text := range map[string]string{
		"main": "own\n", "sub/own": "own\n", ".env": "secret\n", "conf/deep/.env": "secret\n",
		"conf/key/id": "secret\n", "meta/config": "kept\n", "meta/hooks/x": "hook\n",
	} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(ws, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(ws, name), []byte(text), 0o644))
	}
	p.Hide = []string{ws + "/.env", ws + "/conf/deep/.env", ws + "/conf/key"}
	p.ReadOnly = []string{ws + "/meta/config", ws + "/meta/hooks"}
	return p
}

// guardState is what no run may change.
func guardState(t *testing.T, ws string) (sum [sha256.Size]byte) {
	t.Helper()
	var all strings.Builder
	for _, name := range []string{".env", "conf/deep/.env", "conf/key/id", "meta/config",
		"meta/hooks/x"} {
		text, err := os.ReadFile(filepath.Join(ws, name))
		st, bad := os.Stat(filepath.Join(ws, name))
		must(t, err)
		must(t, bad)
		all.WriteString(string(text) + st.Mode().String() + st.ModTime().String())
	}
	for _, name := range []string{"conf/key", "meta/hooks"} {
		st, err := os.Stat(filepath.Join(ws, name))
		must(t, err)
		all.WriteString(st.Mode().String() + st.ModTime().String())
	}
	return sha256.Sum256([]byte(all.String()))
}

// F18: a workspace with hidden and kept files works as one without, at both levels, and
// these are neither read nor changed.
func TestGuardedTree(t *testing.T) {
	for _, test := range blocks(guardText) {
		levels(t, func(t *testing.T, p Profile) {
			t.Run(test.name, func(t *testing.T) {
				p := guardedTree(t, p)
				ws := p.Write[0].Name
				before := guardState(t, ws)
				_, text := shell(t, p, "umask 022; cd "+ws+"; exec 3>&2 2>&1; "+
					"exec 2>/dev/null; "+test.script)
				if text != test.want {
					t.Errorf("%q, want %q", text, test.want)
				}
				if guardState(t, ws) != before {
					t.Error("a guarded file was changed")
				}
			})
		})
	}
}
