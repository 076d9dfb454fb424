package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// config is the short form for one setting.
func (c *ctl) config() *cobra.Command {
	cmd := &cobra.Command{Use: "config"}
	get := verb("get KEY", cobra.ExactArgs(1),
		func(_ *cobra.Command, args []string) error { return c.configGet(args[0]) })
	set := verb("set", nil, func(*cobra.Command, []string) error {
		return usagef("there is no config set: %s", insteadOf("verb", "config set"))
	})
	set.Hidden, set.DisableFlagParsing = true, true
	cmd.AddCommand(get, set)
	return cmd
}

func (c *ctl) configGet(name string) error {
	l, dir, err := c.openHere()
	if err != nil {
		return err
	}
	p, _, err := l.PolicyIn(dir)
	if err != nil {
		return err
	}
	var known []string
	for _, s := range p.Explain() {
		if s.Name != name {
			known = append(known, s.Name)
			continue
		}
		return c.say(s.Value, "%v\n", visible(s.Text))
	}
	return usagef("no key %q; there are %s", name, strings.Join(known, ", "))
}
