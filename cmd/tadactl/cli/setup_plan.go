package cli

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/tada-run/tada-run/integration/hook/settings"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/setup"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// A part is what setup can do for an agent: its hook, or its shell.
type part struct {
	name  string // "hook" or "shell"
	state partState
	why   string // why not
}

type partState string

const (
	partAdd    partState = "add"
	partThere  partState = "there"
	partNone   partState = "none"   // the agent has no such thing
	partCannot partState = "cannot" // its file cannot be changed
)

// A setupFile is one file of an agent, as it is and as it is to be.
type setupFile struct {
	registration
	was, want []byte   // nil for none
	adds      []string // the parts that are added to it
}

func (f setupFile) changes() bool {
	return (f.was == nil) != (f.want == nil) || !bytes.Equal(f.was, f.want)
}

// An agentPlan is what setup does for one agent.
type agentPlan struct {
	agent
	parts []part
	files []*setupFile
}

// A setupPlan is what setup does.
type setupPlan []*agentPlan

// planSetup finds out what is to be done for some agents. It changes nothing.
func (c *ctl) planSetup(l *launcher.Launcher, found []agent) (plan setupPlan, err error) {
	for _, a := range found {
		p := &agentPlan{agent: a}
		if err := c.planHook(l, p); err != nil {
			return nil, err
		}
		if err := c.planShell(l, p); err != nil {
			return nil, err
		}
		plan = append(plan, p)
	}
	return plan, nil
}

func (c *ctl) planHook(l *launcher.Launcher, p *agentPlan) error {
	if _, known := settings.Of(p.platform); !known || p.platform == "" {
		why := cmp.Or(agents.Lacks(p.name, "hook"), "tada-run has no hook for it")
		p.parts = append(p.parts, part{"hook", partNone, why})
		return nil
	}
	r, err := c.registration(p.platform, 0)
	if err != nil {
		return err
	}
	p.add(l, "hook", r, func(was []byte) ([]byte, error) {
		h := r.hook
		h.Wait = settings.Wait(was) // one that the person chose stays
		return r.Install(was, h)
	})
	return nil
}

func (c *ctl) planShell(l *launcher.Launcher, p *agentPlan) error {
	shell, known := settings.ShellOf(p.platform)
	switch {
	case !known || p.platform == "":
		why := cmp.Or(agents.Lacks(p.name, "shell"), "tada-run knows no setting for its shell")
		p.parts = append(p.parts, part{"shell", partNone, why})
		return nil
	case !shell.HasSetting():
		p.parts = append(p.parts, part{"shell", partNone, shell.Why() + "; how to do it by hand: " +
			"tadactl shell install " + p.platform})
		return nil
	}
	r, err := c.shellRegistration(p.platform)
	if err != nil {
		return err
	}
	p.add(l, "shell", r.registration, func(was []byte) ([]byte, error) {
		return r.shell.Install(was, l.Home().ShellLink())
	})
	return nil
}

// add adds a part to the plan, or the reason why that is not possible.
func (p *agentPlan) add(l *launcher.Launcher, name string, r registration,
	install func(was []byte) ([]byte, error)) {
	f, err := p.file(l, r)
	var want []byte
	if err == nil {
		if want, err = install(f.want); err != nil {
			err = fmt.Errorf("%q: %w", r.file, err)
		}
	}
	state, why := partAdd, ""
	switch {
	case err != nil:
		state, why = partCannot, err.Error()
	case f.want != nil && bytes.Equal(f.want, want):
		state = partThere
	default:
		if err := setup.Changeable(r.file); err != nil {
			state, why = partCannot, err.Error()
		} else {
			f.want, f.adds = want, append(f.adds, name)
		}
	}
	p.parts = append(p.parts, part{name, state, why})
}

// file returns the file of a registration: both parts may be in one.
func (p *agentPlan) file(l *launcher.Launcher, r registration) (*setupFile, error) {
	for _, f := range p.files {
		if f.file == r.file {
			return f, nil
		}
	}
	was, err := setup.Read(r.file)
	if err != nil {
		return nil, err
	}
	_, change, err := l.Settings().Protected(r.file)
	if err != nil {
		return nil, err
	}
	if change != "" {
		return nil, fmt.Errorf("%q was changed from outside; look at that first: "+
			"tadactl tamper diff", r.file)
	}
	f := &setupFile{registration: r, was: was, want: was}
	p.files = append(p.files, f)
	return f, nil
}

// changes returns the files that the plan changes.
func (plan setupPlan) changes() (list []*setupFile) {
	for _, p := range plan {
		for _, f := range p.files {
			if f.changes() {
				list = append(list, f)
			}
		}
	}
	return list
}

// digest names exactly what was shown.
func digestOf(list []*setupFile) string {
	sum := sha256.New()
	for _, f := range list {
		for _, text := range [][]byte{[]byte(f.file), f.was, f.want} {
			one := sha256.Sum256(text)
			fmt.Fprintf(sum, "%t ", text == nil)
			_, _ = io.WriteString(sum, hex.EncodeToString(one[:])+"\n")
		}
	}
	return hex.EncodeToString(sum.Sum(nil))[:12]
}
