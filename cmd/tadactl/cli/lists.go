package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/cmd/tadactl/inbox"
	"github.com/tada-run/tada-run/launcher"
)

// A completion proposes the words that can be a verb's operand, each with a tab and a description.
type completion func(cmd *cobra.Command, l *launcher.Launcher) ([]string, error)

// questions are the open questions, oldest first, with what they ask, in inert form.
func questions(cmd *cobra.Command, l *launcher.Launcher) ([]string, error) {
	list, err := l.Pending(cmd.Context())
	var words []string
	for _, e := range list {
		if e.Decision != nil {
			continue
		}
		if e, err := l.Envelope(cmd.Context(), e.ID); err == nil {
			words = append(words, e.ID+"\t"+inbox.Short(e.Payload, 120))
		}
	}
	return words, err
}

// denials are the questions whose denials can be taken back.
func denials(cmd *cobra.Command, l *launcher.Launcher) ([]string, error) {
	list, err := l.Denied(cmd.Context())
	var words []string
	for _, e := range list {
		if e, err := l.Envelope(cmd.Context(), e.ID); err == nil {
			words = append(words, e.ID+"\t"+inbox.Short(e.Payload, 120))
		}
	}
	return words, err
}

// answerable are the questions that deny accepts: the open ones, and with --undo those that were
// denied.
func answerable(cmd *cobra.Command, l *launcher.Launcher) ([]string, error) {
	if undo, err := cmd.Flags().GetBool("undo"); err == nil && undo {
		return denials(cmd, l)
	}
	return questions(cmd, l)
}

// standings are the grants.
func standings(cmd *cobra.Command, l *launcher.Launcher) ([]string, error) {
	list, err := l.Grants(cmd.Context())
	var words []string
	for _, g := range list {
		words = append(words, g.ID+"\t"+inbox.Short(g.Payload, 120))
	}
	return words, err
}

// maxListed is how many runs a completion proposes: more are not looked through.
const maxListed = 1000

// recorded are the newest sessions, newest first.
func recorded(_ *cobra.Command, l *launcher.Launcher) ([]string, error) {
	var words []string
	for r, err := range l.Newest(time.Time{}) {
		if err != nil || len(words) == maxListed {
			return words, err
		}
		words = append(words, r.ID+"\t"+inert(r.Command))
	}
	return words, nil
}

// either joins two completions.
func either(a, b completion) completion {
	return func(cmd *cobra.Command, l *launcher.Launcher) ([]string, error) {
		first, err := a(cmd, l)
		if err != nil {
			return nil, err
		}
		second, err := b(cmd, l)
		return append(first, second...), err
	}
}
