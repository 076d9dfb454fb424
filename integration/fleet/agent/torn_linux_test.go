package agent

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/member"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/state"
)

// torn is what a power cut may leave of a file.
var torn = map[string]func(now, before []byte) []byte{
	"cut":   func(now, _ []byte) []byte { return now[:len(now)/2] },
	"empty": func([]byte, []byte) []byte { return nil },
	"zeros": func(now, _ []byte) []byte { return make([]byte, len(now)) },
	"older": func(_, before []byte) []byte { return before },
}

// After a power cut, a file of a member is what it was, refused or made again: no more people
// count, what was frozen stays frozen, and what was denied stays denied. With TEST_ROUNDS set,
// files by which nothing is decided are emptied too, and not only cut.
func TestTornFiles(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	bob := newKey(t, "bob")
	b.add(bob, document.Person{MaxRisk: 1}, "*")
	m := b.machine("")
	if err := m.folder.SetShipKey("id", "secret"); err != nil {
		t.Fatal(err)
	}
	m.start()
	m.trusts(2)
	b.force("base", "*", noLess)
	m.holds("base@1")
	before := m.files()
	if _, err := b.office().Change(t.Context(), b.ann, func(f *document.Fleet) error {
		f.People = f.People[:1]
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	m.trusts(1)
	b.force("base", "*", noMake)
	m.holds("base@2")
	if _, err := b.office().Freeze(t.Context(), b.ann, document.Freeze{
		Machines: document.Everywhere(), Reason: "leak", Time: time.Now()}); err != nil {
		t.Fatal(err)
	}
	m.eventually("frozen", func() bool { return m.l.Home().Frozen() != "" })
	m.eventually("the order is written", func() bool { return len(m.files()) > len(before)+1 })
	m.stop()
	now := m.files()
	for name := range now {
		for how, left := range torn {
			text := left(now[name], before[name])
			if how == "older" && before[name] == nil || bytes.Equal(text, now[name]) ||
				(how == "empty" || how == "zeros") && !decides(name) {
				continue
			}
			m.put(now)
			path := filepath.Join(m.l.Home().Dir, "fleet", name)
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			m.survives(name, how)
		}
	}
	for n := range now["trust"] {
		m.put(now)
		path := m.l.Home().FleetTrust()
		if err := os.Truncate(path, int64(n)); err != nil {
			t.Fatal(err)
		}
		if list, err := openPlace(t, m.l.Home().Dir).Trusted(); err == nil && len(list) > 0 {
			t.Errorf("%d bytes of the list of people count", n)
		}
	}
}

// decides reports whether commands are judged by a file, without the agent.
func decides(name string) bool {
	return name == "trust" || name == "freeze" || strings.HasPrefix(name, "policies/") ||
		os.Getenv("TEST_ROUNDS") != ""
}

// files returns the files of the membership.
func (m *machine) files() map[string][]byte {
	m.Helper()
	all := map[string][]byte{}
	dir := m.l.Home().Fleet()
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		all[name], err = os.ReadFile(path)
		return err
	}); err != nil {
		m.Fatal(err)
	}
	return all
}

func (m *machine) put(files map[string][]byte) {
	m.Helper()
	for name, text := range files {
		if err := state.Replace(filepath.Join(m.l.Home().Fleet(), name), text); err != nil {
			m.Fatal(err)
		}
	}
}

// survives looks at a machine that has lost a part of a file, first without its agent.
func (m *machine) survives(name, how string) {
	m.Helper()
	l, err := launcher.Place{State: m.l.Home().Dir}.Open()
	if err == nil && how != "older" {
		if list, err := l.Trusted(); err == nil && len(list) > 1 {
			m.Errorf("%s, %s: %d people count", name, how, len(list))
		}
		if l.Home().Frozen() == "" {
			m.Errorf("%s, %s: it is not frozen", name, how)
		}
	}
	if l, err = (launcher.Place{State: m.l.Home().Dir}).OpenToMend(); err != nil {
		m.Fatalf("%s, %s: %v", name, how, err)
	}
	x := &machine{bed: m.bed, l: l, folder: member.In(l.Home()), own: m.own, etcd: m.etcd,
		stop: func() {}}
	x.free()
	x.serve()
	defer func() { x.stop() }()
	mended := func() bool {
		list, err := x.l.Trusted()
		version, holds := x.has("base", false)
		return err == nil && len(list) == 1 && x.l.Home().Frozen() != "" && holds &&
			version == "base@2" && x.l.Online(m.Context()) == nil
	}
	for until := time.Now().Add(30 * time.Second); x.ended() == nil &&
		!strings.Contains(x.text(), name) && !mended(); {
		if time.Now().After(until) {
			m.Errorf("%s, %s: it is not whole, and does not say why:\n%s", name, how, x.text())
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := x.ended(); err != nil && !strings.Contains(err.Error(), name) &&
		!slices.ContainsFunc([]error{approval.ErrMeddled, approval.ErrCorrupt},
			func(want error) bool { return errors.Is(err, want) }) {
		m.Errorf("%s, %s: its agent does not say what is wrong: %v", name, how, err)
	}
}
