package permit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
)

// May reports whether this process may do something over a channel, and how it comes: its terminal,
// its ancestors, and the channel that it really has. The error wraps [approval.ErrPeer] and says
// why not; an attempt is recorded where the record can be written. Every command that answers for a
// person, and every function here that does, asks it at the moment of the answer.
func (p *Approvals) May(a approval.Action, over approval.Channel) (approval.Via, error) {
	caller := p.Caller()
	via := caller.Via()
	var err error
	if via.Channel, err = caller.May(a, over); err != nil {
		// it is refused all the same, also where the record is what must be decided about
		_ = p.attempted(a, via, err)
		return via, err
	}
	return via, nil
}

// attempted records an attempt at something that only a person may do. Inside a sandbox there is no
// log to write.
func (p *Approvals) attempted(a approval.Action, via approval.Via, why error) error {
	if via.Channel == approval.ChannelSandbox {
		return nil
	}
	log, err := p.record.OpenLog()
	if err != nil {
		return err
	}
	defer log.Close()
	_, err = AppendEvents(log, []approval.Event{{
		Kind: approval.KindRefused, Time: p.dir.Now().UTC(), Approver: Person(),
		Channel: string(via.Channel), Outcome: approval.OutcomeDenied,
		Reason: fmt.Sprintf("%s: %v", a, why), Via: via,
	}}, audit.Durable)
	return err
}

// fenced reports whether this process is inside a sandbox.
func (p *Approvals) fenced() bool {
	who, _ := p.Caller().Who()
	return who == approval.ChannelSandbox
}

// mayAnswer is May for an answer to a question.
func (p *Approvals) mayAnswer(ctx context.Context, d *approval.Decision) error {
	a := approval.Deny
	if Approves(d.Calls) {
		if err := p.Ready(); err != nil {
			return err
		}
		e, err := p.Store.Get(ctx, d.Envelope)
		if err != nil && !errors.Is(err, approval.ErrUnknown) {
			return err
		}
		a = approval.Approve(e.Risk)
	}
	via, err := p.May(a, approval.Channel(d.Channel))
	via.Device = d.Via.Device
	d.Via, d.Channel = via, string(via.Channel)
	return err
}

// AtPerson reports whether a person is at the terminal of this process, as far as that can be
// known.
func (p *Approvals) AtPerson() bool {
	who, why := p.Caller().Who()
	return who == "" && why == ""
}

// Person is the user of this process, as written for the person who approved.
func Person() string { return "uid " + strconv.Itoa(os.Getuid()) }

// Approves reports whether any call was allowed.
func Approves(calls []approval.CallDecision) bool {
	return slices.ContainsFunc(calls, func(c approval.CallDecision) bool { return c.Approved })
}
