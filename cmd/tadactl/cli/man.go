package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A manual page is made from the output of --help, so the two cannot disagree.

func (c *ctl) man() *cobra.Command {
	cmd := verb("man DIR", cobra.ExactArgs(1), func(cmd *cobra.Command, args []string) error {
		if args[0] == "-" {
			help, err := c.read("-")
			if err != nil {
				return err
			}
			return manOfHelp(c.out, "tada-run", string(help))
		}
		if err := os.MkdirAll(args[0], 0o755); err != nil {
			return err
		}
		page := filepath.Join(args[0], "tada-config.5")
		if err := os.WriteFile(page, []byte(manOfConfig()), 0o644); err != nil {
			return err
		}
		if err := manTopics(args[0]); err != nil {
			return err
		}
		return manTree(args[0], cmd.Root())
	})
	return cmd
}

// manTree writes a page for a verb and for all verbs below it.
func manTree(dir string, cmd *cobra.Command) error {
	var page strings.Builder
	manOf(&page, cmd)
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(page.String()), 0o644); err != nil {
		return err
	}
	for _, sub := range cmd.Commands() {
		if !hasPage(sub) {
			continue
		}
		if err := manTree(dir, sub); err != nil {
			return err
		}
	}
	return nil
}

// hasPage reports whether a verb has a page. To cobra, help is none.
func hasPage(cmd *cobra.Command) bool { return cmd.IsAvailableCommand() || cmd.Name() == "help" }

// manOf writes the page of one verb in the macros of man(7).
func manOf(w io.Writer, cmd *cobra.Command) {
	manHead(w, strings.ReplaceAll(cmd.CommandPath(), " ", "-"), cmd.Short)
	fmt.Fprintf(w, ".SH SYNOPSIS\n")
	path := strings.TrimSuffix(cmd.CommandPath(), cmd.Name())
	for i, use := range strings.Split(cmd.Use, " | ") {
		if i > 0 {
			fmt.Fprintf(w, ".br\n")
		}
		fmt.Fprintf(w, ".B %s\n", roff(path+use))
	}
	about, status := manual(cmd)
	fmt.Fprintf(w, ".SH DESCRIPTION\n")
	manText(w, about)
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, ".SH COMMANDS\n")
		for _, sub := range cmd.Commands() {
			if hasPage(sub) {
				fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(sub.Name()), roff(sub.Short))
			}
		}
	}
	fmt.Fprintf(w, ".SH OPTIONS\n")
	flags := func(f *pflag.Flag) {
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		value, usage := pflag.UnquoteUsage(f)
		fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(strings.TrimSpace(name+" "+value)), roff(usage))
	}
	cmd.LocalFlags().VisitAll(flags)
	cmd.InheritedFlags().VisitAll(flags)
	if status != "" {
		fmt.Fprintf(w, ".SH EXIT STATUS\n")
		manLiteral(w, status)
	}
	fmt.Fprintf(w, ".SH SEE ALSO\n.BR tada-run (1),\n.BR tada-config (5)")
	for up := cmd.Parent(); up != nil; up = up.Parent() {
		fmt.Fprintf(w, ",\n.BR %s (1)", roff(strings.ReplaceAll(up.CommandPath(), " ", "-")))
	}
	fmt.Fprintln(w)
}

// manOfHelp makes a page from a help text: a line that says what it is, its usage, and sections
// under words in capital letters.
func manOfHelp(w io.Writer, name, help string) error {
	short, rest, found := strings.Cut(help, "\n\nusage: ")
	if !found {
		return usagef("this is not the help of %s: it has no usage", name)
	}
	manHead(w, name, strings.TrimSuffix(short, "."))
	fmt.Fprintf(w, ".SH SYNOPSIS\n")
	literal := []string{}
	flush := func() {
		manLiteral(w, strings.Join(literal, "\n"))
		literal = literal[:0]
	}
	for line := range strings.Lines("       " + rest) {
		line = strings.TrimSuffix(line, "\n")
		if line != "" && strings.Trim(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ ") == "" && line[0] != ' ' {
			flush()
			fmt.Fprintf(w, ".SH %s\n", line)
			continue
		}
		literal = append(literal, line)
	}
	flush()
	fmt.Fprintf(w, ".SH SEE ALSO\n.BR tadactl (1)\n")
	return nil
}
