package tamper

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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

// A world is a workspace and the store of it, with a clock that is far enough ahead for every stamp to be old.
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
	w := &world{t: t, root: filepath.Join(base, "ws"), dir: filepath.Join(base, "shadow", "ws"), now: time.Now().Add(time.Hour)}
	must(t, os.Mkdir(w.root, 0o755))
	if len(patterns) == 0 {
		patterns = []string{"TODO.md"}
	}
	w.Store = Open(w.dir, Options{Root: w.root, Patterns: patterns, Now: func() time.Time { return w.now }, Export: true})
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
	if len(events) != 1 || events[0].Action != ActionWrite || events[0].Checksum != sha("one\ntwo\n") || events[0].Was != sha("one\n") {
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

// patterns, files that come and go.
func TestPatterns(t *testing.T) {
	w := newWorld(t, "TODO.md", ".claude/**", "docs/*.md", "notes")
	for _, name := range []string{"TODO.md", ".claude/settings.json", ".claude/deep/er.txt", "docs/a.md", "docs/sub/b.md", "docs/c.txt", "notes/n", "other"} {
		w.write(name, name)
	}
	r := w.verify()
	var names []string
	for _, p := range r.Files {
		rel, _ := filepath.Rel(w.root, p)
		names = append(names, rel)
	}
	if got := strings.Join(names, " "); got != ".claude/deep/er.txt .claude/settings.json TODO.md docs/a.md notes/n" {
		t.Fatalf("protected: %s", got)
	}
	w.write("docs/new.md", "x")
	w.write(".claude/deep/new", "x")
	w.write("other", "changed")
	must(t, os.Remove(w.path("TODO.md")))
	must(t, os.RemoveAll(w.path("notes")))
	w.want(".claude/deep/new created, TODO.md deleted, docs/new.md created, notes/n deleted")
	w.run("make", func() { w.write("docs/made.md", "x") }, "docs/made.md")
	w.want(".claude/deep/new created, TODO.md deleted, docs/new.md created, notes/n deleted")
	w.accept("TODO.md")
	w.write("TODO.md", "again")
	w.want(".claude/deep/new created, TODO.md created, docs/new.md created, notes/n deleted")
}

// A name that never existed is no finding, and a name outside the workspace that did not exist is one when it does.
func TestAbsentNames(t *testing.T) {
	w := newWorld(t)
	w.want("")
	if _, err := os.Stat(w.dir); err == nil {
		t.Error("a workspace without protected files leaves something in the state directory")
	}
	w.o.Patterns = []string{w.path("config.yaml")} // absolute: tada-run's own
	w.want("")
	w.write("config.yaml", "security: {}\n")
	w.want("config.yaml created")
}

// ends of lines and encodings.
func TestChecksum(t *testing.T) {
	lf := "# T\u00e4sks\n- one\n- two\n"
	want := sha(lf)
	for _, c := range []struct {
		name, content string
		same          bool // as the text with LF
	}{
		{"TODO.md", lf, true},
		{"TODO.md", strings.ReplaceAll(lf, "\n", "\r\n"), true},
		{"TODO.md", strings.ReplaceAll(lf, "\n", "\r"), true},
		{"TODO.MD", strings.ReplaceAll(lf, "\n", "\r\n"), true},
		{"TODO.md", "\ufeff" + lf, false},
		{"TODO.md", lf + "\xff", false},
		{"TODO.md", strings.ReplaceAll(lf, "\u00e4", "a\u0308"), false},
		{"TODO.md", strings.ReplaceAll(lf, "\u00e4", "\xe4"), false},
		{"TODO.md", strings.ReplaceAll(lf, "\u00e4", "\u00c3\u00a4"), false}, // UTF-8 read as cp1252 and written again
		{"run.sh", strings.ReplaceAll(lf, "\n", "\r\n"), false},
		{"x.yaml", strings.ReplaceAll(lf, "\n", "\r"), false},
	} {
		got := CalculateChecksum(c.name, []byte(c.content))
		if (got == want) != c.same {
			t.Errorf("%s %q: %s", c.name, c.content, got)
		}
		if text, ok := normal(c.name, []byte(c.content)); !ok && got != sha(c.content) || ok && got != hexSum(text) {
			t.Errorf("%s %q: neither its text nor its bytes", c.name, c.content)
		}
	}
	for _, spelling := range []string{"# TODO\n\n- [ ] one\n- [x] two\n", "# TODO\r\n\r\n- [ ] one\r\n- [x] two\r\n", "# TODO\r\r- [ ] one\r- [x] two\r"} {
		if got := CalculateChecksum("TODO.md", []byte(spelling)); got != "6e866ef86a434f2a3c5b48fb81124f127189ba047e42bfd62901f740de2cd9e4" {
			t.Errorf("%q has the hash %s", spelling, got)
		}
	}
}

func TestEndsOfLines(t *testing.T) {
	w := newWorld(t, "*.md", "*.sh", "b.txt", "x.md")
	w.write("TODO.md", "a\nb\n")
	w.write("run.sh", "a\nb\n")
	w.write("b.txt", "a\nb\xff\n")
	w.write("x.md", "#!/bin/sh\na\n")
	w.want("")
	for _, name := range []string{"TODO.md", "run.sh", "b.txt", "x.md"} {
		w.write(name, strings.ReplaceAll(w.read(name), "\n", "\r\n"))
	}
	r := w.verify()
	if len(r.Notes) != 1 || r.Notes[0] != (Note{w.path("TODO.md"), NoteEOL}) {
		t.Errorf("notes %+v", r.Notes)
	}
	w.want("b.txt changed, run.sh changed, x.md changed")
}

// what stands under the name, and its mode.
func TestReplaced(t *testing.T) {
	for kind, c := range map[string]struct {
		do   func(t *testing.T, path string)
		want Kind
	}{
		"link to the same content": {func(t *testing.T, p string) {
			must(t, os.Rename(p, p+".old"))
			must(t, os.Symlink(p+".old", p))
		}, TypeChanged},
		"link to nothing": {func(t *testing.T, p string) { must(t, os.Remove(p)); must(t, os.Symlink("/nowhere", p)) }, TypeChanged},
		"directory":       {func(t *testing.T, p string) { must(t, os.Remove(p)); must(t, os.Mkdir(p, 0o755)) }, TypeChanged},
		"pipe":            {func(t *testing.T, p string) { must(t, os.Remove(p)); must(t, unix.Mkfifo(p, 0o644)) }, TypeChanged},
		"socket": {func(t *testing.T, p string) {
			must(t, os.Remove(p))
			must(t, unix.Mknod(p, unix.S_IFSOCK|0o644, 0))
		}, TypeChanged},
		"executable": {func(t *testing.T, p string) { must(t, os.Chmod(p, 0o755)) }, ModeChanged},
		"setuid":     {func(t *testing.T, p string) { must(t, os.Chmod(p, 0o644|os.ModeSetuid)) }, ModeChanged},
		"deleted":    {func(t *testing.T, p string) { must(t, os.Remove(p)) }, Deleted},
		"another file there": {func(t *testing.T, p string) {
			must(t, os.WriteFile(p+"2", []byte("b\n"), 0o644))
			must(t, os.Rename(p+"2", p))
		}, Changed},
		"emptied":          {func(t *testing.T, p string) { must(t, os.Truncate(p, 0)) }, Changed},
		"same bytes again": {func(t *testing.T, p string) { must(t, os.WriteFile(p, []byte("a\n"), 0o644)) }, ""},
		"copied back": {func(t *testing.T, p string) {
			must(t, exec.Command("cp", p, p+"2").Run())
			must(t, os.Rename(p+"2", p))
		}, ""},
	} {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t)
			w.write("TODO.md", "a\n")
			w.want("")
			c.do(t, w.path("TODO.md"))
			want := ""
			if c.want != "" {
				want = "TODO.md " + string(c.want)
			}
			w.want(want)
			if c.want == "" {
				return
			}
			if d, err := w.Show(me, w.path("TODO.md")); err != nil || !strings.Contains(d.Text, string(c.want)) {
				t.Errorf("%v: %s", err, d.Text)
			}
			if kind == "link to nothing" || kind == "pipe" || kind == "deleted" || kind == "directory" || kind == "setuid" {
				before := w.shadow("TODO.md")
				_, err := w.Restore(me, w.path("TODO.md"))
				must(t, err)
				if w.read("TODO.md") != before {
					t.Error("not restored")
				}
			} else {
				w.accept("TODO.md")
			}
			w.want("")
		})
	}
}

// The folder of a protected file is swapped for a link to another folder with the same content.
func TestFolderSwapped(t *testing.T) {
	w := newWorld(t, "docs/TODO.md")
	w.write("docs/TODO.md", "a\n")
	w.want("")
	must(t, os.Rename(w.path("docs"), w.path("real")))
	must(t, os.Symlink("real", w.path("docs")))
	w.write("elsewhere/TODO.md", "a\n")
	w.want("") // the very inode, by another way
	must(t, os.Remove(w.path("docs")))
	must(t, os.Symlink("elsewhere", w.path("docs")))
	w.want("docs/TODO.md moved")
	if _, err := w.Restore(me, w.path("docs/TODO.md")); !errors.Is(err, ErrElsewhere) {
		t.Errorf("restored through a link: %v", err)
	}
	w.accept("docs/TODO.md")
	w.want("")
}

// A link that is protected protects what is read through it.
func TestLink(t *testing.T) {
	w := newWorld(t, "TODO.md")
	w.write("docs/list.md", "a\n")
	must(t, os.Symlink("docs/list.md", w.path("TODO.md")))
	w.want("")
	w.write("docs/list.md", "b\n")
	w.want("docs/list.md changed")
	_, err := w.Restore(me, w.path("docs/list.md"))
	must(t, err)
	must(t, os.Remove(w.path("TODO.md")))
	must(t, os.Symlink("other", w.path("TODO.md")))
	w.want("TODO.md type")
	_, err = w.Restore(me, w.path("TODO.md"))
	must(t, err)
	w.want("")
	if to, _ := os.Readlink(w.path("TODO.md")); to != "docs/list.md" {
		t.Errorf("the link goes to %q", to)
	}
}

// a forged time of modification fools nobody, nor does a change within one tick of the clock.
func TestForgedTime(t *testing.T) {
	w := newWorld(t)
	w.write("TODO.md", "aaaa")
	w.want("")
	if r := w.verify(); r.Hashed != 0 {
		t.Fatal("an unchanged file is read")
	}
	info, _ := os.Stat(w.path("TODO.md"))
	w.write("TODO.md", "bbbb")
	must(t, os.Chtimes(w.path("TODO.md"), info.ModTime(), info.ModTime()))
	w.want("TODO.md changed")

	w = newWorld(t)
	w.now = time.Now() // too young to trust
	w.write("TODO.md", "aaaa")
	w.want("")
	w.write("TODO.md", "bbbb")
	w.want("TODO.md changed")
	w.write("TODO.md", "aaaa")
	if r := w.verify(); len(r.Findings) != 0 || r.Hashed != 1 {
		t.Errorf("%+v", r)
	}
	w.now = time.Now().Add(time.Minute)
	w.verify() // settles the stamp
	if r := w.verify(); r.Hashed != 0 {
		t.Error("an old stamp is not trusted")
	}
}

// whoever sets the time of change too, below the file system, is found by reading, and only by that.
func TestParanoid(t *testing.T) {
	w := newWorld(t)
	w.write("TODO.md", "aaaa")
	w.want("")
	w.write("TODO.md", "bbbb")
	must(t, w.update(func(m *manifest) (bool, error) {
		st, err := glance(w.path("TODO.md"))
		m.records[w.path("TODO.md")].stamp = st
		return true, err
	}))
	w.want("")
	w.Paranoid()
	w.want("TODO.md changed")
	w.accept("TODO.md")
	before := w.manifest()
	if r := w.verify(); r.Hashed != 1 || len(r.Findings) != 0 || w.manifest() != before {
		t.Errorf("an unchanged file: %+v", r)
	}
}

// the checksums in the workspace.
func TestExport(t *testing.T) {
	w := newWorld(t, "TODO.md", "B.md")
	w.write("TODO.md", "a\r\n")
	w.want("")
	if _, err := os.Stat(w.path(".tada")); err == nil {
		t.Error("a workspace that nobody wrote to has a folder of ours")
	}
	w.run("a", func() { w.write("TODO.md", "b\r\n") }, "TODO.md")
	if got := w.read(".tada/checksum"); got != sha("b\n")+"\n" || !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(strings.TrimSpace(got)) {
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
	if err != nil || !strings.Contains(d.Text, "hash only") || !strings.Contains(d.Text, "17825792 bytes") {
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
		if events := w.run(fmt.Sprint(i), func() { w.write("TODO.md", "a\n") }, "TODO.md"); len(events) != 0 {
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

// what accept does, all three at once.
func TestArchive(t *testing.T) {
	w := newWorld(t)
	w.write("TODO.md", "old\n")
	w.want("")
	w.write("TODO.md", "new\n")
	e := w.accept("TODO.md")
	if e.Action != "FORCE_ACCEPT" || e.Text != "Accepted external changes: it is mine" || e.RecordKind() != "tamper.accepted" || e.Checksum != sha("new\n") {
		t.Errorf("told %+v", e)
	}
	if w.shadow("TODO.md") != "new\n" {
		t.Error("the copy is not the accepted content")
	}
	must(t, os.Remove(w.path("TODO.md")))
	w.accept("TODO.md")
	names, err := w.Archives()
	must(t, err)
	second := w.now.UTC().Format("2006-01-02_15-04-05")
	if !slices.Equal(names, []string{second, second + "-2"}) || !regexp.MustCompile(`^\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d$`).MatchString(names[0]) {
		t.Fatalf("archives %q", names)
	}
	file := func(i int, name string) string {
		b, err := os.ReadFile(filepath.Join(w.ArchivePath(names[i]), name))
		must(t, err)
		return string(b)
	}
	if file(0, "original.md") != "old\n" || file(0, "forced.md") != "new\n" || file(1, "original.md") != "new\n" || file(1, "forced.absent") != "" {
		t.Error("the archives hold something else")
	}
	var c Case
	dec := json.NewDecoder(strings.NewReader(file(0, "event.json")))
	dec.DisallowUnknownFields()
	must(t, dec.Decode(&c))
	if c.Version != 1 || c.User != me.User || c.Interface != CLI || c.Reason != "Accepted external changes: it is mine" || c.Auto ||
		c.Original.Raw != sha("old\n") || c.Forced.Raw != sha("new\n") || c.Digest != e.Digest || c.Kind != Changed {
		t.Errorf("%+v", c)
	}
}

// the oldest archives go, and that is told.
func TestRetention(t *testing.T) {
	w := newWorld(t)
	w.o.Keep = 3
	w.write("TODO.md", "0")
	w.want("")
	for i := 1; i <= 13; i++ {
		w.write("TODO.md", fmt.Sprint(i))
		r := w.verify()
		if _, err := w.Pass(me, r.Findings); err != nil {
			t.Fatal(err)
		}
		if i == 6 {
			events, _ := w.Unlogged()
			must(t, w.Logged(events[len(events)-1].Seq))
		}
	}
	names, _ := w.Archives()
	second := w.now.UTC().Format(archiveTime)
	if len(names) != 3 || names[2] <= second {
		t.Fatalf("archives %q", names)
	}
	events, _ := w.Unlogged()
	pruned := 0
	for _, e := range events {
		if e.Action == ActionPruned {
			pruned++
		}
	}
	if pruned != 7 {
		t.Errorf("%d prunings told since the seventh of 13", pruned)
	}
	var c Case
	b, _ := os.ReadFile(filepath.Join(w.ArchivePath(names[0]), "event.json"))
	if json.Unmarshal(b, &c) != nil || !c.Auto {
		t.Errorf("an archive that nobody asked for says %+v", c)
	}
}

// passive: told, archived, copied, and not again.
func TestPassive(t *testing.T) {
	w := newWorld(t)
	w.write("TODO.md", "old\n")
	w.want("")
	w.write("TODO.md", "new\n")
	r := w.verify()
	events, err := w.Pass(me, r.Findings)
	must(t, err)
	if len(events) != 1 || events[0].Action != "TAMPER_DETECTED" || !events[0].Auto || events[0].RecordKind() != "tamper.passed" || !strings.Contains(events[0].Text, "passive") {
		t.Errorf("told %+v", events)
	}
	w.want("")
	if w.shadow("TODO.md") != "new\n" {
		t.Error("the copy is the old one")
	}
	if names, _ := w.Archives(); len(names) != 1 {
		t.Errorf("archives %q", names)
	}
}

// a baseline that somebody took away is not a beginning.
func TestBaselineMissing(t *testing.T) {
	w := newWorld(t)
	w.write("TODO.md", "a\n")
	w.want("")
	must(t, w.update(func(m *manifest) (bool, error) { delete(m.records, w.path("TODO.md")); return true, nil }))
	w.want("TODO.md baseline_missing")
	if _, err := w.Restore(me, w.path("TODO.md")); !errors.Is(err, ErrNotKept) {
		t.Errorf("restored from nothing: %v", err)
	}
	w.accept("TODO.md")
	w.want("")
	must(t, os.Remove(w.manifestPath()))
	w.want("TODO.md baseline_missing")
	w.accept("TODO.md")

	// All of the store is gone: what the workspace says of itself is enough for an alarm.
	w.o.Patterns = append(w.o.Patterns, "B.md")
	w.write("B.md", "b")
	w.want("")
	w.run("b", func() { w.write("B.md", "c") }, "B.md")
	must(t, os.RemoveAll(w.dir))
	w.want("B.md baseline_missing, TODO.md baseline_missing")
}

func TestDamaged(t *testing.T) {
	w := newWorld(t)
	w.write("TODO.md", "a\n")
	w.want("")
	whole := w.manifest()
	for i := 0; i < len(whole); i += 7 {
		must(t, os.WriteFile(w.manifestPath(), []byte(whole[:i]+string(whole[i]^1)+whole[i+1:]), 0o600))
		w.cached = nil
		if _, err := w.VerifyIntegrity(me); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("byte %d is another one, and: %v", i, err)
		}
	}
	must(t, os.WriteFile(w.manifestPath(), []byte(whole), 0o600))
	w.want("")
	w.write("TODO.md", "b\n")
	m, _ := w.load()
	must(t, os.WriteFile(w.blobPath(m.records[w.path("TODO.md")].Raw), []byte("forged\n"), 0o600))
	if _, err := w.Restore(me, w.path("TODO.md")); !errors.Is(err, ErrCorrupt) || w.read("TODO.md") != "b\n" {
		t.Errorf("restored a forged copy: %v", err)
	}
}

// the setting, and what is in force.
func TestMode(t *testing.T) {
	w := newWorld(t)
	for i, c := range []struct {
		configured, on, pending bool
		told                    string
	}{
		{false, false, false, ""},
		{true, true, false, "security.tamper_proof: false -> true"},
		{true, true, false, ""},
		{false, true, true, "security.tamper_proof: true -> false (pending: a person has to confirm it)"},
		{false, true, true, ""},
		{true, true, false, ""},
		{false, true, true, "security.tamper_proof: true -> false (pending: a person has to confirm it)"},
	} {
		before, _ := w.Unlogged()
		on, pending, err := w.Mode(me, c.configured)
		must(t, err)
		after, _ := w.Unlogged()
		told := ""
		if len(after) > len(before) {
			told = after[len(after)-1].Text
			if after[len(after)-1].Action != "SETTING_CHANGE" || len(after) != len(before)+1 {
				t.Errorf("step %d told %+v", i, after)
			}
		}
		if on != c.on || pending != c.pending || told != c.told {
			t.Errorf("step %d: %v %v %q", i, on, pending, told)
		}
	}
	must(t, w.ConfirmMode(me, "mine"))
	if on, pending, _ := w.Mode(me, false); on || pending {
		t.Error("a confirmed setting is not in force")
	}
	if err := w.ConfirmMode(me, "mine"); !errors.Is(err, ErrNoPending) {
		t.Errorf("confirmed twice: %v", err)
	}
}

// accept is bound to a reason and to what was shown.
func TestAcceptIsBound(t *testing.T) {
	w := newWorld(t, "TODO.md", "B.md")
	w.write("TODO.md", "a\n")
	w.write("B.md", "a\n")
	w.want("")
	path := w.path("TODO.md")
	refuse := func(want error, path, digest, reason string) {
		t.Helper()
		before := w.manifest()
		if _, err := w.Accept(me, path, digest, reason); !errors.Is(err, want) {
			t.Errorf("Accept(%q, %q): %v, want %v", digest, reason, err, want)
		}
		if w.manifest() != before {
			t.Error("a refused accept changed the baselines")
		}
		if names, _ := w.Archives(); len(names) != 0 {
			t.Error("a refused accept left an archive")
		}
	}
	refuse(ErrClean, path, "", "why")
	refuse(ErrUnknownPath, w.path("C.md"), "", "why")
	w.write("TODO.md", "b\n")
	refuse(ErrNotShown, path, "", "why")
	d, err := w.Show(me, path)
	must(t, err)
	refuse(ErrNoReason, path, d.Digest, " \t\n")
	refuse(ErrNoReason, path, d.Digest, "")
	refuse(ErrChangedSince, path, sha("another"), "why")
	w.write("TODO.md", "c\n")
	refuse(ErrChangedSince, path, d.Digest, "why")
	refuse(ErrChangedSince, path, "", "why")
	if !strings.Contains(ErrChangedSince.Error(), "changed_since_shown") {
		t.Error("the refusal has lost its name")
	}
	w.write("TODO.md", "b\n")
	must(t, os.Chmod(path, 0o755))
	refuse(ErrChangedSince, path, d.Digest, "why")
	must(t, os.Chmod(path, 0o644))
	if _, err := w.Accept(me, path, d.Digest, "why"); err != nil {
		t.Error(err)
	}
	if got := w.actions(); got != "BASELINE BASELINE DIFF_SHOWN FORCE_ACCEPT" {
		t.Errorf("told %s", got)
	}
}

// one file is accepted, another restored.
func TestRestore(t *testing.T) {
	w := newWorld(t, "a.md", "b.md", "c*")
	w.write("a.md", "a\n")
	w.write("b.md", "b\r\n")
	w.write("c1", "c\n")
	w.want("")
	w.write("a.md", "A\n")
	w.write("b.md", "B\n")
	w.write("c2", "planted\n")
	must(t, os.Chmod(w.path("b.md"), 0o777))
	w.want("a.md changed, b.md changed, c2 created")
	w.accept("a.md")
	e, err := w.Restore(me, w.path("b.md"))
	must(t, err)
	_, err = w.Restore(me, w.path("c2"))
	must(t, err)
	w.want("")
	if w.read("a.md") != "A\n" || w.read("b.md") != "b\r\n" {
		t.Errorf("a %q, b %q", w.read("a.md"), w.read("b.md"))
	}
	if info, _ := os.Stat(w.path("b.md")); info.Mode().Perm() != 0o644 {
		t.Errorf("mode %o", info.Mode().Perm())
	}
	if _, err := os.Lstat(w.path("c2")); err == nil {
		t.Error("what was planted is still there")
	}
	if b, _ := os.ReadFile(filepath.Join(w.ArchivePath(e.Archive), "forced.md")); string(b) != "B\n" {
		t.Errorf("the archive holds %q", b)
	}
	if _, err := w.Restore(me, w.path("b.md")); !errors.Is(err, ErrClean) {
		t.Errorf("restored what is as it should be: %v", err)
	}
	must(t, os.Remove(w.path("a.md")))
	must(t, os.MkdirAll(w.path("a.md/full"), 0o755))
	if _, err := w.Restore(me, w.path("a.md")); !errors.Is(err, ErrInTheWay) {
		t.Errorf("over a directory: %v", err)
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

// A run that lives is no tampering; what one left that died is adopted, told and archived, and only that.
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
	if r := w.verify(); !slices.Contains(r.Notes, Note{w.path("a.md"), NoteWriting}) || len(r.Findings) != 1 {
		t.Errorf("while it lives: %+v", r)
	}
	alive = false
	if r := w.verify(); !slices.Contains(r.Notes, Note{w.path("a.md"), NoteAdopted}) || len(r.Findings) != 1 {
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

// tada-run's own writes.
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
	if err := w.Save(me, w.path("TODO.md"), "TODO.md", []byte("mine\n"), 0o600); !errors.As(err, &tampered) {
		t.Errorf("saved over what somebody else wrote: %v", err)
	}
	w.want("TODO.md changed")
}

// The order of a verification: what is needed is read, then compared; the mode is asked after that.
func TestOrder(t *testing.T) {
	w := newWorld(t)
	w.write("TODO.md", "a\n")
	w.want("")
	w.write("TODO.md", "b\n")
	var steps []string
	w.step = func(s string) error { steps = append(steps, s); return nil }
	r := w.verify()
	if got := strings.Join(steps, " "); got != "stored read hashed compared published stored read hashed compared" || len(r.Findings) != 1 {
		t.Errorf("%s", got)
	}
	if _, _, err := w.Mode(me, true); err != nil || w.kinds() != "TODO.md changed" {
		t.Error("a change of the mode decided about the file")
	}
}

// a registration is protected without any pattern, from when it is made.
func TestProtect(t *testing.T) {
	w := newWorld(t, "none")
	w.o.All = true
	w.write("hooks.json", "{}")
	w.want("")
	must(t, w.Protect(me, w.path("hooks.json")))
	w.want("")
	w.write("hooks.json", "[]")
	must(t, w.Protect(me, w.path("hooks.json"))) // which blesses nothing
	w.want("hooks.json changed")
	must(t, os.Remove(w.path("hooks.json")))
	w.want("hooks.json deleted")
}

func TestCovers(t *testing.T) {
	w := newWorld(t, "TODO.md", "docs", "**/*.key", "a/*/c")
	for name, want := range map[string]bool{
		"TODO.md": true, "TODO.md2": false, "x/TODO.md": false, "docs/a/b": true, "docs2": false, "k.key": true, "a/b/k.key": true, "a/b/c": true, "a/b/b/c": false,
	} {
		if w.Covers(w.path(name)) != want {
			t.Errorf("%s: %v", name, !want)
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

// A file keeps its baseline when the configuration says in another way that it is protected.
func TestPatternsChange(t *testing.T) {
	w := newWorld(t, "*.md")
	w.write("TODO.md", "a")
	w.write("b.md", "b")
	w.want("")
	w.o.Patterns = []string{"TODO.md", "TODO.*"}
	w.want("")
	w.write("b.md", "B")
	w.write("TODO.md", "A")
	w.want("TODO.md changed")
	must(t, os.Remove(w.path("TODO.md")))
	w.want("TODO.md deleted")
	w.o.Patterns = nil
	w.want("")
}
