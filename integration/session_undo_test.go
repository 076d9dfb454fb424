package integration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What each line of a session changed is shown and taken back alone, but for paths that a later one
// changed. The session as a whole is everything.
func TestLinesAreUndoneAlone(t *testing.T) {
	t.Parallel()
	d, a, session := inside(t, 100, 30)
	before := digest(t, d.dir)
	a.step("echo one > a; mkdir e")
	a.step("echo two >> a; echo two > b")
	a.step("echo three >> b; mv e f; touch c")
	d.eventually("three ends", func() bool { return len(d.changing()) == 3 })
	lines := d.changing()
	holds := func(want map[string]string) {
		t.Helper()
		for name, text := range want {
			got, err := os.ReadFile(filepath.Join(d.dir, name))
			if string(got) != text {
				t.Errorf("%s holds %q, want %q (%v)", name, got, text, err)
			}
		}
	}
	out := d.run("tadactl diff --stat " + lines[1])
	if !strings.Contains(out, "changed  "+d.dir+"/a") ||
		!strings.Contains(out, "added    "+d.dir+"/b") || strings.Contains(out, d.dir+"/c") {
		t.Errorf("of the second line: %s", out)
	}
	out = d.run("tadactl show " + lines[2])
	if !strings.Contains(out, "+1 ~2 -0 files, reversible") {
		t.Errorf("of the third line: %s", out)
	}
	out = d.answered("tadactl undo " + lines[1] + " 2>&1")
	if !strings.Contains(out, "refuse   "+d.dir+"/b  (it was changed after the run)") {
		t.Errorf("undo of the second line: %s", out)
	}
	holds(map[string]string{"a": "one\n", "b": "two\nthree\n"})
	a.step("cat a")
	a.shows("\none\n")
	if out = d.answered("tadactl undo 2>&1"); strings.Contains(out, "refuse") {
		t.Errorf("undo of the newest line: %s", out)
	}
	holds(map[string]string{"a": "one\n", "b": "two\n", "c": ""})
	if _, err := os.Stat(filepath.Join(d.dir, "e")); err != nil {
		t.Error(err)
	}
	a.line("exit")
	a.shows("outer>")
	if out = d.run("tadactl sessions"); !strings.Contains(out, "(+") {
		t.Errorf("the session changed nothing: %s", out)
	}
	out = d.answered("tadactl undo " + session + " 2>&1")
	if after := digest(t, d.dir); after != before {
		t.Errorf("undo of the session: %s\n%s", out, apart(before, after))
	}
}

// changing are the commands that are recorded as having changed something, the oldest first.
func (d *desktop) changing() (ids []string) {
	for line := range strings.Lines(d.run("tadactl sessions --all")) {
		if strings.Contains(line, "reversible)") {
			ids = append(ids, strings.Fields(line)[0])
		}
	}
	return ids
}
