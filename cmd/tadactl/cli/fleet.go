package cli

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/exit"
)

// fleetProgram is the program of the verbs of a fleet, so that the others link no client of etcd.
const fleetProgram = "tada-fleet"

// fleet replaces this process by tada-fleet, with the same words.
func (c *ctl) fleet() *cobra.Command {
	return &cobra.Command{
		Use:                "fleet VERB ...",
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, words []string) error {
			path, err := fleetPath()
			if err != nil {
				return failf(exit.Failed, "%q is not installed beside tadactl: it is a package "+
					"of its own, for machines that are in a fleet", fleetProgram)
			}
			argv := []string{path}
			if c.place.State != "" {
				argv = append(argv, "--home", c.place.State)
			}
			return unix.Exec(path, append(argv, words...), os.Environ())
		},
	}
}

// fleetPath finds the program beside this one, or in PATH.
func fleetPath() (string, error) {
	self, err := os.Executable()
	if err == nil {
		beside := filepath.Join(filepath.Dir(self), fleetProgram)
		if _, err := os.Stat(beside); !errors.Is(err, fs.ErrNotExist) {
			return beside, err
		}
	}
	return exec.LookPath(fleetProgram)
}
