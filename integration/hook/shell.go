package hook

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// IsShell reports whether the shell of a platform is the tada-run beside this program under another
// name. The shell is the first of these variables that is set. Some platforms silently use another
// shell unless its path contains one of words; nil means any path.
func IsShell(env, words []string, names ...string) bool {
	runner, err := RunnerPath()
	if err != nil {
		return false
	}
	want, err := os.Stat(runner)
	if err != nil {
		return false
	}
	for _, name := range names {
		if value := valueOf(env, name); value != "" {
			have, err := os.Stat(value)
			taken := words == nil ||
				slices.ContainsFunc(words,
					func(w string) bool { return strings.Contains(value, w) })
			return err == nil && taken && os.SameFile(have, want)
		}
	}
	return false
}

// IsFirstInPath reports whether the first program of that name in PATH is tada-run.
func IsFirstInPath(env []string, name string) bool {
	for _, dir := range filepath.SplitList(valueOf(env, "PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); filepath.IsAbs(dir) && err == nil &&
			info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return IsShell([]string{"SHELL=" + path}, nil, "SHELL")
		}
	}
	return false
}

// valueOf returns the value of a variable in env, or "".
func valueOf(env []string, name string) string {
	for _, kv := range env {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}

// RunnerPath returns the path of tada-run: beside this program, whatever name this was called by.
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
