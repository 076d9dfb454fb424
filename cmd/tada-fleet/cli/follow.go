package cli

import (
	"context"
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/integration/distant"
	"github.com/tada-run/tada-run/integration/fleet/people"
)

// follow prints the questions of other machines for the program that has started this one, until
// that closes standard input.
func (f *fleet) follow(cmd *cobra.Command, d desk) error {
	own, err := d.l.PublicKey()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, cmd.InOrStdin())
		cancel()
	}()
	known := map[string]bool{}
	out := json.NewEncoder(f.out)
	err = d.Follow(ctx, own.ID, func(list []people.Question) error {
		return out.Encode(news(list, d.own.ID, known))
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// news is what is open, and those questions whole that are not known yet. A machine's own questions
// are in its own inbox.
func news(list []people.Question, self string, known map[string]bool) distant.News {
	n := distant.News{Open: []string{}}
	for _, q := range list {
		if q.Audience == self {
			continue
		}
		id := q.Audience + "/" + q.Envelope + "/" + q.PlanHash
		n.Open = append(n.Open, id)
		if !known[id] {
			known[id] = true
			n.New = append(n.New, distant.Told{Machine: q.Machine.Name,
				Labels: q.Machine.Labels.String(), Text: string(q.Text)})
		}
	}
	return n
}
