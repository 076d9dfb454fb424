package permit

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/launcher/prompt"
)

// Ask shows the envelope to the person at tty and returns the answer as a decision on channel. The
// zero Decision means that no one could answer here: the question stays open, or was answered
// elsewhere in that time. The error is a [CancelledError] when the person left without an answer.
// The text is drawn from the stored bytes and nothing else; the answer names the hash of what was
// drawn, so that it cannot reach another question.
func (p *Approvals) Ask(ctx context.Context, tty *os.File, e approval.Envelope,
	channel string) (approval.Decision, error) {
	if !p.AtPerson() {
		return approval.Decision{}, nil // the reader of this terminal may not be a person
	}
	via := p.Caller().Via()
	via.Channel = approval.Channel(channel)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		now, err := p.Store.Wait(ctx, e.ID)
		if err == nil && (now.State != approval.Pending || now.Decision != nil) {
			cancel(prompt.ErrElsewhere)
		}
	}()
	phrase, err := p.Phrase()
	if err != nil {
		return approval.Decision{}, err
	}
	shown := prompt.Page{
		Payload: e.Payload, After: e.After(), Least: e.ReadingTime(), Calls: e.Calls,
		Look:  p.Look(),
		Typed: e.Challenge,
		Code:  e.Friction.Factor && e.Quorum < 2, Edited: len(e.Calls) == 1,
		Choices: p.choices(e, approval.Channel(channel)),
	}
	a, err := shown.Put(ctx, tty, phrase, p.dir.Now)
	if err != nil || !a.Given {
		return approval.Decision{}, err
	}
	d := Answer(e, a.Yes, a.Message, channel)
	d.Took, d.Via = a.Took, via
	for i, c := range d.Calls {
		switch {
		case a.Instead != "":
			d.Calls[i].Instead = a.Instead
		case slices.Contains(a.Denied, c.ID):
			d.Calls[i].Approved = false
		}
	}
	if a.Yes {
		d.Challenge, d.Code, d.Paged = e.Challenge, a.Code, true
		d.Calls[0].Choice = a.Choice
	}
	return d, nil
}

// AskQuestion is Ask for a question of another machine. It returns the answer, and the message to
// the agent that came with a denial; the error wraps [ErrNobody] if there is none. The characters
// to type are made up here, because those of the question are known on its own machine only.
func (p *Approvals) AskQuestion(ctx context.Context, tty *os.File,
	q approval.Question) (yes bool, word string, err error) {
	typed, friction := "", render.Render(q.Payload, render.Options{}).Friction
	if n := friction.Challenge; n > 0 {
		random := make([]byte, n)
		if _, err := p.dir.Random.Read(random); err != nil {
			return false, "", err
		}
		for _, b := range random {
			typed += string(typedLetters[b%32])
		}
	}
	phrase, err := p.Phrase()
	if err != nil {
		return false, "", err
	}
	least := approval.Envelope{Payload: q.Payload, Risk: friction.Level,
		Friction: friction}.ReadingTime()
	page := prompt.Page{Payload: q.Payload, Look: p.Look(), Typed: typed, Least: least}
	a, err := page.Put(ctx, tty, phrase, p.dir.Now)
	if err == nil && !a.Given || errors.As(err, new(*prompt.CancelledError)) {
		err = ErrNobody
	}
	return a.Yes, a.Message, err
}

// typedLetters leaves out what a hurried reader confuses; a byte picks one of 32 without bias.
const typedLetters = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"

// ErrNobody is returned by AskQuestion when no one answered.
var ErrNobody = errors.New("no answer")

// Phrase returns the words that only this user's real prompts show, made when they are first
// needed. They are in the state directory, which no sandbox reaches.
func (p *Approvals) Phrase() (string, error) {
	return approval.LoadPhrase(p.dir.Phrase(), p.dir.Random)
}

// Page returns a question as it is shown, under the phrase.
func (p *Approvals) Page(payload []byte, o render.Options) (render.Page, error) {
	var err error
	o.Phrase, err = p.Phrase()
	return render.Render(payload, o), err
}
