package tamper

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// what accept does, all three at once.
func TestArchive(t *testing.T) {
	w := newWorld(t)
	w.write("TODO.md", "old\n")
	w.want("")
	w.write("TODO.md", "new\n")
	e := w.accept("TODO.md")
	if e.Action != "FORCE_ACCEPT" || e.Text != "Accepted external changes: it is mine" ||
		e.RecordKind() != "tamper.accepted" || e.Checksum != sha("new\n") {
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
	if !slices.Equal(names, []string{second, second + "-2"}) ||
		!regexp.MustCompile(`^\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d$`).MatchString(names[0]) {
		t.Fatalf("archives %q", names)
	}
	file := func(i int, name string) string {
		b, err := os.ReadFile(filepath.Join(w.ArchivePath(names[i]), name))
		must(t, err)
		return string(b)
	}
	if file(0, "original.md") != "old\n" || file(0, "forced.md") != "new\n" ||
		file(1, "original.md") != "new\n" || file(1, "forced.absent") != "" {
		t.Error("the archives hold something else")
	}
	var c Case
	dec := json.NewDecoder(strings.NewReader(file(0, "event.json")))
	dec.DisallowUnknownFields()
	must(t, dec.Decode(&c))
	if c.Version != 1 || c.User != me.User || c.Interface != CLI ||
		c.Reason != "Accepted external changes: it is mine" || c.Auto ||
		c.Original.Raw != sha("old\n") || c.Forced.Raw != sha("new\n") || c.Digest != e.Digest ||
		c.Kind != Changed {
		t.Errorf("%+v", c)
	}
}

// the oldest archives go, and that is told.
func TestRetention(t *testing.T) {
	w := newWorld(t)
	if w.o.Keep != 100 {
		t.Errorf("%d archives are kept", w.o.Keep)
	}
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

// what is older than a person wants goes too, only that, and each is told.
func TestExpire(t *testing.T) {
	w := newWorld(t)
	w.write("TODO.md", "0")
	w.want("")
	var made []time.Time
	for i := 1; i <= 3; i++ {
		w.now = w.now.Add(24 * time.Hour)
		made = append(made, w.now)
		w.write("TODO.md", fmt.Sprint(i))
		w.accept("TODO.md")
	}
	before, _ := w.Archives()
	for _, step := range []struct {
		before time.Time
		gone   int
	}{{made[0].Add(-time.Second), 0}, {made[1].Add(time.Second), 2}, {made[1].Add(time.Second), 0},
		{made[2].Add(time.Hour), 1}} {
		was := w.actions()
		gone, err := w.Expire(me, step.before)
		must(t, err)
		if told := strings.TrimPrefix(w.actions(), was); gone != step.gone ||
			strings.Count(told, "ARCHIVE_PRUNED") != gone {
			t.Errorf("%d of %q are gone, told %q", gone, before, told)
		}
		names, _ := w.Archives()
		if left := before[len(before)-len(names):]; !slices.Equal(names, left) {
			t.Errorf("left are %q, not %q", names, left)
		}
		before = names
	}
	w.want("")
	if !slices.Equal(w.Names(), []string{w.path("TODO.md")}) {
		t.Errorf("names %q", w.Names())
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
	if len(events) != 1 || events[0].Action != "TAMPER_DETECTED" || !events[0].Auto ||
		events[0].RecordKind() != "tamper.passed" ||
		!strings.Contains(events[0].Text, "(passive)") {
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
		{false, true, true,
			"security.tamper_proof: true -> false (pending: you have to confirm it)"},
		{false, true, true, ""},
		{true, true, false, ""},
		{false, true, true,
			"security.tamper_proof: true -> false (pending: you have to confirm it)"},
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
