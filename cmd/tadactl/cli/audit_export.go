package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/ocsf"
	"github.com/tada-run/tada-run/audit/runs"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/pathguard/passwd"
)

// auditExport prints the log for other programs, each entry when it is proven.
func (c *ctl) auditExport() *cobra.Command {
	x := outflow{ctl: c, open: runs.Open{}}
	var after string
	cmd := verb("export", cobra.NoArgs, c.reads(func(l *launcher.Launcher, cmd *cobra.Command,
		_ []string) (err error) {
		if after != "" {
			if x.done, err = audit.ParsePoint(after); err != nil {
				return usagef("--after: %w", err)
			}
		}
		ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM,
			syscall.SIGHUP)
		defer stop()
		return x.run(ctx, l)
	}))
	cmd.Flags().BoolVar(&x.ocsf, "ocsf", false, "")
	cmd.Flags().BoolVar(&x.follow, "follow", false, "")
	cmd.Flags().StringVar(&after, "after", "", "")
	return cmd
}

// An outflow is a log on its way to another program.
type outflow struct {
	*ctl
	ocsf   bool // the format; else the entries
	follow bool
	done   audit.Point // after the last entry that was written
	open   runs.Open
	source ocsf.Source
}

// run prints the log, and what it gets until ctx is done. It says where to go on.
func (x *outflow) run(ctx context.Context, l *launcher.Launcher) error {
	if x.ocsf {
		if err := x.prepare(l); err != nil {
			return err
		}
	}
	log := l.Growing(x.done)
	err := x.write(ctx, log)
	for x.follow && err == nil && ctx.Err() == nil {
		if log.Wait(ctx); ctx.Err() == nil {
			err = x.write(ctx, log)
		}
	}
	if x.done.Count > 0 {
		fmt.Fprintf(x.err, "tadactl: %s exported; to go on: tadactl audit export --after %s\n",
			audit.Plural(x.done.Count, "entry"), x.done)
	}
	return err
}

// prepare reads the runs that go on where the export begins, and which machine this is.
func (x *outflow) prepare(l *launcher.Launcher) (err error) {
	if x.source.Host, err = os.Hostname(); err != nil {
		return err
	}
	uid := os.Getuid()
	x.source.Account = cmp.Or(passwd.NameOf(uid), strconv.Itoa(uid))
	x.source.Version = launcher.Version()
	if x.done.Count == 0 {
		return nil
	}
	for e, err := range l.Entries(audit.Filter{Kinds: []string{"exec."}}) {
		var bad *audit.BadEntry
		switch {
		case errors.As(err, &bad): // the export says more
		case err != nil:
			return err
		case e.Seq >= x.done.Count:
			return nil
		default:
			x.open.Add(e)
		}
	}
	return nil
}

// write prints what the log has beyond what was read.
func (x *outflow) write(ctx context.Context, log *audit.Growing) error {
	out := bufio.NewWriter(x.out)
	at := x.done
	for e, err := range log.Entries() {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, x.flush(out, at))
		}
		if e.Seq > at.Count {
			fmt.Fprintf(x.err, "tadactl: the entries %d to %d were deleted before they were "+
				"exported; the log has their hashes\n", at.Count, e.Seq-1)
		}
		line, err := x.line(e, log.Unproven(e))
		if err != nil {
			return errors.Join(err, x.flush(out, at))
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
		at = e.Place().Point()
	}
	return x.flush(out, at)
}

// flush writes what is buffered. Only then it counts as exported: after an error it is printed
// again.
func (x *outflow) flush(out *bufio.Writer, at audit.Point) error {
	err := out.Flush()
	if err == nil {
		x.done = at
	}
	return err
}

// line is one entry in the format that was asked for.
func (x *outflow) line(e audit.Entry, unproven string) ([]byte, error) {
	if x.ocsf {
		return x.source.Event(e, x.open.Add(e), unproven)
	}
	facts := x.entryFacts(e)
	facts["head"] = e.Place().Point().String()
	if unproven != "" {
		facts["unproven"] = unproven
	}
	return json.Marshal(facts)
}
