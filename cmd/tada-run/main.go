// The process lives for one command, so it does not watch for changes of its container's limits.

//go:debug updatemaxprocs=0

// Command tada-run is the command for agents: it checks, sandboxes and records one command line.
package main

import (
	"os"

	"github.com/tada-run/tada-run/cmd/tada-run/cli"
)

func main() {
	os.Exit(cli.Main(os.Args))
}
