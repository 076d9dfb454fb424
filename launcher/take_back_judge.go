package launcher

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/preimage"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/launcher/undo"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// A takeBack is an undo on its way. It is judged as a tool that changes the protected files among
// what it puts back; what else it changes, the runs were allowed to change.
type takeBack struct {
	l       *Launcher
	req     Request // who asks for it, and where
	take    undo.Take
	command string // as it is recorded

	// why a person is asked before these steps, "" if no one is; nil if a person has seen them
	why func([]undo.Step) string

	steps []undo.Step // of the last judgement
}

// attempt judges the undo and opens the log.
func (u *takeBack) attempt() (*attempt, error) {
	j, err := u.judge()
	if err != nil {
		return nil, err
	}
	id, err := state.NewID(u.l.state.Now(), u.l.state.Random)
	if err != nil {
		j.Close()
		return nil, fmt.Errorf("name the run: %w", err)
	}
	a, err := u.l.attempt(j, id)
	if err != nil {
		j.Close()
		return nil, err
	}
	a.rejudge = u.judge
	return a, nil
}

// judge makes a question from the present plan of the undo, where there has to be one. The person
// approves its text: if the plan is another one after the answer, it is another question.
func (u *takeBack) judge() (*Judgement, error) {
	var err error
	if u.steps, err = u.l.PlanUndo(u.take); err != nil {
		return nil, err
	}
	protected, err := u.l.protectedIn(u.req.Dir, u.steps)
	if err != nil {
		return nil, err
	}
	req := u.req
	req.Tool = &Tool{Name: "undo_run", undoes: true, Args: map[string]string{
		"runs": strings.Join(preimage.RunsOf(u.take.Runs), " "), "plan": planText(u.steps)}}
	for _, path := range protected {
		req.Tool.Access = append(req.Tool.Access, Access{Use: Changes, Path: path})
	}
	j, err := u.l.Judge(req)
	if err != nil || u.why == nil {
		return j, err
	}
	if why := u.why(u.steps); why != "" {
		reason := pathguard.Reason{Rule: "undo.run", Decision: pathguard.Ask, Risk: 1, Command: -1,
			Message: "takes back what a run changed: " + why}
		if j.policy.Settings().Level.Never {
			reason.Decision = pathguard.Deny
		}
		j.Verdict = stricter(j.Verdict, reason)
	}
	return j, nil
}

// stricter is a verdict with one more reason, which does not allow.
func stricter(v pathguard.Verdict, r pathguard.Reason) pathguard.Verdict {
	v.Risk, v.Standing = max(v.Risk, r.Risk), false
	if v.Decision == pathguard.Allow || r.Decision == pathguard.Deny {
		v.Decision, v.Reasons = r.Decision, slices.Insert(slices.Clone(v.Reasons), 0, r)
	} else {
		v.Reasons = append(slices.Clone(v.Reasons), r)
	}
	return v
}

// planText has a line for each step.
func planText(steps []undo.Step) string {
	var b strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&b, "%-8s %s", s.Do, s.Path)
		if s.Why != "" {
			fmt.Fprintf(&b, "  (%s)", s.Why)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// protectedIn are the protected files that steps change.
func (l *Launcher) protectedIn(dir string, steps []undo.Step) ([]string, error) {
	j, err := l.Judge(Request{Dir: dir, Shell: shell.Call{Text: ":"}})
	if err != nil {
		return nil, err
	}
	defer j.Close()
	stores := []*tamper.Store{l.ownStore()}
	for _, root := range l.rootsOf(j.Plan.Workspace, steps) {
		stores = append(stores, l.workStore(root, j, root == j.Plan.Workspace))
	}
	var list []string
	for _, s := range stores {
		r, err := s.Look()
		if err != nil {
			return nil, &ProtectionError{Err: err}
		}
		for _, step := range steps {
			if step.Do == undo.Refuse || step.Do == undo.Beside {
				continue
			}
			if s.Covers(step.Path) && !slices.Contains(list, step.Path) {
				list = append(list, step.Path)
			}
			for _, file := range r.Files {
				if pathname.Within(file, step.Path) && !slices.Contains(list, file) {
					list = append(list, file) // a folder that is moved moves it
				}
			}
		}
	}
	return list, nil
}

// rootsOf are the workspaces with protected files that steps lie in, and the one at hand.
func (l *Launcher) rootsOf(workspace string, steps []undo.Step) (roots []string) {
	if workspace != "" {
		roots = append(roots, workspace)
	}
	known := map[string]bool{}
	list, _ := os.ReadDir(l.state.Shadow())
	for _, e := range list {
		known[e.Name()] = true
	}
	looked := map[string]bool{"/": true, workspace: true}
	for _, step := range steps {
		for dir := filepath.Dir(step.Path); !looked[dir]; dir = filepath.Dir(dir) {
			if looked[dir] = true; known[shadowName(dir)] {
				roots = append(roots, dir)
			}
		}
	}
	return roots
}
