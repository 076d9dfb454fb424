package launcher

import (
	"context"
	"fmt"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard"
)

// Permit is [Launcher.Run] for a request whose Tool another program carries out: the same
// judgement, the same questions to a person, and a log entry; it starts nothing. The Outcome's
// Refusal is nil when the tool may go ahead. Notice is what the log says about the call besides;
// Permit returns the head of the log with this decision in it.
func (l *Launcher) Permit(ctx context.Context, req Request,
	notice Notice) (Outcome, string, error) {
	j, err := l.Judge(req)
	if err != nil {
		return Outcome{}, "", err
	}
	id, err := state.NewID(l.state.Now(), l.state.Random)
	if err != nil {
		j.Close()
		return Outcome{}, "", fmt.Errorf("name the session: %w", err)
	}
	a, err := l.attempt(j, id)
	if err != nil {
		j.Close()
		return Outcome{}, "", err
	}
	defer a.log.Close()
	if notice.Judged, err = l.Judged(j); err != nil {
		j.Close()
		return Outcome{}, "", err
	}
	// the last one; what it may write is settled by the next look
	defer func() { _ = a.Judgement.Close() }()
	by, refusal, err := l.guarded(ctx, a, l.permit)
	if err != nil {
		return Outcome{}, "", err
	}
	out := Outcome{Session: id, Envelope: by.Envelope, Refusal: refusal}
	if refusal != nil {
		out.Status, out.Envelope = refusal.Exit, refusal.Envelope
	}
	head, err := l.tell(a.log, notice.about(a, by, refusal), refusal == nil)
	if err == nil && by.Envelope != "" {
		err = l.FinishApproval(a.log, by.Envelope, "left to the calling program")
	}
	return out, head, err
}

// A Notice is one decision about another program's call, for the log.
type Notice struct {
	Platform string // which program
	Tool     string // as it calls it
	CallID   string // its own number for it
	Agent    string // the name that the agent gives itself
	Decision string // allowed, rewritten, denied, pending, failed, unjudged
	Code     string // why, as in a Refusal
	Verdict  string // of the policy; "" where none was asked
	PlanHash string
	Command  string // the command line, or the tool with its names
	Session  string // "" where nothing was permitted or refused here
	Envelope string
	Judged   *Judged // where no entry of a run says more; else nil
}

// Tell records a decision and returns the head of the record with it in, SIZE:HASH.
func (l *Launcher) Tell(n Notice) (string, error) {
	log, err := l.OpenLog()
	if err != nil {
		return "", err
	}
	defer log.Close()
	return l.tell(log, n, false)
}

func (l *Launcher) tell(log *audit.Log, n Notice, goes bool) (string, error) {
	shown, secrets := audit.HideSecrets(n.Command)
	body := object{
		"platform": n.Platform, "tool": n.Tool, "call_id": n.CallID, "agent": n.Agent,
		"decision": n.Decision, "code": n.Code,
		"verdict": n.Verdict, "plan_hash": n.PlanHash, "command": beginning(shown),
		"command_bytes": len(n.Command),
		"sid":           n.Session, "envelope_id": n.Envelope,
	}
	if secrets > 0 {
		body["command_secrets"] = secrets
	}
	n.Judged.in(body)
	b, err := canonical.Append(nil, trimmed(body))
	durability := audit.Lazy
	if goes { // what another program does is not seen again: its record must be there first
		durability = audit.Intent
	}
	var e audit.Entry
	if err == nil {
		e, err = log.Append(record.KindHook, b, durability)
	}
	if err != nil {
		return "", &record.Error{Kind: record.KindHook, Err: err}
	}
	return audit.Point{Count: e.Seq + 1, Head: e.Hash}.String(), nil
}

// Refused is the refusal of [Launcher.Run] that needs no question: protected files that a person
// has to decide about first, or a verdict that no person can change. It is nil, nil if the request
// may run. It is for callers that judge and leave the running to another program; like Judge, it
// changes nothing.
func (j *Judgement) Refused() (*refusal.Refusal, error) {
	if j.Verdict.IsFrozen() {
		return j.denied(), nil
	}
	tampered, err := j.Tampered()
	switch {
	case err != nil:
		return nil, err
	case tampered != nil:
		return j.tamperRefusal(tampered), nil
	case j.Verdict.Decision == pathguard.Allow || j.Verdict.Decision == pathguard.Ask:
		return nil, nil
	}
	if _, found := j.misspelling(); found {
		return nil, nil // tada-run answers that as the shell does
	}
	return j.denied(), nil
}

// about completes a notice by what came of an attempt.
func (n Notice) about(a *attempt, by *permit.Authority, refusal *refusal.Refusal) Notice {
	n.Session, n.Verdict, n.PlanHash, n.Command = a.id, a.Verdict.Decision.String(), a.Hash(),
		a.Script.Text
	n.Decision, n.Envelope = "allowed", by.Envelope
	if refusal != nil {
		n.Decision, n.Code, n.Envelope = refusal.Status, refusal.Code, refusal.Envelope
	}
	return n
}
