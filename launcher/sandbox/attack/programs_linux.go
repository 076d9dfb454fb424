//go:build amd64 || arm64

package attack

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// programs are attacks by what is executed: it runs behind the same sandbox, wherever its code
// comes from.
var programs = []Attack{
	{Name: "execute from memory by descriptor", try: func(w World) error {
		fd, err := copyOfSelf()
		if err != nil {
			return err
		}
		return descend(descriptorName(fd))
	}},
	{Name: "loader on a file that is not executable", try: func(w World) error {
		loader := "/lib64/ld-linux-x86-64.so.2"
		if runtime.GOARCH == "arm64" {
			loader = "/lib/ld-linux-aarch64.so.1"
		}
		out, err := exec.Command(loader, "/bin/cat", w.Secret).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%v: %s", err, out)
		}
		return nil
	}},
	{Name: "interpreter", try: func(w World) error {
		out, err := exec.Command("/bin/sh", "-c",
			`while read -r x || [ "$x" ]; do echo "$x"; done < "$0"`, w.Secret).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "secret") {
			return fmt.Errorf("%v: %s", err, out)
		}
		return nil
	}},
	{Name: "script in the workspace", try: func(w World) error {
		name := w.Workspace + "/script"
		if err := os.WriteFile(name, []byte("#!/bin/cat "+w.Secret+"\n"), 0o700); err != nil {
			return err
		}
		out, err := exec.Command(name).CombinedOutput()
		if !strings.HasPrefix(string(out), "secret") {
			// the script itself, which cat prints too, says nothing
			why, _, _ := strings.Cut(string(out), "\n")
			return fmt.Errorf("%v: %s", err, why)
		}
		return nil
	}},
}

// copyOfSelf returns a file in memory that holds this program.
func copyOfSelf() (int, error) {
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return -1, err
	}
	fd, err := unix.MemfdCreate("x", 0)
	if err != nil {
		return -1, err
	}
	for len(self) > 0 {
		n, err := unix.Write(fd, self)
		if err != nil {
			return -1, err
		}
		self = self[n:]
	}
	return fd, nil
}

// descend has another copy of the attacker read the secret.
func descend(program string) error {
	cmd := exec.Command(program)
	cmd.Args = []string{argv0, "read hidden file"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%v: %s", err, out)
	}
	return nil
}
