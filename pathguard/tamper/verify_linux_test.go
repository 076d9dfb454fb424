package tamper

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// patterns, files that come and go.
func TestPatterns(t *testing.T) {
	w := newWorld(t, "TODO.md", ".claude/**", "docs/*.md", "notes")
	for _, name := range []string{"TODO.md", ".claude/settings.json", ".claude/deep/er.txt",
		"docs/a.md", "docs/sub/b.md", "docs/c.txt", "notes/n", "other"} {
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

// A name that never existed is no finding, and a name outside the workspace that did not exist is
// one when it does.
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

// nothing here hashes with anything but SHA-256.
func TestOneHash(t *testing.T) {
	sources, err := filepath.Glob("*.go")
	must(t, err)
	used := 0
	for _, name := range sources {
		text, err := os.ReadFile(name)
		must(t, err)
		for _, hash := range regexp.MustCompile(`"(crypto|hash|golang\.org/x/crypto)/[a-z0-9/]+"`).FindAllString(string(text), -1) {
			if used++; hash != `"crypto/sha256"` {
				t.Errorf("%s imports %s", name, hash)
			}
		}
	}
	if empty := CalculateChecksum("TODO.md", nil); used == 0 ||
		empty != "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" {
		t.Errorf("nothing has the hash %s", empty)
	}
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
		// UTF-8 read as cp1252 and written again
		{"TODO.md", strings.ReplaceAll(lf, "\u00e4", "\u00c3\u00a4"), false},
		{"run.sh", strings.ReplaceAll(lf, "\n", "\r\n"), false},
		{"x.yaml", strings.ReplaceAll(lf, "\n", "\r"), false},
	} {
		got := CalculateChecksum(c.name, []byte(c.content))
		if (got == want) != c.same {
			t.Errorf("%s %q: %s", c.name, c.content, got)
		}
		if text, ok := normal(c.name, []byte(c.content)); !ok && got != sha(c.content) ||
			ok && got != hexSum(text) {
			t.Errorf("%s %q: neither its text nor its bytes", c.name, c.content)
		}
	}
	for _, spelling := range []string{"# TODO\n\n- [ ] one\n- [x] two\n",
		"# TODO\r\n\r\n- [ ] one\r\n- [x] two\r\n", "# TODO\r\r- [ ] one\r- [x] two\r"} {
		if got := CalculateChecksum("TODO.md",
			[]byte(spelling)); got != "6e866ef86a434f2a3c5b48fb81124f127189ba047e42bfd62901f740de2cd9e4" {
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
		"link to nothing": {func(t *testing.T,
			p string) {
			must(t, os.Remove(p))
			must(t, os.Symlink("/nowhere", p))
		}, TypeChanged},
		"directory": {func(t *testing.T,
			p string) {
			must(t, os.Remove(p))
			must(t, os.Mkdir(p, 0o755))
		}, TypeChanged},
		"pipe": {func(t *testing.T,
			p string) {
			must(t, os.Remove(p))
			must(t, unix.Mkfifo(p, 0o644))
		}, TypeChanged},
		"socket": {func(t *testing.T, p string) {
			must(t, os.Remove(p))
			must(t, unix.Mknod(p, unix.S_IFSOCK|0o644, 0))
		}, TypeChanged},
		"executable": {func(t *testing.T, p string) { must(t, os.Chmod(p, 0o755)) }, ModeChanged},
		"setuid": {func(t *testing.T, p string) { must(t, os.Chmod(p, 0o644|os.ModeSetuid)) },
			ModeChanged},
		"deleted": {func(t *testing.T, p string) { must(t, os.Remove(p)) }, Deleted},
		"another file there": {func(t *testing.T, p string) {
			must(t, os.WriteFile(p+"2", []byte("b\n"), 0o644))
			must(t, os.Rename(p+"2", p))
		}, Changed},
		"emptied": {func(t *testing.T, p string) { must(t, os.Truncate(p, 0)) }, Changed},
		"same bytes again": {func(t *testing.T,
			p string) {
			must(t, os.WriteFile(p, []byte("a\n"), 0o644))
		}, ""},
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
			if d, err := w.Show(me, w.path("TODO.md")); err != nil ||
				!strings.Contains(d.Text, string(c.want)) {
				t.Errorf("%v: %s", err, d.Text)
			}
			if kind == "link to nothing" || kind == "pipe" || kind == "deleted" ||
				kind == "directory" || kind == "setuid" {
				//
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

// a forged time of modification hides nothing, nor does a change within one tick of the
// clock.
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
	sameTick(w)
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

// sameTick gives the baseline the stamp that the file has now, as a change within one tick of the
// clock leaves it.
func sameTick(w *world) {
	w.t.Helper()
	must(w.t, w.update(func(m *manifest) (bool, error) {
		st, err := glance(w.path("TODO.md"))
		m.records[w.path("TODO.md")].stamp = st
		return true, err
	}))
}

// of what stat(2) tells, each thing alone is enough for a file to be read again.
func TestWholeStamp(t *testing.T) {
	for name, change := range map[string]func(*record){
		"nothing": func(*record) {},
		"dev":     func(r *record) { r.stamp.dev++ },
		"ino":     func(r *record) { r.stamp.ino++ },
		"size":    func(r *record) { r.Size++ },
		"mtime":   func(r *record) { r.stamp.mtime++ },
		"ctime":   func(r *record) { r.stamp.ctime++ },
		"mode":    func(r *record) { r.stamp.mode ^= readBits },
	} {
		w := newWorld(t)
		w.write("TODO.md", "aaaa")
		w.want("")
		sameTick(w)
		must(t, w.update(func(m *manifest) (bool, error) {
			change(m.records[w.path("TODO.md")])
			return true, nil
		}))
		if r := w.verify(); r.Hashed != 0 != (name != "nothing") || len(r.Findings) != 0 {
			t.Errorf("%s is another: %d read, %v", name, r.Hashed, r.Findings)
		}
	}
}

// an attacker that sets the time of change too, below the file system, is found by
// reading, and only by that.
func TestParanoid(t *testing.T) {
	w := newWorld(t)
	w.write("TODO.md", "aaaa")
	w.want("")
	w.write("TODO.md", "bbbb")
	sameTick(w)
	w.want("")
	w.Paranoid()
	w.want("TODO.md changed")
	w.accept("TODO.md")
	before := w.manifest()
	if r := w.verify(); r.Hashed != 1 || len(r.Findings) != 0 || w.manifest() != before {
		t.Errorf("an unchanged file: %+v", r)
	}
}

// a baseline that was removed is not a beginning.
func TestBaselineMissing(t *testing.T) {
	w := newWorld(t)
	w.write("TODO.md", "a\n")
	w.want("")
	must(t, w.update(func(m *manifest) (bool,
		error) {
		delete(m.records, w.path("TODO.md"))
		return true, nil
	}))
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
		must(t, os.WriteFile(w.manifestPath(), []byte(whole[:i]+string(whole[i]^1)+whole[i+1:]),
			0o600))
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
	if _, err := w.Restore(me, w.path("TODO.md")); !errors.Is(err, ErrCorrupt) ||
		w.read("TODO.md") != "b\n" {
		t.Errorf("restored a forged copy: %v", err)
	}
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
		"TODO.md": true, "TODO.md2": false, "x/TODO.md": false, "docs/a/b": true, "docs2": false,
		"k.key": true, "a/b/k.key": true, "a/b/c": true, "a/b/b/c": false,
	} {
		if w.Covers(w.path(name)) != want {
			t.Errorf("%s: %v", name, !want)
		}
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

// TestWhichModesAreTampering: of all changes of a mode, those count that let another user write, or
// that change whether and as whom the file is executed.
func TestWhichModesAreTampering(t *testing.T) {
	for was := uint32(0); was <= 0o777; was += 0o011 {
		for now := uint32(0); now <= 0o7777; now += 0o013 {
			want := was&0o111 != now&0o7111 || now&0o022&^was != 0
			a, b := Seen{Form: Regular, Raw: "x", Mode: was},
				Seen{Form: Regular, Raw: "x", Mode: now}
			if got := differs(a, b); (got == ModeChanged) != want ||
				got != "" && got != ModeChanged {
				t.Fatalf("%04o -> %04o: %q, want a finding: %v", was, now, got, want)
			}
		}
	}
	for _, now := range []uint32{0o644, 0o600, 0o640, 0o444} {
		// and those that a person meets, by name
		if got := differs(Seen{Form: Regular, Mode: 0o600},
			Seen{Form: Regular, Mode: now}); got != "" {
			t.Errorf("0600 -> %04o: %q", now, got)
		}
	}
}
