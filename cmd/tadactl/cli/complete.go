package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/launcher"
)

func (c *ctl) completion() *cobra.Command {
	scripts := map[string]func(root *cobra.Command) error{
		"bash": func(root *cobra.Command) error { return root.GenBashCompletionV2(c.out, true) },
		"zsh":  func(root *cobra.Command) error { return root.GenZshCompletion(c.out) },
		"fish": func(root *cobra.Command) error { return root.GenFishCompletion(c.out, true) },
	}
	return verb(&cobra.Command{
		Use:   "completion bash|zsh|fish",
		Short: "Print what lets a shell complete verbs, options and ids",
		Long: "Print what lets a shell complete verbs, options, and the ids of open questions, standing\n" +
			"approvals and sessions:\n\n" +
			"  bash  source <(tadactl completion bash)\n" +
			"  zsh   source <(tadactl completion zsh)\n" +
			"  fish  tadactl completion fish | source",
		ValidArgs: slices.Sorted(maps.Keys(scripts)),
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE:      func(cmd *cobra.Command, args []string) error { return scripts[args[0]](cmd.Root()) },
	})
}

// A completion proposes the words that may stand in the place of a verb's operand, each with a tab and what it is.
type completion func(cmd *cobra.Command, l *launcher.Launcher) ([]string, error)

// complete says what the verbs complete. A shell that completes changes nothing, and is told nothing when something
// is wrong.
func (c *ctl) complete(root *cobra.Command) {
	for verb, list := range map[string]completion{
		"approve": questions, "deny": questions, "export-request": questions, "show": either(questions, recorded),
		"grants revoke": standings,
		"replay":        recorded, "export": recorded, "attach": recorded, "kill": recorded,
	} {
		if cmd, _, err := root.Find(strings.Fields(verb)); err == nil {
			cmd.ValidArgsFunction = c.operand(list)
		}
	}
}

// operand completes the first operand.
func (c *ctl) operand(list completion) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		l, err := c.open()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		words, err := list(cmd, l)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// questions are the open questions, oldest first, with what they ask: in the form in which it is inert.
func questions(cmd *cobra.Command, l *launcher.Launcher) ([]string, error) {
	list, err := l.Pending(cmd.Context())
	var words []string
	for _, e := range list {
		if e.Decision != nil {
			continue
		}
		if e, err := l.Envelope(cmd.Context(), e.ID); err == nil {
			words = append(words, e.ID+"\t"+inert(commandOf(e.Payload)))
		}
	}
	return words, err
}

// standings are the standing approvals.
func standings(cmd *cobra.Command, l *launcher.Launcher) ([]string, error) {
	list, err := l.Grants(cmd.Context())
	var words []string
	for _, g := range list {
		words = append(words, g.ID+"\t"+inert(commandOf(g.Payload)))
	}
	return words, err
}

// recorded are the sessions that have a transcript, newest first.
func recorded(_ *cobra.Command, l *launcher.Launcher) ([]string, error) {
	runs, err := l.Runs()
	var words []string
	for i := len(runs) - 1; i >= 0; i-- {
		words = append(words, runs[i].ID+"\t"+inert(runs[i].Command))
	}
	return words, err
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
