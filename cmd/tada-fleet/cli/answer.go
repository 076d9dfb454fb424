package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/integration/fleet/people"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/permit"
)

var errNoQuestion = errors.New("no open question begins with that; try: tadactl fleet pending")

// pending lists the open questions that the person may answer.
func (f *fleet) pending(cmd *cobra.Command, _ []string) error {
	d, err := f.open()
	if err != nil {
		return err
	}
	defer d.Etcd.Close()
	if f.o.Follow {
		return f.follow(cmd, d)
	}
	list, err := f.questions(cmd, d)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return f.none("no open questions")
	}
	for _, q := range list {
		page := render.Render(q.Payload, render.Options{})
		if err := f.say(map[string]any{"id": q.Envelope, "machine": q.Machine.Name,
			"machine_id": q.Machine.ID, "risk": page.Friction.Level,
			"labels": q.Machine.Labels, "expires_at": q.Expires},
			"%s  R%d  %s  %-16s  %-20s  %s\n", q.Envelope, page.Friction.Level, q.Machine.ID,
			q.Machine.Name, q.Machine.Labels,
			time.Until(q.Expires).Round(time.Second)); err != nil {
			return err
		}
	}
	return nil
}

func (f *fleet) questions(cmd *cobra.Command, d desk) ([]people.Question, error) {
	own, err := d.l.PublicKey()
	if err != nil {
		return nil, err
	}
	ctx, cancel := soon(cmd)
	defer cancel()
	return d.Questions(ctx, own.ID)
}

// outcomeWait is how long to wait for the machine that asked.
const outcomeWait = 15 * time.Second

// answer shows a question and answers it.
func (f *fleet) answer(cmd *cobra.Command, args []string) error {
	d, err := f.open()
	if err != nil {
		return err
	}
	defer d.Etcd.Close()
	list, err := f.questions(cmd, d)
	if err != nil {
		return err
	}
	q, err := theOne(list, args[0])
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	token := []byte(nil)
	if f.o.Answer.Signed {
		token, err = readFile("-")
	} else {
		token, err = f.asked(ctx, d, q)
	}
	if err != nil {
		return err
	}
	return f.hand(ctx, d, q, token)
}

// theOne returns the question whose id begins with a prefix; that may be MACHINE/ID, because
// machines choose the ids.
func theOne(list []people.Question, prefix string) (people.Question, error) {
	var found []people.Question
	for _, q := range list {
		if q.Machine.ID+"/"+q.Envelope == prefix {
			return q, nil
		}
		if strings.HasPrefix(q.Envelope, prefix) ||
			strings.HasPrefix(q.Machine.ID+"/"+q.Envelope, prefix) {
			found = append(found, q)
		}
	}
	switch len(found) {
	case 0:
		return people.Question{}, fmt.Errorf("%q: %w", prefix, errNoQuestion)
	case 1:
		return found[0], nil
	}
	return people.Question{}, fmt.Errorf("%q: several questions begin with that; type more "+
		"characters, or MACHINE/ID", prefix)
}

// asked shows the question on the terminal and signs the answer.
func (f *fleet) asked(ctx context.Context, d desk, q people.Question) (token []byte, err error) {
	tty, err := terminal()
	if err != nil {
		return nil, err
	}
	defer tty.Close()
	fmt.Fprintf(tty, "machine %s (%s), labels %s\n", q.Machine.Name, q.Machine.ID,
		q.Machine.Labels)
	yes, message, err := d.l.AskQuestion(ctx, tty, q.Question)
	if err != nil {
		return nil, err
	}
	return d.l.Sign(q.Question, permit.Signing{Yes: yes, Message: message,
		Valid: f.o.Answer.Valid}, f.passphrase(ctx))
}

// hand stores an answer and waits for the machine that asked.
func (f *fleet) hand(ctx context.Context, d desk, q people.Question, token []byte) error {
	ctx, cancel := context.WithTimeout(ctx, outcomeWait)
	defer cancel()
	o, err := d.Answer(ctx, q, token)
	switch {
	case errors.Is(err, people.ErrSilent):
		f.code = exit.Pending
		return f.say(map[string]any{"id": q.Envelope, "outcome": "waiting"}, "signed: %v\n", err)
	case err != nil:
		return err
	case !o.Taken:
		return fmt.Errorf("the machine did not take the answer: %.300q", o.Message)
	}
	word := o.Word()
	return f.say(map[string]any{"id": q.Envelope, "outcome": word}, "%s: %s\n", q.Envelope, word)
}
