package cli

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/cmd/tada-fleet/verbs"
	"github.com/tada-run/tada-run/launcher/exit"
)

// fleetProgram does the verbs of a fleet, so that this program links no client of etcd.
const fleetProgram = "tada-fleet"

// fleet has the verbs of a fleet. Each replaces this process by tada-fleet with the words of argv.
func (c *ctl) fleet(argv []string) *cobra.Command {
	cmd := &cobra.Command{Use: "fleet"}
	cmd.AddCommand(verbs.All(new(verbs.Options), func(string, *cobra.Command, []string) error {
		path, err := fleetPath()
		if err != nil {
			return failf(exit.Failed, "%q is not installed beside tadactl: it is a package "+
				"of its own, for machines that are in a fleet", fleetProgram)
		}
		words := slices.Clone(argv)
		// if it is also the value of an option before the verb, the rest is the same
		if i := slices.Index(words, cmd.Name()); i > 0 {
			words = slices.Delete(words, i, i+1)
		}
		return unix.Exec(path, append([]string{fleetProgram}, words[1:]...), os.Environ())
	})...)
	var each func(*cobra.Command)
	each = func(cmd *cobra.Command) {
		verb(cmd)
		for _, below := range cmd.Commands() {
			each(below)
		}
	}
	each(cmd)
	return cmd
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
