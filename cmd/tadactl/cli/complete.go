package cli

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (c *ctl) completion() *cobra.Command {
	scripts := map[string]func(program *cobra.Command) error{
		"bash": func(program *cobra.Command) error {
			_, err := fmt.Fprint(c.out,
				strings.ReplaceAll(bashCompletion, "PROGRAM", program.Name()))
			return err
		},
		"zsh": func(program *cobra.Command) error {
			fmt.Fprintln(c.out,
				"whence compdef >/dev/null || { autoload -Uz compinit && compinit -D -i }")
			return program.GenZshCompletion(c.out)
		},
		"fish": func(program *cobra.Command) error {
			return program.GenFishCompletion(c.out, true)
		},
	}
	cmd := verb("completion bash|zsh|fish", cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		func(cmd *cobra.Command, args []string) error {
			if err := scripts[args[0]](cmd.Root()); err != nil {
				return err
			}
			// this answers __complete as cobra does
			return scripts[args[0]](&cobra.Command{Use: "tada-run"})
		})
	cmd.ValidArgs = slices.Sorted(maps.Keys(scripts))
	return cmd
}

// bashCompletion needs only bash: cobra's own needs the functions of the bash-completion package.
// No word of the line is evaluated.
//
//go:embed completion.bash
var bashCompletion string

// completeFlags sets the values of each option of cmd and of the verbs below it.
func completeFlags(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Value.Type() == "bool" || slices.Contains(flagFiles, f.Name) {
			return
		}
		_ = cmd.RegisterFlagCompletionFunc(f.Name,
			cobra.FixedCompletions(flagValues[f.Name], cobra.ShellCompDirectiveNoFileComp))
	})
	for _, sub := range cmd.Commands() {
		completeFlags(sub)
	}
}

// complete sets what the verbs complete. Completion changes nothing, and reports no errors to the
// shell.
func (c *ctl) complete(root *cobra.Command) {
	for verb, list := range map[string]completion{
		"approve": questions, "deny": answerable, "export-request": questions,
		"show":          either(questions, recorded),
		"grants revoke": standings,
		"replay":        recorded, "export": recorded, "attach": recorded, "kill": recorded,
		"diff": recorded, "undo": recorded,
	} {
		if cmd, _, err := root.Find(strings.Fields(verb)); err == nil {
			cmd.ValidArgsFunction = c.operand(list)
		}
	}
	completeFlags(root)
}

// operand completes the first operand, and further ones if the verb takes several.
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
		words = slices.DeleteFunc(words, func(w string) bool {
			id, _, _ := strings.Cut(w, "\t")
			return slices.Contains(args, id)
		})
		return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}
