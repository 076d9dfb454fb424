package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/launcher"
)

func (c *ctl) policyShadow() *cobra.Command {
	var during string
	stop := false
	cmd := verb("shadow [FILE]", cobra.MaximumNArgs(1), c.opened(func(l *launcher.Launcher,
		_ *cobra.Command, args []string) error {
		switch {
		case stop && len(args) == 0:
			return l.EndShadowPolicy()
		case stop:
			return usagef("--stop takes no FILE")
		case len(args) == 0:
			return c.printShadow(l)
		}
		age, err := parseAge(during)
		if err != nil || age == 0 {
			return usagef("--for %q is not a time such as 7d or 12h", during)
		}
		text, err := readConfig(args[0])
		if err == nil {
			err = l.SetShadowPolicy(args[0], text, age)
		}
		if err != nil {
			return err
		}
		return c.printShadow(l)
	}))
	cmd.Flags().StringVar(&during, "for", "7d", "")
	cmd.Flags().BoolVar(&stop, "stop", false, "")
	return cmd
}

// printShadow says which configuration is tried beside the one in force.
func (c *ctl) printShadow(l *launcher.Launcher) error {
	s, ok, err := l.ShadowPolicy()
	if err != nil {
		return err
	}
	over := ok && time.Now().After(s.Until)
	if c.json {
		return c.printJSON(map[string]any{"set": ok, "over": over, "file": s.File,
			"since": s.Since, "until": s.Until})
	}
	day := func(t time.Time) string { return t.Local().Format("2 Jan 2006 15:04") }
	switch {
	case !ok:
		_, err = fmt.Fprintln(c.out, "no policy is tried beside the one in force; to begin: "+
			"tadactl policy shadow FILE")
	case over:
		_, err = fmt.Fprintf(c.out, "%s was tried from %s until %s; the results: tadactl policy "+
			"replay --shadow --since %s\n", inert(s.File), day(s.Since), day(s.Until),
			s.Since.Format(time.DateOnly))
	default:
		_, err = fmt.Fprintf(c.out, "%s is tried until %s; the results so far: tadactl policy "+
			"replay --shadow --since %s\n", inert(s.File), day(s.Until),
			s.Since.Format(time.DateOnly))
	}
	return err
}
