package tamper

import (
	"os"
	"strings"
	"testing"
)

// the difference without any git, whole and inert.
func TestDiff(t *testing.T) {
	w := newWorld(t, "*")
	w.write("TODO.md", "# Tasks\n\n- [ ] one\n- [ ] two\n- [ ] three\n")
	w.write("odd.md", "a\x1b[2Jb\nsame\n")
	w.write("empty.md", "")
	w.write("bytes.bin", "\x00\x01\xff")
	w.write("mode.sh", "x\n")
	w.want("")
	w.write("TODO.md", "# Tasks\n\n- [ ] one\n- [x] two\n- [ ] three\n"+
		"- [ ] vier \u202eevil\u202c 任务")
	w.write("odd.md", "a\x1b[3Jb\r\nsame\n")
	w.write("empty.md", "now\n")
	w.write("bytes.bin", "\x00\x02\xff")
	must(t, os.Chmod(w.path("mode.sh"), 0o4755))
	must(t, os.Chmod(w.path("mode.sh"), 0o755))
	w.write("new.md", "new\n")
	var all strings.Builder
	for _, f := range w.verify().Findings {
		d, err := w.Diff(f.Path)
		must(t, err)
		if d.Digest != f.Digest || !strings.HasSuffix(d.Text, "# digest: "+f.Digest+"\n") {
			t.Errorf("%s: shows another digest than it is accepted by", f.Path)
		}
		all.WriteString(strings.ReplaceAll(d.Text, f.Digest, "DIGEST"))
	}
	for i := range all.Len() {
		if c := all.String()[i]; c < ' ' && c != '\n' || c == 0x7f {
			t.Fatalf("byte %#x reaches the terminal", c)
		}
	}
	golden(t, "diff.txt", all.String())
	if got := w.actions(); strings.Contains(got, "SHOWN") {
		t.Errorf("Diff told %s", got)
	}
}
