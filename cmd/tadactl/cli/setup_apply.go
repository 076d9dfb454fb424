package cli

import (
	"fmt"
	"slices"

	"github.com/tada-run/tada-run/integration/hook"
	"github.com/tada-run/tada-run/launcher"
)

// A setupReport is what setup would do, or has done.
type setupReport struct {
	plan    setupPlan
	changes []*setupFile
	done    bool
	failed  []string
	proofs  []setupProof
}

// bad reports whether something of the plan is not in force.
func (r setupReport) bad() bool {
	return len(r.failed) > 0 ||
		slices.ContainsFunc(r.proofs, func(p setupProof) bool { return p.Problem != "" }) ||
		slices.ContainsFunc(r.plan, func(p *agentPlan) bool {
			return slices.ContainsFunc(p.parts, func(s part) bool { return s.state == partCannot })
		})
}

// apply writes the files of the plan. It goes on after one that cannot be written, and returns why
// that was not possible.
func (c *ctl) apply(l *launcher.Launcher, plan setupPlan) (failed []string) {
	for _, p := range plan {
		for _, f := range p.files {
			if !f.changes() {
				continue
			}
			if err := c.applyFile(l, p, f); err != nil {
				failed = append(failed, err.Error())
				p.cannot(f, err)
			} else if !c.json {
				fmt.Fprintf(c.out, "%-8s %s\n", "written", inert(f.file))
			}
		}
	}
	return failed
}

func (c *ctl) applyFile(l *launcher.Launcher, p *agentPlan, f *setupFile) error {
	if slices.Contains(f.adds, "shell") {
		runner, err := hook.RunnerPath()
		if err == nil {
			_, err = l.Settings().LinkShell(runner)
		}
		if err != nil {
			return err
		}
	}
	return l.Settings().SetUp(p.platform, f.file, f.was, f.want, c.ours(l, f.registration))
}

// cannot notes that what belongs in a file was not added, so that nothing is tried.
func (p *agentPlan) cannot(f *setupFile, err error) {
	for i := range p.parts {
		if slices.Contains(f.adds, p.parts[i].name) {
			p.parts[i].state, p.parts[i].why = partCannot, err.Error()
		}
	}
}

// printReport prints what is left to say after the plan.
func (c *ctl) printReport(r setupReport) error {
	if c.json {
		proofs := append([]setupProof{}, r.proofs...)
		return c.printJSON(map[string]any{"agents": r.plan.facts(), "plan": digestOf(r.changes),
			"done": r.done, "proofs": proofs, "failed": append([]string{}, r.failed...)})
	}
	for _, why := range r.failed {
		fmt.Fprintf(c.out, "%-8s %s\n", "FAILED", visible(why))
	}
	switch {
	case len(r.plan) == 0:
		fmt.Fprintln(c.out, "no agent program was found: none is in PATH or has a folder of "+
			"settings")
	case len(r.changes) == 0:
		fmt.Fprintln(c.out, "\nnothing to change")
	case !r.done:
		fmt.Fprintf(c.out, "\nnothing was changed; to do exactly this without being asked: "+
			"tadactl setup --plan %s\n", digestOf(r.changes))
	}
	c.printProofs(r.proofs)
	if r.done && len(r.changes) > 0 {
		for _, p := range r.plan {
			c.printNotes(p)
		}
		fmt.Fprintln(c.out, "to take this back: tadactl setup --undo")
	}
	return nil
}

// printNotes prints what else a person has to know about an agent whose hook was added.
func (c *ctl) printNotes(p *agentPlan) {
	for _, s := range p.parts {
		if s.name != "hook" || s.state != partAdd {
			continue
		}
		for _, note := range p.hookRegistration().notes("installed") {
			if note != "" {
				fmt.Fprintf(c.out, "\n%s\n", note)
			}
		}
	}
}
