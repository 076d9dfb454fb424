// Command tadactl is the command for people: it shows, decides, replays and verifies.
package main

import (
	"os"

	"github.com/tada-run/tada-run/cmd/tadactl/cli"
	"github.com/tada-run/tada-run/launcher/sandbox/attack"
)

func main() {
	if code, mine := attack.Main(os.Args); mine { // started by doctor --attack, inside a sandbox
		os.Exit(code)
	}
	os.Exit(cli.Main(os.Args))
}
