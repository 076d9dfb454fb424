package cli

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/console"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
)

// console serves questions and runs to a browser.
func (c *ctl) console() *cobra.Command {
	var address console.Address
	cmd := verb("console", cobra.NoArgs, c.outside(approval.ApproveLow, func(l *launcher.Launcher,
		cmd *cobra.Command, _ []string) error {
		if _, err := l.May(approval.ApproveLow, approval.ChannelWeb); err != nil {
			return err
		}
		return c.serveConsole(cmd.Context(), l, "console", address)
	}))
	flags := cmd.Flags()
	flags.StringVar(&address.Listen, "listen", "", "")
	flags.StringVar(&address.Cert, "cert", "", "")
	flags.StringVar(&address.Key, "key", "", "")
	flags.StringVar(&address.URL, "url", "", "")
	return cmd
}

// serveConsole serves the pages of package console to a browser. It prints only to the terminal: a
// code in a pipe or a file would be useless.
func (c *ctl) serveConsole(ctx context.Context, l *launcher.Launcher, what string,
	address console.Address) error {
	tty, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0)
	if err != nil {
		return failf(exit.Usage, "no terminal to show the codes on; try: tadactl pending")
	}
	defer tty.Close()
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP,
		syscall.SIGQUIT)
	defer stop()
	s, err := console.Listen(l, address, rand.Reader, time.Now,
		func(line string) { fmt.Fprintln(tty, line) })
	if err != nil {
		return err
	}
	fmt.Fprintf(tty,
		"The %s runs until you press Ctrl-C. This link lets one browser in:\n%s\n"+
			"To approve there, type the code of the question, shown here:\n", what, s.URL())
	return s.Serve(ctx)
}
