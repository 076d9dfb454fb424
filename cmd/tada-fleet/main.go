// Command tada-fleet connects machines: tadactl fleet starts it. Only machines that are in a fleet
// need it.
package main

import (
	"os"

	"github.com/tada-run/tada-run/cmd/tada-fleet/cli"
)

func main() { os.Exit(cli.Main(os.Args)) }
