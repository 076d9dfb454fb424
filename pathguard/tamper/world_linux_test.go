package tamper

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A world is a workspace and the store of it, with a clock that is far enough ahead for every stamp
// to be old.
type world struct {
	t    *testing.T
	root string
	dir  string
	now  time.Time
	*Store
}

var me = Who{User: "dg/claude-code", Interface: CLI, Task: "T-1", Session: "run-1"}

func newWorld(t *testing.T, patterns ...string) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	w := &world{t: t, root: filepath.Join(base, "ws"), dir: filepath.Join(base, "shadow", "ws"),
		now: time.Now().Add(time.Hour)}
	must(t, os.Mkdir(w.root, 0o755))
	if len(patterns) == 0 {
		patterns = []string{"TODO.md"}
	}
	w.Store = Open(w.dir, Options{Root: w.root, Patterns: patterns,
		Now: func() time.Time { return w.now }, Export: true})
	return w
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) path(name string) string { return filepath.Join(w.root, name) }

func (w *world) write(name, text string) {
	w.t.Helper()
	must(w.t, os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
	must(w.t, os.WriteFile(w.path(name), []byte(text), 0o644))
}

func (w *world) verify() Report {
	w.t.Helper()
	r, err := w.VerifyIntegrity(me)
	must(w.t, err)
	return r
}

// kinds are the findings as "name kind".
func (w *world) kinds() string {
	w.t.Helper()
	var out []string
	for _, f := range w.verify().Findings {
		rel, _ := filepath.Rel(w.root, f.Path)
		out = append(out, rel+" "+string(f.Kind))
	}
	return strings.Join(out, ", ")
}

func (w *world) want(kinds string) {
	w.t.Helper()
	if got := w.kinds(); got != kinds {
		w.t.Fatalf("found %q, want %q", got, kinds)
	}
}

// run does what a run does that may write these names.
func (w *world) run(id string, do func(), names ...string) []Event {
	w.t.Helper()
	var paths []string
	for _, n := range names {
		paths = append(paths, w.path(n))
	}
	must(w.t, w.Begin(id, "me", paths))
	do()
	events, err := w.UpdateIntegrity(me, id)
	must(w.t, err)
	return events
}

func (w *world) accept(name string) Event {
	w.t.Helper()
	_, err := w.Show(me, w.path(name))
	must(w.t, err)
	e, err := w.Accept(me, w.path(name), "", "it is mine")
	must(w.t, err)
	return e
}

func (w *world) read(name string) string {
	w.t.Helper()
	b, err := os.ReadFile(w.path(name))
	must(w.t, err)
	return string(b)
}

func (w *world) shadow(name string) string {
	w.t.Helper()
	m, err := w.load()
	must(w.t, err)
	b, err := w.blob(m.records[w.path(name)].Raw)
	must(w.t, err)
	return string(b)
}

func (w *world) manifest() string {
	b, _ := os.ReadFile(w.manifestPath())
	return string(b)
}

func (w *world) actions() string {
	w.t.Helper()
	events, err := w.Unlogged()
	must(w.t, err)
	var out []string
	for _, e := range events {
		out = append(out, string(e.Action))
	}
	return strings.Join(out, " ")
}

func sha(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
