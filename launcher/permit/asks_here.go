package permit

import (
	"fmt"
	"os"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/launcher/prompt"
	"github.com/tada-run/tada-run/launcher/refusal"
)

// asksHere reports whether the question is put where the command was typed: not where the person
// could only deny it, nor when it is too long to be judged in passing. That is for the inbox.
func (a *Attempt) asksHere(e approval.Envelope) bool {
	if a.AskHere == nil || e.Requester == Person() {
		return false
	}
	if who, why := a.Caller().Who(); !a.Inside && (who != "" || why != "") {
		// Ask would say nothing
		fmt.Fprintf(os.Stderr,
			"tada-run: not asked on this terminal, where no person is recognised: %s\n", why)
		return false
	}
	if !render.Render(e.Payload, render.Options{}).Inline {
		fmt.Fprintln(os.Stderr,
			"tada-run: the question is too long for this prompt; answer it in: tadactl inbox")
		return false
	}
	return true
}

// cancelled withdraws the question that the person at this terminal left without an answer. Nothing
// is remembered of it but the record: the same command asks again.
func (a *Attempt) cancelled(e approval.Envelope,
	left *prompt.CancelledError) (*refusal.Refusal, error) {
	ctx, cancel := StoreContext()
	defer cancel()
	refusal, err := a.change(func() ([]approval.Event, error) {
		return a.Store.Cancel(ctx, e.ID, left.Error())
	})
	if refusal != nil || err != nil { // it was answered or expired at the last instant
		return refusal, err
	}
	return a.withdrawn(e.ID, a.say("left", left.By)), nil
}
