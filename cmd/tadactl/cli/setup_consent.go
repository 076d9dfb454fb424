package cli

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/exit"
)

// setupFlags are the options of setup.
type setupFlags struct {
	agents    []string
	plan      string // the digest that was shown
	show, off bool
}

// consent asks the person once, or compares what was shown before.
func (c *ctl) consent(o setupFlags, changes []*setupFile) error {
	switch digest := digestOf(changes); {
	case len(changes) == 0:
		return nil
	case o.plan != "" && o.plan != digest:
		return failf(exit.Pending, "--plan %s is not what would be done now, so nothing was "+
			"changed; look at it again: --dry-run", inert(o.plan))
	case o.plan != "":
		return nil
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return failf(exit.Pending, "open the terminal: %w; nothing was changed", err)
	}
	defer tty.Close()
	fmt.Fprintf(tty, "\n%s to change. Do this? y/n: ", audit.Plural(len(changes), "file"))
	line, _ := bufio.NewReader(tty).ReadString('\n')
	if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
		return failf(exit.Pending, "not confirmed; nothing was changed")
	}
	return nil
}
