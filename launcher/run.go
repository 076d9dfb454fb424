package launcher

import (
	"context"

	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

// Run judges the request and, where the verdict or a person allows it, runs it. The order of
// the steps is the promise of the product: nothing is asked that was not resolved, nothing
// runs that was not recorded, and what runs is what was judged.
//
// An error means that tada-run failed and nothing ran; [ExitOf] gives its exit status. A refusal is
// not an error: it is in the Outcome.
func (l *Launcher) Run(ctx context.Context, req Request) (Outcome, error) {
	namespaces := l.ahead() // empty ones, while it is found out what is to run in them
	defer namespaces.Release()
	j, err := l.Judge(req) // text -> files -> verdict; starts nothing
	if err != nil {
		return Outcome{}, err
	}
	return l.carry(ctx, j, namespaces, l.permit)
}

// carry takes what was judged to its end. Each step is made of the one before.
func (l *Launcher) carry(ctx context.Context, j *Judgement, namespaces *sandbox.Prepared,
	permit permitFunc) (Outcome, error) {
	// the intent is on disk before anything else happens
	announced, err := l.announce(j, namespaces)
	if err != nil {
		_ = j.Close()
		return Outcome{}, err
	}
	defer announced.close()
	if out, done := announced.misspelled(ctx); done { // the shell's own message
		return out, nil
	}
	// asked, and consumed in one transaction
	permitted, refusal, err := announced.permitted(ctx, permit)
	if refusal != nil && refusal.Exit != exit.Tampered {
		refusal.Instead = announced.instead()
	}
	if refusal != nil || err != nil {
		return announced.refused(refusal), err
	}
	started, err := permitted.start() // sandbox from the plan's own files; terminal; recorder
	if err != nil {
		return permitted.failed(err)
	}
	return started.wait(ctx) // what it prints, then the end, in the record
}
