// Command whole is tada-run for an account that has no home and can get none, whatever user runs
// the tests.
package main

import (
	"os"

	"github.com/tada-run/tada-run/cmd/tada-run/cli"
	"github.com/tada-run/tada-run/launcher"
)

func main() {
	os.Exit(cli.Run(cli.Door{Argv: os.Args, Place: launcher.Place{Account: "/proc/no-account"}}))
}
