package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/presets"
)

func (c *ctl) policyInit() *cobra.Command {
	var names []string
	show := false
	cmd := verb("init", cobra.NoArgs, func(*cobra.Command, []string) error {
		text, err := pathguard.Template(), error(nil)
		if len(names) > 0 {
			if text, err = presets.Text(names...); err != nil {
				return usagef("%w", err)
			}
		}
		if show {
			_, err := fmt.Fprint(c.out, text)
			return err
		}
		return c.initConfig(text, len(names) > 0)
	})
	cmd.Long = presetsHelp()
	cmd.Flags().StringSliceVar(&names, "for", nil, "")
	cmd.Flags().BoolVar(&show, "print", false, "")
	return cmd
}

// initConfig writes the first configuration, and says which presets suit the workspace.
func (c *ctl) initConfig(text string, chosen bool) error {
	l, dir, err := c.openHere()
	if err != nil {
		return err
	}
	path := l.Home().Config()
	p, err := l.PolicyFrom(path, []byte(text))
	if err != nil {
		return err
	}
	for _, r := range l.Cases(p) {
		if r.Failed != "" {
			return usagef("these presets contradict each other: %s: %s", inert(r.Case.Command),
				r.Failed)
		}
	}
	err = l.InitConfig(text)
	suits := strings.Join(presets.Suits(dir), ",")
	if errors.Is(err, fs.ErrExist) {
		help := "to change it: tadactl policy edit"
		if chosen {
			help = "to see what to add: tadactl policy init --print; " + help
		}
		return failf(exit.Config, "%q already exists; %s", path, help)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "wrote %s\nto change it: tadactl policy edit\n", path)
	if !chosen && suits != "" {
		fmt.Fprintf(c.out, "for this workspace: tadactl policy init --for %s --print\n", suits)
	}
	return nil
}

// presetsHelp lists the presets.
func presetsHelp() string {
	var text strings.Builder
	for _, name := range presets.Names() {
		lines := strings.Split(wrapped(presets.About(name), 76), "\n")
		fmt.Fprintf(&text, "  %-10s %s\n", name, strings.Join(lines, "\n             "))
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// wrapped breaks a text at blanks into lines of at most width characters.
func wrapped(text string, width int) string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return strings.Join(append(lines, line), "\n")
}
