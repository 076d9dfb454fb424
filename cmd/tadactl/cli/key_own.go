package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/prompt"
)

func (c *ctl) keyInit() *cobra.Command {
	var plain bool
	cmd := verb("init NAME", cobra.ExactArgs(1), c.outside(approval.Enrol,
		func(l *launcher.Launcher, cmd *cobra.Command, args []string) error {
			if _, err := l.May(approval.Enrol, approval.ChannelTadactl); err != nil {
				return err
			}
			pass := ""
			if !plain {
				var err error
				if pass, err = c.newPassphrase(cmd.Context()); err != nil {
					return err
				}
			}
			key, err := l.NewKey(args[0], pass)
			if errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("%q already has a key; try: tadactl key show", l.Home().Key())
			}
			if err != nil {
				return err
			}
			return c.printKey(key.TrustLine(), key.ID(), "")
		}))
	cmd.Flags().BoolVar(&plain, "no-passphrase", false, "")
	return cmd
}

// newPassphrase asks twice.
func (c *ctl) newPassphrase(ctx context.Context) (string, error) {
	first, err := c.secret(ctx, "passphrase: ")
	if err != nil {
		return "", err
	}
	again, err := c.secret(ctx, "repeat: ")
	switch {
	case err != nil:
		return "", err
	case first == "" && again == "":
		return "",
			failf(exit.Usage,
				"the passphrase is empty; no key was created; try: tadactl key "+
					"init NAME --no-passphrase")
	case first != again:
		return "", failf(exit.Usage, "the passphrases differ; no key was created")
	}
	return first, nil
}

// secret asks on the terminal, never on standard input, which may be a file or a pipe.
func (c *ctl) secret(ctx context.Context, label string) (string, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil || !term.IsTerminal(int(tty.Fd())) {
		return "", failf(exit.Usage, "no terminal to ask for the passphrase on")
	}
	defer tty.Close()
	return prompt.ReadSecret(ctx, tty, label)
}

func (c *ctl) keyShow() *cobra.Command {
	return verb("show", cobra.NoArgs, c.opened(func(l *launcher.Launcher, cmd *cobra.Command,
		_ []string) error {
		audience, err := l.Audience()
		if err != nil {
			return err
		}
		trusted, err := l.Trusted()
		if err != nil {
			return err
		}
		line, id := "", ""
		if key, err := l.PublicKey(); err == nil {
			line, id = key.Line, key.ID
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if c.json {
			names := make([]map[string]any, 0, len(trusted))
			for _, k := range trusted {
				names = append(names, map[string]any{"id": approval.KeyID(k.Public),
					"name": k.Name, "max_risk": k.MaxRisk})
			}
			return c.printJSON(map[string]any{"id": id, "trust_line": line,
				"audience": audience, "trusted": names})
		}
		fmt.Fprintf(c.out, "machine  %s\n", audience)
		for _, k := range trusted {
			fmt.Fprintf(c.out, "trusts   %s  %s  up to risk %d\n", approval.KeyID(k.Public),
				k.Name, k.MaxRisk)
		}
		return c.printKey(line, id, "own key  ")
	}))
}

func (c *ctl) printKey(line, id, label string) error {
	if c.json {
		return c.printJSON(map[string]string{"id": id, "trust_line": line})
	}
	if line == "" {
		line = "none; try: tadactl key init NAME"
	}
	_, err := fmt.Fprintf(c.out, "%s%s\n", label, line)
	return err
}
