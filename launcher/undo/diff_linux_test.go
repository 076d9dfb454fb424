package undo

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestDiff: in git's form, with renames, modes, binary files, links and names that need quotes.
func TestDiff(t *testing.T) {
	w := newWorld(t, t.TempDir())
	w.write("text", "one\ntwo\nthree\n")
	w.write("gone", "x\n")
	w.write("old", "same\n")
	w.write("mode", "")
	w.write("binary", "a\x00b")
	if err := os.Symlink("here", w.path("link")); err != nil {
		t.Fatal(err)
	}
	w.run("run", func(h *hand) {
		h.rewrite(w.path("text"), "one\n2\nthree\n", unix.O_TRUNC, 0)
		h.remove(w.path("gone"), 0)
		h.rename(w.path("old"), w.path("new\nname"), 0)
		h.chmod(w.path("mode"), 0o600)
		h.rewrite(w.path("binary"), "c", 0, 0)
		h.remove(w.path("link"), 0)
		h.symlink(w.path("link"), "there")
		h.mkdir(w.path("d"))
		h.create(w.path("d/made"), "line\nno end", 0)
	})
	const want = `diff --git a/binary b/binary
Binary files a/binary and b/binary differ (3 bytes, SHA-256 SUM; 3 bytes, SHA-256 SUM)
diff --git a/d b/d
new file mode 040755
diff --git a/d/made b/d/made
new file mode 100640
--- /dev/null
+++ b/d/made
@@ -0,0 +1,2 @@
+line
+no end
\ No newline at end of file
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1,1 +0,0 @@
-x
diff --git a/link b/link
--- a/link
+++ b/link
@@ -1,1 +1,1 @@
-here
\ No newline at end of file
+there
\ No newline at end of file
diff --git a/mode b/mode
old mode 100644
new mode 100600
diff --git a/old "b/new\nname"
rename from old
rename to "new\nname"
diff --git a/text b/text
--- a/text
+++ b/text
@@ -1,3 +1,3 @@
 one
-two
+2
 three
`
	run, err := w.store.Read("run")
	if err != nil {
		t.Fatal(err)
	}
	diff := func(paths ...string) string {
		var b strings.Builder
		if err := run.Diff(&b, paths...); err != nil {
			t.Fatal(err)
		}
		var out []string
		for line := range strings.Lines(b.String()) {
			if i := strings.Index(line, "SHA-256 "); i > 0 {
				line = strings.NewReplacer(line[i+8:i+72], "SUM", line[len(line)-66:len(line)-2],
					"SUM").Replace(line)
			}
			out = append(out, line)
		}
		return strings.Join(out, "")
	}
	if got := diff(); got != want {
		t.Errorf("got\n%s\nwant\n%s\n%s", got, want, difference(want, got))
	}
	if got := diff(w.path("d")); strings.Count(got, "diff --git") != 2 {
		t.Errorf("of one folder:\n%s", got)
	}
	s := run.Summary()
	if s.Added != 2 || s.Changed != 5 || s.Removed != 1 || s.Reversible != "true" {
		t.Errorf("%+v", s)
	}
	w.undo("undo", "run")
	if got := diff(); got != want {
		t.Errorf("after the undo:\n%s", difference(want, got))
	}
	w.run("again", func(h *hand) { h.rewrite(w.path("text"), "2\n", unix.O_TRUNC, 0) })
	w.write("text", "a person's\n")
	if run, err = w.store.Read("again"); err != nil {
		t.Fatal(err)
	}
	if got := diff(); !strings.Contains(got, errLater.Error()) {
		t.Errorf("after a later change:\n%s", got)
	}
}
