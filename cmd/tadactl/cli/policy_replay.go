package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/notice"
	"github.com/tada-run/tada-run/launcher/replay"
	"github.com/tada-run/tada-run/pathguard"
)

func (c *ctl) policyReplay() *cobra.Command {
	var o replay.Options
	var since string
	shadow := false
	cmd := verb("replay [FILE]", cobra.MaximumNArgs(1), c.reads(func(l *launcher.Launcher,
		cmd *cobra.Command, args []string) (err error) {
		if o.Since, err = parseTime(since, time.Now()); err != nil {
			return err
		}
		if o.Workspace, err = realName(o.Workspace); err != nil {
			return err
		}
		if err := c.sayMissing(l); err != nil {
			return err
		}
		if shadow {
			return c.shadowReplay(l, o, args)
		}
		name := "the policy in force"
		if len(args) == 1 {
			name = args[0]
			text, err := readConfig(name)
			if err != nil {
				return err
			}
			defer c.sayChanged(name, text)
			p, err := l.PolicyFrom(name, text)
			if err != nil {
				return err
			}
			o.Policy = &p
		}
		r, err := l.Recorded().Replay(o)
		if err != nil {
			return err
		}
		again := "tadactl policy replay" + quotedWords(args)
		if cmd.Flags().Changed("since") {
			again += fmt.Sprintf(" --since %q", since)
		}
		if o.Workspace != "" {
			again += fmt.Sprintf(" --workspace %q", o.Workspace)
		}
		return c.replayed(r, name, again, o.Accept)
	}))
	cmd.Flags().StringVar(&since, "since", "30d", "")
	cmd.Flags().StringVar(&o.Workspace, "workspace", "", "")
	cmd.Flags().BoolVar(&shadow, "shadow", false, "")
	cmd.Flags().StringArrayVar(&o.Accept, "accept", nil, "")
	return cmd
}

// shadowReplay prints what the shadow policy would have decided otherwise, by the record.
func (c *ctl) shadowReplay(l *launcher.Launcher, o replay.Options, args []string) error {
	if len(args) > 0 {
		return usagef("--shadow is about the configuration of tadactl policy shadow, not a FILE")
	}
	r, err := l.Recorded().Shadowed(o)
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(map[string]any{"runs": r.Runs, "same": r.Same,
			"changes": append([]*replay.Changed{}, r.Changes...),
			"skipped": append([]replay.Skipped{}, r.Skipped...)})
	}
	_, err = fmt.Fprint(c.out, r.ShadowTable(notice.UTF8()))
	return err
}

// readConfig reads a configuration that is only tried: who owns it does not matter.
func readConfig(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, pathguard.MaxConfig+1))
	if err == nil && len(text) > pathguard.MaxConfig {
		err = fmt.Errorf("%q is larger than 1 MiB", name)
	}
	return append([]byte{}, text...), err
}

// sayChanged notes that a file no longer has the text that was read of it: what was printed is not
// about what it has now.
func (c *ctl) sayChanged(name string, text []byte) {
	if now, err := readConfig(name); err != nil || !bytes.Equal(now, text) {
		fmt.Fprintf(c.err, "tadactl: note: %s was changed while it was tried, and its "+
			"earlier text was judged; try again\n", render.Inert(name))
	}
}

// replayed prints a replay, and fails where something would be allowed that nobody accepted. again
// is how to replay it again, but for what was accepted.
func (c *ctl) replayed(r replay.Replayed, name, again string, accepted []string) error {
	loose := r.Loose()
	if c.json {
		if err := c.printJSON(map[string]any{"runs": r.Runs, "plans": r.Plans, "same": r.Same,
			"earlier_policy": r.Earlier, "changes": append([]*replay.Changed{}, r.Changes...),
			"skipped": append([]replay.Skipped{}, r.Skipped...)}); err != nil {
			return err
		}
	} else {
		fmt.Fprint(c.out, r.Table(notice.UTF8()))
	}
	if len(loose) == 0 && len(r.Damaged) > 0 {
		return failf(exit.Tampered, "a file of plans was changed, and not all runs of its plans "+
			"were judged again: %s; try: tadactl audit verify", r.Damaged[0])
	}
	if len(loose) == 0 {
		return nil
	}
	for _, rule := range slices.Compact(slices.Sorted(slices.Values(append(loose, accepted...)))) {
		again += " --accept " + rule
	}
	return failf(1, "%s would allow what was asked about or denied; to accept that: %s",
		render.Inert(name), again)
}

func quotedWords(words []string) (text string) {
	for _, w := range words {
		text += fmt.Sprintf(" %q", w)
	}
	return text
}
