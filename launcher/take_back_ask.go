package launcher

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/preimage"
	"github.com/tada-run/tada-run/launcher/undo"
	"github.com/tada-run/tada-run/pathguard/pathname"
)

// An Undone is what came of an agent's wish to take a run back.
type Undone struct {
	Outcome
	undo.Result        // its Steps are the plan, if nothing was done
	Taken       string // the run that it was about
	Head        string // of the log, with the decision in it
}

// PlanFor returns what AskUndo would do; it changes nothing.
func (l *Launcher) PlanFor(req Request, take undo.Take, own func(id string) bool) (Undone, error) {
	run, err := l.takenBy(req, take, own)
	if err != nil {
		return Undone{}, err
	}
	if take.Runs, err = l.Parts(run.ID); err != nil {
		return Undone{}, err
	}
	steps, err := l.PlanUndo(take)
	return Undone{Taken: run.ID, Result: undo.Result{Steps: steps}}, err
}

// AskUndo takes back one run at an agent's request: the one that take names, or for no name the
// newest of the agent's own in the workspace. A person is asked, and shown the plan, unless it is
// the agent's own run, no approval let it run, no later run changed anything in the workspace, and
// all that it changed is as it left it. Own tells which runs the agent itself started here; what it
// calls itself proves nothing. Without an approval the Outcome has a Refusal, and nothing was
// changed.
func (l *Launcher) AskUndo(ctx context.Context, req Request, take undo.Take,
	own func(id string) bool, notice Notice) (Undone, error) {
	run, err := l.takenBy(req, take, own)
	if err != nil {
		return Undone{}, err
	}
	if take.Runs, err = l.Parts(run.ID); err != nil {
		return Undone{}, err
	}
	u := &takeBack{l: l, req: req, take: take, command: "undo_run " + run.ID,
		why: func(steps []undo.Step) string { return l.whyAsk(run, steps, own) }}
	a, err := u.attempt()
	if err != nil {
		return Undone{}, err
	}
	defer a.log.Close()
	defer func() { _ = a.Judgement.Close() }()
	by, refusal, err := l.guarded(ctx, a, l.permit)
	if err != nil {
		return Undone{}, err
	}
	out := Undone{Taken: run.ID, Result: undo.Result{Steps: u.steps},
		Outcome: Outcome{Session: a.id, Envelope: by.Envelope, Refusal: refusal}}
	if refusal != nil {
		out.Status, out.Envelope = refusal.Exit, refusal.Envelope
	} else {
		out.Result, err = u.do(a, by.Kind())
		err = errors.Join(err, l.finishUndo(a, by))
	}
	head, tellErr := l.tell(a.log, notice.about(a, by, refusal), refusal == nil)
	out.Head = head
	return out, errors.Join(err, tellErr)
}

// finishUndo ends the approval that an undo has used.
func (l *Launcher) finishUndo(a *attempt, by *permit.Authority) error {
	if by.Envelope == "" {
		return nil
	}
	return l.FinishApproval(a.log, by.Envelope, "undone")
}

// takenBy is the run that is meant. It ran in the workspace at hand.
func (l *Launcher) takenBy(req Request, take undo.Take, own func(string) bool) (past.Run, error) {
	ground, err := l.workspaceOf(req.Dir)
	if err != nil {
		return past.Run{}, err
	}
	if len(take.Runs) > 0 && take.Runs[0] != "" {
		id, err := l.KeptRun(take.Runs[0])
		if err != nil {
			return past.Run{}, err
		}
		run, err := l.Past(id)
		if err == nil && !pathname.Within(run.Dir, ground) {
			err = fmt.Errorf("run %q is one of another workspace; call undo_run with its "+
				"directory as cwd", id)
		}
		return run, err
	}
	kept, err := l.KeptRuns()
	if err != nil {
		return past.Run{}, err
	}
	for _, k := range slices.Backward(kept) {
		if !own(preimage.PartOf(k.Run)) {
			continue
		}
		if run, err := l.PastOfPart(k.Run); err == nil && pathname.Within(run.Dir, ground) {
			return run, nil
		}
	}
	return past.Run{}, fmt.Errorf("no run of this client has changed a file in %q; give the "+
		"id of a run; the user finds it with: tadactl sessions", ground)
}

// whyAsk says why a person is asked before a run is taken back, "" if no one is.
func (l *Launcher) whyAsk(run past.Run, steps []undo.Step, own func(string) bool) string {
	switch {
	case !own(run.ID):
		return "this agent did not start it"
	case run.Authority == "approval" || run.Authority == "grant":
		return "a person had approved it"
	case run.Reversible != true:
		return "it can be taken back in part only"
	}
	for _, s := range steps {
		if s.Do == undo.Refuse || s.Do == undo.Beside {
			return "it was changed since: " + s.Path
		}
	}
	ground, err := l.workspaceOf(run.Dir)
	if err != nil {
		return "its workspace cannot be read"
	}
	if later := l.laterIn(ground, run.ID); later != "" {
		return "a later run changed files of this workspace too: " + later
	}
	return ""
}

// laterIn returns a run after one that changed something in a folder, or that cannot be read.
func (l *Launcher) laterIn(folder, id string) string {
	kept, err := l.KeptRuns()
	if err != nil {
		return "unknown"
	}
	at := slices.IndexFunc(kept, func(k undo.Info) bool { return k.Run == id })
	for _, k := range kept[at+1:] {
		if preimage.PartOf(k.Run) == id {
			continue
		}
		run, err := l.Kept(k.Run)
		if errors.Is(err, undo.ErrUnknownRun) {
			continue // it has changed nothing yet
		}
		if err != nil || !k.Ended || slices.ContainsFunc(run.Changes(), func(c undo.Change) bool {
			return pathname.Within(c.Path, folder) || strings.HasPrefix(c.From, folder+"/")
		}) {
			return k.Run
		}
	}
	return ""
}
