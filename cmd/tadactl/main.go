// Command tadactl is the person's door: it shows, decides, replays and verifies.
package main

import (
	"os"

	"github.com/tada-run/tada-run/cmd/tadactl/cli"
)

func main() { os.Exit(cli.Main(os.Args)) }
