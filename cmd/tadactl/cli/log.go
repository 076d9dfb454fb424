package cli

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/play"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
)

func (c *ctl) log() *cobra.Command {
	var w wanted
	var kind, grep string
	var filter audit.Filter
	all := false
	cmd := &cobra.Command{
		Use:  "log",
		Long: kindsHelp(),
		Args: cobra.NoArgs,
		RunE: c.opened(func(l *launcher.Launcher, cmd *cobra.Command, _ []string) error {
			if grep != "" {
				return c.grep(cmd.Context(), l, &w, grep)
			}
			if kind != "" {
				filter.Kinds = []string{kind, strings.TrimSuffix(kind, ".") + "."}
			}
			if err := w.narrow(l, &filter); err != nil {
				return err
			}
			if err := c.doubt(l); err != nil {
				return err
			}
			if !all && w.since+w.until == "" && !cmd.Flags().Changed("last") {
				filter.Last = entriesListed
			}
			return c.printEntries(l, filter)
		}),
	}
	w.flags(cmd)
	cmd.Flags().StringVar(&kind, "kind", "", "")
	cmd.Flags().StringVar(&filter.Text, "text", "", "")
	cmd.Flags().StringVar(&grep, "grep", "", "")
	cmd.Flags().IntVarP(&filter.Last, "last", "n", entriesListed, "")
	cmd.Flags().BoolVar(&all, "all", false, "")
	cmd.MarkFlagsMutuallyExclusive("last", "all")
	return verb(cmd)
}

// entriesListed is how many entries are printed if nobody says how many.
const entriesListed = 100

// printEntries prints the entries that a filter selects; of the newest ones, it says whether there
// are older ones.
func (c *ctl) printEntries(l *launcher.Launcher, f audit.Filter) error {
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
	c.sayMore(older > 0, "older entries are", "tadactl log --all")
	return nil
}

// grep prints the lines of the sessions that contain the text, as a person saw them.
func (c *ctl) grep(ctx context.Context, l *launcher.Launcher, w *wanted, text string) error {
	runs, err := w.runs(l)
	if err != nil {
		return err
	}
	for _, r := range runs {
		f, err := l.Transcript(r.ID)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was refused, or dropped
		}
		if err != nil {
			return err
		}
		g := finder{text: []byte(text),
			found: func(n int, line string) error { return c.printLine(r, n, line) }}
		err = play.Text(ctx, &g, f, play.TextOptions{})
		f.Close()
		var bad *audit.BadEntry
		if errors.As(err, &bad) && bad.Torn {
			err = nil // it still runs, or its recorder died
		}
		if err = errors.Join(err, g.line()); err != nil {
			return unproven(err)
		}
	}
	return nil
}

func (c *ctl) printLine(r launcher.Past, n int, line string) error {
	return c.say(map[string]any{"id": r.ID, "began": r.Began.Format(time.RFC3339Nano),
		"line": n, "text": line}, "%s:%d:%s\n", r.ID, n, line)
}

// A finder receives a text, and reports the lines that contain another.
type finder struct {
	text  []byte
	found func(n int, line string) error
	rest  []byte
	n     int
}

func (g *finder) Write(p []byte) (int, error) {
	g.rest = append(g.rest, p...)
	for {
		i := bytes.IndexByte(g.rest, '\n')
		if i < 0 {
			return len(p), nil
		}
		line := g.rest[:i]
		g.rest = g.rest[i+1:]
		if err := g.look(line); err != nil {
			return 0, err
		}
	}
}

// line examines what came after the last end of a line.
func (g *finder) line() error {
	if len(g.rest) == 0 {
		return nil
	}
	return g.look(g.rest)
}

func (g *finder) look(line []byte) error {
	g.n++
	if !bytes.Contains(line, g.text) {
		return nil
	}
	return g.found(g.n, string(line))
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
