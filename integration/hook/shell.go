package hook

import (
	"os"
	"path/filepath"
	"strings"
)

// IsShell reports whether a platform that takes its shell from the first of these variables that is set has been
// given tada-run under another name: the very program that stands beside this one.
func IsShell(env []string, names ...string) bool {
	runner, err := RunnerPath()
	if err != nil {
		return false
	}
	want, err := os.Stat(runner)
	if err != nil {
		return false
	}
	for _, name := range names {
		for _, kv := range env {
			if value, ok := strings.CutPrefix(kv, name+"="); ok && value != "" {
				have, err := os.Stat(value)
				return err == nil && os.SameFile(have, want)
			}
		}
	}
	return false
}

// RunnerPath is where tada-run is: beside this program, whatever name that was called by.
func RunnerPath() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	path := filepath.Join(filepath.Dir(self), "tada-run")
	if _, err := os.Stat(path); err != nil {
		return "", err
	}
	return path, nil
}
