package agent

import (
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/people"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/shellparse"
)

// run runs a command on the machine, in a program that starts now.
func (m *machine) run(command string) {
	m.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		m.Fatal(err)
	}
	defer null.Close()
	req := launcher.Request{Dir: m.TempDir(), Env: os.Environ(),
		Shell: shell.Call{Text: command, Dialect: shellparse.Bash, Name: "tada-run"}}
	req.Stdio.In, req.Stdio.Out, req.Stdio.Err = null, null, null
	if _, err := openPlace(m.T, m.l.Home().Dir).Run(m.Context(), req); err != nil {
		m.Fatal(err)
	}
}

// standing waits until a machine says something of a version.
func (m *machine) standing(name string, version int64, is func(people.Standing) bool) {
	m.Helper()
	m.eventually("the machine says how it stands", func() bool {
		p, err := m.office().Policy(m.Context(), name)
		if err != nil {
			m.Fatal(err)
		}
		all, err := m.office().Members(m.Context())
		if err != nil {
			m.Fatal(err)
		}
		i := slices.IndexFunc(all, func(o people.Member) bool { return o.ID == m.own.ID })
		return slices.ContainsFunc(p.On(all[i]), func(s people.Standing) bool {
			return s.Version == version && is(s)
		})
	})
}

// A version is tried before it is in force: while a connected machine has not tried it, or it would
// deny what ran, that number must be named. Until then the version before it stays in force.
func TestTrial(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m, silent, other := b.machine("env=ci"), b.machine("env=ci"), b.machine("env=dev")
	m.start()
	other.start()
	b.force("base", "env=ci", noMake)
	m.holds("base@1")
	b.push("base", "env=ci", noLess+"background: end\n")
	gate := func(despite int) (untried, denied int) {
		t.Helper()
		_, err := b.office().ForcePolicy(t.Context(), b.ann, "base",
			people.Change{Despite: despite, Version: 2})
		var g *people.GateError
		if !errors.As(err, &g) {
			t.Fatalf("%v", err)
		}
		return len(g.Untried), g.Denied
	}
	if untried, denied := gate(0); untried != 1 || denied != 0 {
		t.Errorf("before it was tried: %d machines, %d runs", untried, denied)
	}
	m.eventually("it is tried", func() bool {
		version, holds := m.has("base", true)
		return version == "base@2" && holds
	})
	m.holds("base@1")
	m.run("true")
	m.run("less --version")
	m.run("make") // the version in force denies it, and the one that is tried does not
	m.standing("base", 2, func(s people.Standing) bool {
		return s.Stage == document.Shadow && s.Runs == 3 && s.Differ == 2 && s.Denied == 1
	})
	for _, despite := range []int{0, 2} {
		if untried, denied := gate(despite); untried != 0 || denied != 1 {
			t.Errorf("after it was tried: %d machines, %d runs", untried, denied)
		}
	}
	if _, err := b.office().ForcePolicy(t.Context(), b.ann, "base",
		people.Change{Despite: 1, Version: 2}); err != nil {
		t.Fatal(err)
	}
	m.holds("base@2")
	m.standing("base", 2, func(s people.Standing) bool { return s.Stage == document.Force })
	m.run("true") // nothing is tried any more
	silent.start()
	silent.holds("base@2")
	if _, holds := other.has("base", false); holds {
		t.Error("another machine has it")
	}
	if _, err := b.office().ForcePolicy(t.Context(), b.ann, "base",
		people.Change{}); err == nil {
		t.Error("nothing is tried, and it was put in force")
	}
	if trials, err := m.l.Trials(1); err != nil || len(trials) != 0 {
		t.Errorf("%v, %v", trials, err)
	}
}
