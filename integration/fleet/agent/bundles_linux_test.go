package agent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/people"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse"
)

const (
	noMake = "rules: {commands: [{program: make, verdict: deny, message: not here}]}\n"
	noLess = "rules: {commands: [{program: less, verdict: deny, message: nor this}]}\n"
)

// on returns a selector.
func (b *bed) on(labels string) document.Selector {
	b.Helper()
	s, err := document.ParseSelector(labels)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// push has machines try a text.
func (b *bed) push(name, labels, text string) document.Bundle {
	b.Helper()
	got, err := b.office().Push(b.Context(), b.ann, name, b.on(labels), text)
	if err != nil {
		b.Fatal(err)
	}
	return got
}

// force puts a text in force, whatever machines have tried.
func (b *bed) force(name, labels, text string) document.Bundle {
	b.Helper()
	how := people.Change{Version: b.push(name, labels, text).Version}
	var gate *people.GateError
	got, err := b.office().ForcePolicy(b.Context(), b.ann, name, how)
	if errors.As(err, &gate) {
		how.Despite = gate.Count()
		got, err = b.office().ForcePolicy(b.Context(), b.ann, name, how)
	}
	if err != nil {
		b.Fatal(err)
	}
	return got
}

// put writes etcd as its operator can.
func (b *bed) put(name, stage, text string) {
	b.Helper()
	if _, err := b.root.Put(b.Context(), "tada/1/bundles/"+name+"/"+stage, text); err != nil {
		b.Fatal(err)
	}
}

// has reports what the machine has of a bundle: NAME@VERSION, and whether it holds.
func (m *machine) has(name string, trial bool) (string, bool) {
	m.Helper()
	b, err := m.l.Home().Bundle(name, trial)
	if err != nil {
		return "", false
	}
	return b.String(), len(b.Text) > 0
}

// holds waits until the machine has a version in force.
func (m *machine) holds(version string) {
	m.Helper()
	name, _, _ := strings.Cut(version, "@")
	m.eventually(version+" is in force", func() bool {
		got, holds := m.has(name, false)
		return got == version && holds
	})
}

// verdict is what a program of the machine that starts now says about a command.
func (m *machine) verdict(command string) pathguard.Decision {
	m.Helper()
	j, err := openPlace(m.T, m.l.Home().Dir).Judge(launcher.Request{Dir: m.TempDir(),
		Shell: shell.Call{Text: command, Dialect: shellparse.Bash}})
	if err != nil {
		m.Fatal(err)
	}
	defer j.Close()
	return j.Verdict.Decision
}

// configure writes the configuration of the machine's account.
func (m *machine) configure(text string) {
	m.Helper()
	if err := os.WriteFile(m.l.Home().Config(), []byte(text), 0o600); err != nil {
		m.Fatal(err)
	}
}

// A bundle is a floor on the machines that it is for, and on no other, until it is withdrawn; of
// several the strictest holds, and nothing on the machine loosens it.
func TestBundleInForce(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m, other := b.machine("env=ci"), b.machine("env=dev")
	m.start()
	other.start()
	m.configure("rules: {commands: [{program: make, verdict: allow}, {program: env, " +
		"verdict: deny}]}\n")
	first := b.force("base", "env=ci", noMake)
	m.holds(first.Name + "@1")
	other.eventually("the version is known", func() bool {
		got, holds := other.has("base", false)
		return got == "base@1" && !holds
	})
	b.force("more", "*", noLess)
	m.holds("more@1")
	other.holds("more@1")
	for command, want := range map[string]pathguard.Decision{"make": pathguard.Deny,
		"less x": pathguard.Deny, "env": pathguard.Deny, "true": pathguard.Allow} {
		if got := m.verdict(command); got != want {
			t.Errorf("%q: %v, not %v", command, got, want)
		}
	}
	if got := other.verdict("make"); got == pathguard.Deny {
		t.Errorf("another machine: %v", got)
	}
	m.stop() // without a connection the last bundle holds
	if got := m.verdict("make"); got != pathguard.Deny {
		t.Errorf("offline: %v", got)
	}
	if _, err := b.office().Withdraw(t.Context(), b.ann, "base",
		people.Change{}); !errors.Is(err, people.ErrRace) {
		t.Errorf("a version that nobody has looked at is withdrawn: %v", err)
	}
	if _, err := b.office().Withdraw(t.Context(), b.ann, "base",
		people.Change{Version: first.Version}); err != nil {
		t.Fatal(err)
	}
	m.start()
	m.eventually("withdrawn", func() bool { _, holds := m.has("base", false); return !holds })
	if got := m.verdict("make"); got == pathguard.Deny {
		t.Errorf("after it was withdrawn: %v", got)
	}
	b.force("more", "env=dev", noLess)
	m.eventually("not selected any more", func() bool {
		got, holds := m.has("more", false)
		return got == "more@3" && !holds || got == "more@2" && !holds
	})
}

// Whoever writes etcd brings back no older bundle, none of a key that does not count, and none
// that is too long or cannot be read; what was in force stays.
func TestBundleNotTaken(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	bob, mallory := newKey(t, "bob"), newKey(t, "mallory")
	b.add(bob, document.Person{Admin: true, MaxRisk: 3}, "*")
	m := b.machine("env=ci")
	m.start()
	m.trusts(2)
	b.force("base", "*", noMake)
	m.holds("base@1")
	got, err := b.root.Get(t.Context(), "tada/1/bundles/base/force")
	if err != nil {
		t.Fatal(err)
	}
	older := string(got.Kvs[0].Value)
	b.force("base", "*", noMake+"background: end\n")
	m.holds("base@2")
	sign := func(key approval.Key, version int64, text string) string {
		signed, err := document.Bundle{Fleet: "acme", Name: "base", Version: version,
			Stage: document.Force, Machines: document.Everywhere(), Text: text}.Sign(key)
		if err != nil {
			t.Fatal(err)
		}
		return string(signed)
	}
	byBob := sign(bob, 7, "background: end\n")
	unfinished, err := b.office().Change(t.Context(), b.ann, func(f *document.Fleet) error {
		f.People[1].Admin = false
		return nil
	})
	if err == nil {
		err = b.office().Finish(t.Context(), bob, unfinished)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []struct{ name, text string }{
		{"older", older}, {"another text of this version", sign(b.ann, 2, "background: end\n")},
		{"a key that counts no more", byBob},
		{"a key that never counted", sign(mallory, 8, noLess)},
		{"no document", "x"}, {"empty", ""}, {"huge", strings.Repeat("x", 1<<20)},
	} {
		before := strings.Count(m.text(), "is not taken")
		b.put("base", "force", bad.text)
		m.eventually(bad.name+" is refused", func() bool {
			return strings.Count(m.text(), "is not taken") > before
		})
		m.holds("base@2")
		if got := m.verdict("make"); got != pathguard.Deny {
			t.Errorf("%s: %v", bad.name, got)
		}
		if p, err := b.office().Policy(t.Context(), "base"); err == nil && !p.Lapsed &&
			strings.HasPrefix(bad.name, "a key") {
			t.Errorf("%s: it is not said that machines may have another one in force", bad.name)
		}
	}
	// in force, and of no use to this version: nothing runs, and the reason says what helps
	for i, text := range []string{"rules: [no\n", "nothing: 1\n"} {
		b.put("base", "force", sign(b.ann, int64(8+i), text))
		m.eventually("nothing runs", func() bool {
			_, err := launcher.Place{State: m.l.Home().Dir}.Open()
			bad := (*pathguard.ConfigError)(nil)
			return errors.As(err, &bad) && strings.HasPrefix(bad.File,
				fmt.Sprintf("fleet: base version %d", 8+i)) && strings.Contains(bad.Error(),
				"upgrade tada-run") && strings.Contains(bad.Error(), "policy withdraw base")
		})
	}
	m.eventually("the machine says that it cannot use it", func() bool {
		all, err := b.office().Members(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all[0].Policies {
			if s.Version == 9 && strings.Contains(s.Error, "nothing") {
				return true
			}
		}
		return false
	})
	if _, err := b.office().Push(t.Context(), bob, "base", b.on("*"), noLess); !errors.Is(err,
		document.ErrUnsigned) {
		t.Errorf("a key that counts no more pushes: %v", err)
	}
	if next := b.push("base", "*", noLess); next.Version != 10 {
		t.Errorf("the next version is %d", next.Version)
	}
	if _, err := b.office().Withdraw(t.Context(), b.ann, "base",
		people.Change{Version: 9}); err != nil {
		t.Fatal(err)
	}
	m.eventually("commands run again", func() bool {
		_, err := launcher.Place{State: m.l.Home().Dir}.Open()
		return err == nil
	})
}

// An agent that was killed between two files, or while it wrote one, leaves what works; the next
// one completes it. A file that is damaged refuses to run until an agent has replaced it.
func TestBundleFiles(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.machine("")
	m.start()
	b.force("base", "*", noMake)
	m.holds("base@1")
	m.stop()
	b.force("more", "*", noLess)
	torn := filepath.Join(m.l.Home().FleetPolicies(), "more.123456")
	if err := os.WriteFile(torn, []byte("tada-fleet-pol"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := m.verdict("make"); got != pathguard.Deny {
		t.Errorf("between two files: %v", got)
	}
	m.start()
	m.holds("more@1")
	if _, err := os.Lstat(torn); err == nil {
		t.Error("the rest of a write stays")
	}
	m.stop()
	path := filepath.Join(m.l.Home().FleetPolicies(), "base")
	for name, damage := range map[string]func() error{
		"cut":      func() error { return os.Truncate(path, 60) },
		"empty":    func() error { return os.Truncate(path, 0) },
		"open":     func() error { return os.Chmod(path, 0o666) },
		"a folder": func() error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		_, err := launcher.Place{State: m.l.Home().Dir}.Open()
		if launcher.ExitOf(err) != 78 || !strings.Contains(err.Error(), "tadactl fleet agent") {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.RemoveAll(path); err != nil && name == "a folder" {
			t.Fatal(err)
		}
		if name != "a folder" {
			if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		mends, err := launcher.Place{State: m.l.Home().Dir}.OpenToMend()
		if err != nil {
			t.Fatal(err)
		}
		mends.Caller, mends.Marks = atTerminal, ""
		m.l = mends
		m.start()
		m.holds("base@1")
		m.stop()
	}
	if got := m.verdict("make"); got != pathguard.Deny {
		t.Errorf("after all that: %v", got)
	}
}
