package tamper

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// the life of a file.
func TestLife(t *testing.T) {
	w := newWorld(t)
	w.write("TODO.md", "one\n")
	if r := w.verify(); len(r.Findings) != 0 || len(r.Notes) != 1 || r.Notes[0].Note != NoteFirst {
		t.Fatalf("first sight: %+v", r)
	}
	if r := w.verify(); len(r.Notes) != 0 {
		t.Fatalf("the first sight is told twice: %+v", r.Notes)
	}
	events := w.run("a", func() { w.write("TODO.md", "one\ntwo\n") }, "TODO.md")
	if len(events) != 1 || events[0].Action != ActionWrite ||
		events[0].Checksum != sha("one\ntwo\n") || events[0].Was != sha("one\n") {
		t.Fatalf("a valid write tells %+v", events)
	}
	w.want("")
	if w.shadow("TODO.md") != "one\ntwo\n" {
		t.Error("the copy is not what was written")
	}
	w.write("TODO.md", "someone else\n")
	for range 3 {
		w.want("TODO.md changed")
	}
	w.accept("TODO.md")
	for range 3 {
		w.want("")
	}
}

// the checksums in the workspace.
func TestExport(t *testing.T) {
	w := newWorld(t, "TODO.md", "B.md", "docs/*.md")
	w.write("TODO.md", "a\r\n")
	w.want("")
	if _, err := os.Stat(w.path(".tada")); err == nil {
		t.Error("a workspace that nobody wrote to has a folder of ours")
	}
	w.run("a", func() { w.write("TODO.md", "b\r\n") }, "TODO.md")
	if got := w.read(".tada/checksum"); got != sha("b\n")+"\n" ||
		!regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(strings.TrimSpace(got)) {
		t.Errorf("one file: %q", got)
	}
	w.write("B.md", "x\n")
	w.want("")
	w.run("b", func() { w.write("B.md", "y\n") }, "B.md")
	check := exec.Command("sha256sum", "-c", ".tada/checksum")
	check.Dir = w.root
	if out, err := check.CombinedOutput(); err != nil || strings.Count(string(out), ": OK") != 2 {
		t.Errorf("sha256sum -c: %v\n%s", err, out)
	}
	// Names that the format cannot hold literally cause no trouble.
	w.write("docs/a b.md", "d\n")
	w.write("docs/back\\slash.md", "d\n")
	w.write("docs/line\nfeed.md", "d\n")
	w.want("")
	w.run("d", func() { w.write("B.md", "y2\n") }, "B.md")
	check = exec.Command("sha256sum", "--strict", "-c", ".tada/checksum")
	check.Dir = w.root
	if out, err := check.CombinedOutput(); err != nil || strings.Count(string(out), ": OK") != 3 ||
		!strings.Contains(string(out), "docs/a b.md: OK") {
		t.Errorf("sha256sum -c: %v\n%s", err, out)
	}
	must(t, os.RemoveAll(w.path("docs")))
	for _, name := range []string{"docs/a b.md", "docs/back\\slash.md", "docs/line\nfeed.md"} {
		w.accept(name)
	}
	w.write("B.md", "forged\n")
	forged := sha("forged\n") + "  B.md\n" + sha("b\r\n") + "  TODO.md\n"
	w.write(".tada/checksum", forged)
	w.want("B.md changed")
	w.accept("B.md")
	if got := w.read(".tada/checksum"); got != forged {
		t.Errorf("after the accept: %q", got)
	}
	// A link out of the workspace is not written through.
	must(t, os.RemoveAll(w.path(".tada")))
	out := t.TempDir()
	must(t, os.Symlink(out, w.path(".tada")))
	w.run("c", func() { w.write("B.md", "z\n") }, "B.md")
	if left, _ := os.ReadDir(out); len(left) != 0 {
		t.Errorf("written through a link: %v", left)
	}
}

// What a repository has in the place of the checksums is neither waited for nor read without end,
// and what is in the place of the store's own files is refused.
func TestChecksumsThatAreNoFile(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"a FIFO":           func(path string) error { return unix.Mkfifo(path, 0o600) },
		"a link to a FIFO": func(path string) error { return os.Symlink("../fifo", path) },
		"a device":         func(path string) error { return os.Symlink("/dev/zero", path) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write("TODO.md", "a\n")
			must(t, os.Mkdir(w.path(".tada"), 0o755))
			must(t, unix.Mkfifo(w.path("fifo"), 0o600))
			must(t, make(w.path(exportName)))
			w.want("")
			w.want("")
		})
	}
	for _, name := range []string{"names", "manifest"} {
		w := newWorld(t)
		w.write("TODO.md", "a\n")
		w.want("")
		must(t, os.Remove(filepath.Join(w.dir, name)))
		must(t, unix.Mkfifo(filepath.Join(w.dir, name), 0o600))
		w.write("TODO.md", "b\n")
		w.now = w.now.Add(time.Hour)
		_, err := Open(w.dir, w.o).VerifyIntegrity(me)
		if name == "manifest" && err == nil {
			t.Errorf("a FIFO is a %s", name)
		}
	}
}

// U7: what keeps the checksums out of git's status ends with them; one that the person wrote, or
// changed, stays.
func TestExportEnds(t *testing.T) {
	for name, own := range map[string]string{"made by us": "", "the person's": "/notes\n",
		"ours, changed": ignored + "/notes\n"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "TODO.md")
			w.write("TODO.md", "a\n")
			if own == "/notes\n" {
				w.write(ignoreName, own)
			}
			w.run("a", func() { w.write("TODO.md", "b\n") }, "TODO.md")
			if want := cmp.Or(strings.TrimPrefix(own, ignored),
				ignored); own != ignored+"/notes\n" && w.read(ignoreName) != want {
				t.Errorf("while it is protected: %q", w.read(ignoreName))
			}
			if own != "" {
				w.write(ignoreName, own)
			}
			// of the run in another workspace: it does not tell what this one protects
			w.o.Patterns = nil
			w.want("")
			if w.read(exportName) == "" {
				t.Error("the checksums ended with the protection of another workspace")
			}
			w.o.Complete = true // the configuration names it no more
			w.want("")
			if _, err := os.Lstat(w.path(exportName)); err == nil {
				t.Error("the checksums are left")
			}
			got, err := os.ReadFile(w.path(ignoreName))
			if own == "" && !errors.Is(err, os.ErrNotExist) || string(got) != own {
				t.Errorf("%q is left: %v", got, err)
			}
			if _, err := os.Lstat(w.path(".tada")); (err == nil) != (own != "") {
				t.Errorf("the folder: %v", err)
			}
		})
	}
}

// copies are private, bounded, and one per content.
func TestShadow(t *testing.T) {
	w := newWorld(t, "TODO.md", "big.md")
	w.write("TODO.md", "a\n")
	w.want("")
	must(t, filepath.WalkDir(w.dir, func(p string, d os.DirEntry, err error) error {
		info, _ := d.Info()
		want := os.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o", p, info.Mode().Perm())
		}
		return err
	}))
	must(t, os.WriteFile(w.path("big.md"), make([]byte, 17<<20), 0o644))
	w.want("")
	if r := w.verify(); len(r.Notes) != 1 || r.Notes[0].Note != NoteHash {
		t.Errorf("notes %+v", r.Notes)
	}
	f, _ := os.OpenFile(w.path("big.md"), os.O_WRONLY, 0)
	f.WriteAt([]byte("x"), 16<<20)
	f.Close()
	d, err := w.Show(me, w.path("big.md"))
	if err != nil || !strings.Contains(d.Text, "hash only") ||
		!strings.Contains(d.Text, "17825792 bytes") {
		t.Errorf("%v: %s", err, d.Text)
	}
	if _, err := w.Restore(me, w.path("big.md")); !errors.Is(err, ErrNotKept) {
		t.Errorf("restored from nothing: %v", err)
	}
	w.accept("big.md")
	w.want("")
}

// the same bytes again cost nothing.
func TestSameBytes(t *testing.T) {
	w := newWorld(t)
	w.write("TODO.md", "a\n")
	w.want("")
	for i := range 100 {
		if events := w.run(fmt.Sprint(i), func() { w.write("TODO.md", "a\n") },
			"TODO.md"); len(events) != 0 {
			t.Fatalf("told %+v", events)
		}
	}
	if blobs, _ := os.ReadDir(filepath.Join(w.dir, "blobs")); len(blobs) != 1 {
		t.Errorf("%d copies of one content", len(blobs))
	}
	w = newWorld(t)
	w.write("TODO.md", "a\n")
	w.want("")
	before := w.manifest()
	w.run("fails", func() {}, "TODO.md")
	if w.manifest() != before {
		t.Error("a run that wrote nothing left a trace in the baselines")
	}
	for i := range 20 {
		w.run(fmt.Sprint(i), func() { w.write("TODO.md", fmt.Sprint(i)) }, "TODO.md")
	}
	if blobs, _ := os.ReadDir(filepath.Join(w.dir, "blobs")); len(blobs) != 1 {
		t.Errorf("%d copies for one baseline", len(blobs))
	}
}

// a run that may write one file does not bless another.
func TestOnlyWhatTheVerdictAllowed(t *testing.T) {
	w := newWorld(t, "a.md", "b.md")
	w.write("a.md", "a\n")
	w.write("b.md", "b\n")
	w.want("")
	w.run("1", func() { w.write("a.md", "A\n"); w.write("b.md", "B\n") }, "a.md")
	w.want("b.md changed")
	if events, err := w.UpdateIntegrity(me, "no such run"); err != nil || len(events) != 0 {
		t.Errorf("a run that never began: %v %v", events, err)
	}
	w.want("b.md changed")
}

// A run that lives is no tampering; what one left that died is adopted, told and archived, and only
// that.
func TestRunsThatDie(t *testing.T) {
	w := newWorld(t, "a.md", "b.md")
	alive := true
	w.o.Alive = func(owner string) bool { return alive && owner == "me" }
	w.write("a.md", "a\n")
	w.write("b.md", "b\n")
	w.want("")
	must(t, w.Begin("dies", "me", []string{w.path("a.md")}))
	w.write("a.md", "half")
	w.write("b.md", "B\n")
	if r := w.verify(); !slices.Contains(r.Notes, Note{w.path("a.md"), NoteWriting}) ||
		len(r.Findings) != 1 {
		t.Errorf("while it lives: %+v", r)
	}
	alive = false
	if r := w.verify(); !slices.Contains(r.Notes, Note{w.path("a.md"), NoteAdopted}) ||
		len(r.Findings) != 1 {
		t.Errorf("after it died: %+v", r)
	}
	names, _ := w.Archives()
	if len(names) != 1 || !strings.Contains(w.actions(), "ADOPTED") {
		t.Errorf("archives %q, told %s", names, w.actions())
	}
	w.write("a.md", "later")
	w.want("a.md changed, b.md changed")
}

// the checksum that the log tells.
func TestLoggedOnce(t *testing.T) {
	w := newWorld(t)
	w.write("TODO.md", "a\r\n")
	w.want("")
	events, err := w.Unlogged()
	must(t, err)
	if len(events) != 1 || !strings.Contains(events[0].Line(), " | "+sha("a\n")[:8]+" | ") {
		t.Fatalf("%+v", events)
	}
	must(t, w.Logged(events[0].Seq))
	if events, _ = w.Unlogged(); len(events) != 0 {
		t.Errorf("told again: %+v", events)
	}
	w.run("1", func() { w.write("TODO.md", "b\n") }, "TODO.md")
	if events, _ = w.Unlogged(); len(events) != 1 || events[0].Seq != 2 {
		t.Errorf("%+v", events)
	}
	w.write("TODO.md", "c\n")
	r := w.verify()
	for range 3 {
		must(t, w.Detected(me, r.Findings))
	}
	if got := w.actions(); got != "WRITE TAMPER_DETECTED" {
		t.Errorf("told %s", got)
	}
}

// tada-run's own writes cannot be used to bless what another program wrote.
func TestSave(t *testing.T) {
	w := newWorld(t)
	must(t, w.Save(me, w.path("TODO.md"), "TODO.md", []byte("mine\n"), 0o600))
	w.want("")
	if w.shadow("TODO.md") != "mine\n" || w.read("TODO.md") != "mine\n" {
		t.Error("saved something else")
	}
	must(t, w.Save(me, w.path("TODO.md"), "TODO.md", []byte("mine too\n"), 0o600))
	w.want("")
	w.write("TODO.md", "theirs\n")
	var tampered *TamperError
	if err := w.Save(me, w.path("TODO.md"), "TODO.md", []byte("mine\n"), 0o600); !errors.As(err,
		&tampered) {
		//
		t.Errorf("saved over what somebody else wrote: %v", err)
	}
	w.want("TODO.md changed")
}

// every way to write a protected file updates its baseline with it. Where any step of it
// fails, the next process finds the old file under the old baseline or the new one under the new,
// and never one that looks tampered with.
func TestEverySaveUpdatesIntegrity(t *testing.T) {
	boom := errors.New("boom")
	for name, save := range map[string]func(w *world) error{
		"save": func(w *world) error {
			return w.Save(me, w.path("TODO.md"), "TODO.md", []byte("new\n"), 0o644)
		},
		"edit": func(w *world) error {
			return w.Edit(me, w.path("TODO.md"), []byte("old\n"), []byte("new\n"), 0o644)
		},
		"restore": func(w *world) error { _, err := w.Restore(me, w.path("TODO.md")); return err },
		"run": func(w *world) error {
			if err := w.Begin("run", "me", []string{w.path("TODO.md")}); err != nil {
				return err
			}
			w.write("TODO.md", "new\n")
			_, err := w.UpdateIntegrity(me, "run")
			return err
		},
	} {
		for n := 1; ; n++ {
			w := newWorld(t)
			w.write("TODO.md", "old\n")
			w.want("")
			before, after := "", "new\n"
			if name == "restore" {
				w.write("TODO.md", "outside\n")
				before, after = "TODO.md changed", "old\n"
			}
			count := 0
			w.step = func(string) error {
				if count++; count == n {
					return boom
				}
				return nil
			}
			err := save(w)
			w.Store = Open(w.dir, w.o)
			now := w.kinds()
			if err == nil {
				if n < 5 {
					t.Errorf("%s has %d steps", name, n-1)
				}
				if now != "" || w.read("TODO.md") != after || w.shadow("TODO.md") != after ||
					strings.Count(w.actions(), "WRITE")+strings.Count(w.actions(), "RESTORE") != 1 {
					t.Errorf("%s: found %q, the file %q, the copy %q, told %s", name, now,
						w.read("TODO.md"), w.shadow("TODO.md"), w.actions())
				}
				break
			}
			if !errors.Is(err, boom) {
				t.Fatalf("%s, step %d: %v", name, n, err)
			}
			if now != "" && now != before || now == "" && w.read("TODO.md") != w.shadow("TODO.md") {
				t.Errorf("%s, step %d fails: found %q, the file %q, the copy %q", name, n, now,
					w.read("TODO.md"), w.shadow("TODO.md"))
			}
		}
	}
}

func TestDeliver(t *testing.T) {
	w := newWorld(t, "*.md")
	w.write("a.md", "a")
	w.write("b.md", "b")
	w.want("")
	boom, taken := errors.New("boom"), 0
	if err := w.Deliver(func(Event) error {
		if taken++; taken == 2 {
			return boom
		}
		return nil
	}); !errors.Is(err, boom) {
		t.Errorf("%v", err)
	}
	var seqs []uint64
	for range 2 {
		must(t, w.Deliver(func(e Event) error { seqs = append(seqs, e.Seq); return nil }))
	}
	if !slices.Equal(seqs, []uint64{2}) {
		t.Errorf("delivered again: %v", seqs)
	}
}
