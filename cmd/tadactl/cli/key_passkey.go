package cli

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/notice"
	"github.com/tada-run/tada-run/launcher/pairing"
	"github.com/tada-run/tada-run/launcher/push"
)

func (c *ctl) keyPair() *cobra.Command {
	w := pairing.Wish{MaxRisk: plan.MaxRisk}
	cmd := verb("pair", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		l, f, err := c.enrolling(cmd.Context(), "")
		if err != nil {
			return err
		}
		if _, err := l.May(approval.Enrol, approval.ChannelTadactl); err != nil {
			return err
		}
		// a link in a pipe or a file would be a way to answer for whoever reads that
		tty, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0)
		if err != nil || !term.IsTerminal(int(tty.Fd())) {
			return failf(exit.Usage, "no terminal to show the link on")
		}
		defer tty.Close()
		link, until, err := pairing.Open(l.Approvals).Link(cmd.Context(), w, f)
		if errors.Is(err, pairing.ErrNoConsole) {
			return failf(exit.Usage, "%w; try: tadactl key pair --url ADDRESS", err)
		}
		if err != nil {
			return proven(err)
		}
		return c.showLink(tty, link, until)
	})
	cmd.Flags().StringVar(&w.Console, "url", "", "")
	cmd.Flags().StringVar(&w.Name, "name", "", "")
	cmd.Flags().IntVar(&w.MaxRisk, "max-risk", w.MaxRisk, "")
	return cmd
}

// showLink prints a link on the terminal, with its QR code where that can be shown.
func (c *ctl) showLink(tty *os.File, link string, until time.Time) error {
	if notice.UTF8() && !c.place.Plain {
		code, err := qrLines(link)
		if err != nil {
			return err
		}
		for _, line := range code {
			fmt.Fprintln(tty, line)
		}
	}
	if isHere(link) {
		fmt.Fprintln(tty, "Only this machine can open the link. For a phone, start the console "+
			"with --url or --cert: tadactl console --help")
	}
	_, err := fmt.Fprintf(tty, "%s\nOpen this link on the device that is to approve. It is valid "+
		"once, until %s. Then look at what was paired: tadactl key list\n", link,
		until.Local().Format(time.TimeOnly))
	return err
}

// isHere reports whether a link leads to the machine of whoever opens it.
func isHere(link string) bool {
	u, err := url.Parse(link)
	return err == nil && (u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1")
}

func (c *ctl) keyList() *cobra.Command {
	return verb("list", cobra.NoArgs, c.opened(func(l *launcher.Launcher, _ *cobra.Command,
		_ []string) error {
		trusted, err := l.Trusted()
		if err != nil {
			return err
		}
		passkeys, err := pairing.Open(l.Approvals).Passkeys()
		if err != nil {
			return err
		}
		facts := []map[string]any{}
		for _, k := range trusted {
			facts = append(facts, map[string]any{"kind": "key",
				"id": approval.KeyID(k.Public), "name": k.Name, "max_risk": k.MaxRisk})
		}
		for _, k := range passkeys {
			facts = append(facts, map[string]any{"kind": "passkey", "id": k.Short(),
				"name": k.Name, "max_risk": k.MaxRisk, "host": k.RP,
				"added": k.Added.Format(time.RFC3339)})
		}
		if c.json {
			return c.printJSON(facts)
		}
		for _, f := range facts {
			fmt.Fprintf(c.out, "%-7s  %s  %s  up to risk %d", f["kind"], f["id"], f["name"],
				f["max_risk"])
			if f["kind"] == "passkey" {
				fmt.Fprintf(c.out, "  for %s, since %s", f["host"], f["added"])
			}
			fmt.Fprintln(c.out)
		}
		return nil
	}))
}

func (c *ctl) keyRevoke() *cobra.Command {
	return verb("revoke NAME|ID", cobra.ExactArgs(1), c.outside(approval.Enrol,
		func(l *launcher.Launcher, _ *cobra.Command, args []string) error {
			gone, err := pairing.Open(l.Approvals).Revoke(args[0])
			if err != nil {
				return err
			}
			// they are notified of nothing from here on, even if their subscriptions stay
			if err := push.Open(l.Directory()).Prune(); err != nil {
				fmt.Fprintf(c.err, "tadactl: push.json: %v\n", err)
			}
			ids := []string{}
			for _, k := range gone {
				ids = append(ids, k.Short())
			}
			if c.json {
				return c.printJSON(map[string]any{"revoked": ids})
			}
			for _, k := range gone {
				fmt.Fprintf(c.out, "revoked passkey %s  %s\n", k.Short(), k.Name)
			}
			return nil
		}))
}
