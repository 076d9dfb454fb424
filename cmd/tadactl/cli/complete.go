package cli

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tada-run/tada-run/launcher"
)

func (c *ctl) completion() *cobra.Command {
	scripts := map[string]func(program *cobra.Command) error{
		"bash": func(program *cobra.Command) error {
			_, err := fmt.Fprint(c.out, strings.ReplaceAll(bashCompletion, "PROGRAM", program.Name()))
			return err
		},
		"zsh": func(program *cobra.Command) error {
			fmt.Fprintln(c.out, "whence compdef >/dev/null || { autoload -Uz compinit && compinit -D -i }")
			return program.GenZshCompletion(c.out)
		},
		"fish": func(program *cobra.Command) error { return program.GenFishCompletion(c.out, true) },
	}
	return verb(&cobra.Command{
		Use:   "completion bash|zsh|fish",
		Short: "Print a shell completion script",
		Long: "Print a shell completion script for the verbs, options and values of tadactl, the ids of\n" +
			"open questions, grants and sessions, and the options of tada-run:\n\n" +
			"  bash  source <(tadactl completion bash)\n" +
			"  zsh   source <(tadactl completion zsh)\n" +
			"  fish  tadactl completion fish | source",
		ValidArgs: slices.Sorted(maps.Keys(scripts)),
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := scripts[args[0]](cmd.Root()); err != nil {
				return err
			}
			return scripts[args[0]](&cobra.Command{Use: "tada-run"}) // it answers __complete as cobra does
		},
	})
}

// bashCompletion needs nothing but bash: cobra's own needs the functions of the bash-completion
// package. No word of the line is evaluated.
//
//go:embed completion.bash
var bashCompletion string

// flagValues has the values of the options that take one of a few; --outcome takes an exit status,
// too. An option that is not here and not in flagFiles completes nothing.
var flagValues = map[string][]string{
	"format":    {"cast", "cast2", "txt", "json", "html"},
	"authority": {"policy", "approval", "grant"},
	"outcome":   {"ok", "error", "refused", "waiting", "approved", "denied", "withdrawn", "expired", "failed", "running", "lost", "announced", "ended"},
	"kind":      kindNames(),
	"max-risk":  {"0", "1", "2", "3"},
}

// flagFiles are the options whose value is the name of a file or a folder.
var flagFiles = strings.Fields("home remember head since token vouch output ci-intent delegation root file runtime")

// completeFlags gives each option of cmd and of the verbs below it its values.
func completeFlags(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Value.Type() == "bool" || slices.Contains(flagFiles, f.Name) {
			return
		}
		_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(flagValues[f.Name], cobra.ShellCompDirectiveNoFileComp))
	})
	for _, sub := range cmd.Commands() {
		completeFlags(sub)
	}
}

// A completion proposes the words that may stand in the place of a verb's operand, each with a tab
// and what it is.
type completion func(cmd *cobra.Command, l *launcher.Launcher) ([]string, error)

// complete says what the verbs complete. A shell that completes changes nothing, and is told
// nothing when something is wrong.
func (c *ctl) complete(root *cobra.Command) {
	for verb, list := range map[string]completion{
		"approve": questions, "deny": answerable, "export-request": questions, "show": either(questions, recorded),
		"grants revoke": standings,
		"replay":        recorded, "export": recorded, "attach": recorded, "kill": recorded,
	} {
		if cmd, _, err := root.Find(strings.Fields(verb)); err == nil {
			cmd.ValidArgsFunction = c.operand(list)
		}
	}
	completeFlags(root)
}

// operand completes the first operand, and further ones of the verbs that take several.
func (c *ctl) operand(list completion) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 && cmd.Name() != "approve" && cmd.Name() != "deny" {
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
		words = slices.DeleteFunc(words, func(w string) bool { id, _, _ := strings.Cut(w, "\t"); return slices.Contains(args, id) })
		return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// questions are the open questions, oldest first, with what they ask: in the form in which it is
// inert.
func questions(cmd *cobra.Command, l *launcher.Launcher) ([]string, error) {
	list, err := l.Pending(cmd.Context())
	var words []string
	for _, e := range list {
		if e.Decision != nil {
			continue
		}
		if e, err := l.Envelope(cmd.Context(), e.ID); err == nil {
			words = append(words, e.ID+"\t"+short(e.Payload, 120))
		}
	}
	return words, err
}

// standings are the standing approvals.
func standings(cmd *cobra.Command, l *launcher.Launcher) ([]string, error) {
	list, err := l.Grants(cmd.Context())
	var words []string
	for _, g := range list {
		words = append(words, g.ID+"\t"+short(g.Payload, 120))
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
