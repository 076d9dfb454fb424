package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse"
)

// Paths says where the real shell of a dialect lives. PATH is not asked: a client that wants
// its commands wrapped puts a link to tada-run there, under the shell's own name.
var Paths = map[shellparse.Dialect][]string{
	shellparse.Bash: {"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash",
		"/run/current-system/sw/bin/bash"},
	shellparse.POSIX: {"/bin/sh", "/usr/bin/sh", "/run/current-system/sw/bin/sh"},
	shellparse.Zsh:   {"/bin/zsh", "/usr/bin/zsh", "/usr/local/bin/zsh"},
}

var errNoShell = errors.New("the shell is not installed")

// Real returns the first path of the dialect's shell that is not this very program: a
// link named bash that leads here would start itself for ever.
func Real(d shellparse.Dialect) (string, error) {
	self := program()
	for _, path := range Paths[d] {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && self != nil && os.SameFile(info, self) {
			continue
		}
		if err != nil {
			return "", err
		}
		return path, nil
	}
	return "", fmt.Errorf("%w: none of %q", errNoShell, Paths[d])
}

// Name is the name of bash in its messages and in $0 if a command came with -c and without a
// name: an agent whose hook sent the command through tada-run sees the same as without the hook.
func Name() string {
	if path, err := Real(shellparse.Bash); err == nil {
		return path
	}
	return "bash"
}

// program is the running program.
var program = sync.OnceValue(func() os.FileInfo {
	info, _ := os.Stat("/proc/self/exe")
	return info
})

// Self is the inode of the running program.
func Self() (id pathguard.ID) {
	if info := program(); info != nil {
		st := info.Sys().(*syscall.Stat_t)
		id = pathguard.ID{Dev: uint64(st.Dev), Ino: st.Ino}
	}
	return id
}

// WithReal is an environment in which SHELL is a shell that exists in a sandbox too. A client
// that was given a link in the state directory passes that link to its commands, and a program that
// starts $SHELL would find nothing there.
func WithReal(env []string) []string {
	i := slices.IndexFunc(env, func(kv string) bool { return strings.HasPrefix(kv, "SHELL=/") })
	if i < 0 {
		return env
	}
	link := strings.TrimPrefix(env[i], "SHELL=")
	if !leadsHere(link) {
		return env
	}
	real, err := Real(DialectOf(filepath.Base(link)))
	if err != nil {
		return env
	}
	env = slices.Clone(env)
	env[i] = "SHELL=" + real
	return env
}

// IsDefault reports whether SHELL names the running program.
func IsDefault() bool { return leadsHere(os.Getenv("SHELL")) }

// leadsHere reports whether a path is one of the running program.
func leadsHere(path string) bool {
	have, err := os.Stat(path)
	self := program()
	return err == nil && self != nil && os.SameFile(have, self)
}

// WithoutLinks is an environment in which PATH has none of the folders: a client that finds
// tada-run there under the name bash passes the PATH on, and a command that starts bash means the
// real one. The sandbox hides these folders.
func WithoutLinks(env []string, folders ...string) []string {
	i := slices.IndexFunc(env, func(kv string) bool { return strings.HasPrefix(kv, "PATH=") })
	if i < 0 {
		return env
	}
	var kept []string
	for _, dir := range strings.Split(strings.TrimPrefix(env[i], "PATH="), ":") {
		if dir == "" || !slices.Contains(folders, filepath.Clean(dir)) {
			kept = append(kept, dir)
		}
	}
	if path := "PATH=" + strings.Join(kept, ":"); path != env[i] {
		env = slices.Clone(env)
		env[i] = path
	}
	return env
}

// DialectOf is the grammar of a shell by the name that it was called by. A name that is no
// shell's is bash, because that is what tada-run runs.
func DialectOf(name string) shellparse.Dialect {
	switch name {
	case "sh", "dash", "ash":
		return shellparse.POSIX
	case "zsh":
		return shellparse.Zsh
	}
	return shellparse.Bash
}

// Is reports whether a path is a shell that a plan can have: one of the system, or this
// program under its name.
func Is(name string) bool {
	return filepath.IsAbs(name) && (IsSelf(name) ||
		isOneOf(name, Paths[DialectOf(path.Base(name))]...))
}

// IsSelf reports whether a path is this program, or tada-run where it is asked from beside.
func IsSelf(name string) bool {
	exe, err := os.Executable()
	return err == nil && isOneOf(name, "/proc/self/exe",
		filepath.Join(filepath.Dir(exe), "tada-run"))
}

// isOneOf reports whether a path is the same file as one of a list.
func isOneOf(name string, list ...string) bool {
	have, err := os.Stat(name)
	return err == nil && slices.ContainsFunc(list, func(path string) bool {
		other, err := os.Stat(path)
		return err == nil && os.SameFile(have, other)
	})
}
