// Command fence starts one bash line in the sandbox and does nothing else: a start without judging
// and recording. It is the lower limit for tada-run in the comparison with its peers.
package main

import (
	"fmt"
	"os"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

func main() {
	level, dir := map[string]sandbox.Level{"base": sandbox.Base,
		"strong": sandbox.Strong}[os.Args[1]], os.Args[2]
	p := sandbox.Default(dir, "")
	p.Require, p.Most = level, level
	process, _, err := sandbox.Start(p, sandbox.Command{
		Path:  "/bin/bash",
		Argv:  []string{"bash", "-c", os.Args[3]},
		Env:   os.Environ(),
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(125)
	}
	status, err := process.Wait()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(125)
	}
	os.Exit(status.Shell())
}
