package cli

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
)

func (c *ctl) log() *cobra.Command {
	var w wanted
	var kind, grep string
	var filter audit.Filter
	all := false
	cmd := verb("log", cobra.NoArgs, c.reads(func(l *launcher.Launcher, cmd *cobra.Command,
		_ []string) error {
		if err := c.sayMissing(l); err != nil {
			return err
		}
		if grep != "" {
			return c.grep(cmd.Context(), l, &w, grep)
		}
		if kind != "" {
			filter.Kinds = []string{kind, strings.TrimSuffix(kind, ".") + "."}
		}
		if err := w.narrow(l, &filter); err != nil {
			return err
		}
		c.sayUnknown(&w.touched)
		if err := c.doubt(l); err != nil {
			return err
		}
		if all || (c.json || w.since+w.until != "") && !cmd.Flags().Changed("last") {
			filter.Last = 0
		}
		return c.printEntries(l, filter, !cmd.Flags().Changed("last"))
	}))
	cmd.Long = kindsHelp()
	w.flags(cmd)
	cmd.Flags().StringVar(&kind, "kind", "", "")
	cmd.Flags().StringVar(&filter.Text, "text", "", "")
	cmd.Flags().StringVar(&grep, "grep", "", "")
	cmd.Flags().IntVarP(&filter.Last, "last", "n", entriesListed, "")
	cmd.Flags().BoolVar(&all, "all", false, "")
	cmd.MarkFlagsMutuallyExclusive("last", "all")
	return cmd
}

// entriesListed is how many entries are printed if nobody says how many.
const entriesListed = 100

// printEntries prints the entries that a filter selects; of the newest ones, it may say that there
// are older ones.
func (c *ctl) printEntries(l *launcher.Launcher, f audit.Filter, say bool) error {
	last := f.Last
	if last > 0 {
		f.Last++
	}
	var list []audit.Entry
	entry := c.printer(l)
	for e, err := range l.Entries(f) {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case c.setApart(err):
			continue
		case err != nil:
			return &exitError{err, exit.Tampered}
		case last > 0:
			list = append(list, e)
			continue
		}
		if err := entry(e); err != nil {
			return err
		}
	}
	older := max(0, len(list)-last)
	for _, e := range list[older:] {
		if err := entry(e); err != nil {
			return err
		}
	}
	c.sayMore(say && older > 0, "older entries are", "tadactl log --all")
	return nil
}

// visible shows characters that a terminal would act on.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if strconv.IsPrint(r) {
			return r
		}
		return '\ufffd'
	}, s)
}
