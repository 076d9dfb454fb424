package launcher

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// AskAccept accepts the change of a protected file at an agent's request, after a person has
// approved exactly that difference and that reason. Req identifies the agent and its directory, and
// says how long to wait; path may be "" if one file was changed. Without an approval the Outcome
// has a Refusal, and nothing was changed. AskAccept returns the head of the log with it. The error
// is [tamper.ErrClean] when nothing was changed, and [tamper.ErrNoReason] for a blank reason.
func (l *Launcher) AskAccept(ctx context.Context, req Request, path, reason string,
	notice Notice) (Outcome, tamper.Event, string, error) {
	if strings.TrimSpace(reason) == "" {
		return Outcome{}, tamper.Event{}, "", tamper.ErrNoReason
	}
	v, err := l.Review(req.Dir, true)
	if err != nil {
		return Outcome{}, tamper.Event{}, "", err
	}
	if path, err = v.chosen(path); err != nil {
		return Outcome{}, tamper.Event{}, "", err
	}
	change := &accepting{l: l, req: req, dir: req.Dir, path: path, reason: reason}
	j, err := change.judge()
	if err != nil {
		return Outcome{}, tamper.Event{}, "", err
	}
	id, err := state.NewID(l.state.Now(), l.state.Random)
	if err != nil {
		j.Close()
		return Outcome{}, tamper.Event{}, "", fmt.Errorf("name the session: %w", err)
	}
	a, err := l.attempt(j, id)
	if err != nil {
		j.Close()
		return Outcome{}, tamper.Event{}, "", err
	}
	defer a.log.Close()
	defer func() { _ = a.Judgement.Close() }()
	a.rejudge = change.judge
	by, refusal, err := l.permit(ctx, a)
	if err != nil {
		return Outcome{}, tamper.Event{}, "", err
	}
	out := Outcome{Session: id, Envelope: by.Envelope, Refusal: refusal}
	var done tamper.Event
	if refusal == nil {
		done, err = change.accept()
		err = errors.Join(err, l.FinishApproval(a.log, by.Envelope, "accepted"))
	} else {
		out.Status, out.Envelope = refusal.Exit, refusal.Envelope
	}
	head, tellErr := l.tell(a.log, notice.about(a, by, refusal), refusal == nil)
	return out, done, head, errors.Join(err, tellErr)
}

// chosen is the file that a decision is about: the one that was named, or the only one that
// differs.
func (v *Review) chosen(path string) (string, error) {
	switch {
	case len(v.Findings) == 0:
		return "", tamper.ErrClean
	case path != "":
		return v.Path(path), nil
	case len(v.Findings) > 1:
		var names []string
		for _, f := range v.Findings {
			names = append(names, f.Path)
		}
		return "", fmt.Errorf("%d files were changed; name one: %q", len(names), names)
	}
	return v.Findings[0].Path, nil
}

// An accepting is the change of one file on its way to be accepted.
type accepting struct {
	l            *Launcher
	req          Request
	dir          string
	path, reason string
	digest       string // of the difference that was judged last
}

// judge makes a question from the present difference. The person approves its text: if the file
// changes again before the answer, it is another question.
func (a *accepting) judge() (*Judgement, error) {
	v, err := a.l.Review(a.dir, true)
	if err != nil {
		return nil, err
	}
	d, err := v.protection.storeOf(a.path).Diff(a.path)
	if err != nil {
		return nil, err
	}
	a.digest = d.Digest
	req := a.req
	req.Tool = &Tool{
		Name: "accept_tamper", Access: []Access{{Use: Changes, Path: a.path}},
		Args: map[string]string{"reason": a.reason, "difference": d.Text, "digest": d.Digest},
	}
	j, err := a.l.Judge(req)
	if err != nil {
		return nil, err
	}
	if !j.policy.Settings().Level.Never { // what is denied to every command, a person may do
		j.Verdict.Decision, j.Verdict.Risk = pathguard.Ask, max(j.Verdict.Risk, 2)
		j.Verdict.Reasons = []pathguard.Reason{{
			Rule: "tamper.accept", Decision: pathguard.Ask, Risk: 2, Path: a.path, Command: -1,
			Message: "accepts a change from outside as the valid state of " + a.path,
		}}
	}
	return j, nil
}

// accept makes what the person was shown the baseline.
func (a *accepting) accept() (tamper.Event, error) {
	v, err := a.l.Review(a.dir, true)
	if err != nil {
		return tamper.Event{}, err
	}
	s, who := v.protection.storeOf(a.path), person(a.req.Door)
	if a.req.Agent != "" {
		who.User += "/?" + a.req.Agent
	}
	if d, err := s.Show(who, a.path); err != nil || d.Digest != a.digest {
		return tamper.Event{}, errors.Join(err, v.tell(s),
			fmt.Errorf("%q: %w", a.path, tamper.ErrChangedSince))
	}
	e, err := s.Accept(who, a.path, a.digest, a.reason)
	return e, errors.Join(err, v.tell(s))
}
