// It lives for one command, so it does not watch whether the limits of its container change.

//go:debug updatemaxprocs=0

// Command tada-run is the agent's door: it checks, contains and records one command line.
package main

import (
	"os"

	"github.com/tada-run/tada-run/cmd/tada-run/cli"
)

func main() {
	os.Exit(cli.Main(os.Args))
}
