package launcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse"
)

// shells says where the real shell of a dialect lives. PATH is not asked: a client that wants
// its commands wrapped puts a link to tada-run there, under the shell's own name.
var shells = map[shellparse.Dialect][]string{
	shellparse.Bash: {"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash",
		"/run/current-system/sw/bin/bash"},
	shellparse.POSIX: {"/bin/sh", "/usr/bin/sh", "/run/current-system/sw/bin/sh"},
	shellparse.Zsh:   {"/bin/zsh", "/usr/bin/zsh", "/usr/local/bin/zsh"},
}

var errNoShell = errors.New("the shell is not installed")

// realShell returns the first path of the dialect's shell that is not this very program: a
// link named bash that leads here would start itself for ever.
func realShell(d shellparse.Dialect) (string, error) {
	self := program()
	for _, path := range shells[d] {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && self != nil && os.SameFile(info, self) {
			continue
		}
		if err != nil {
			return "", err
		}
		return path, nil
	}
	return "", fmt.Errorf("%w: none of %q", errNoShell, shells[d])
}

// ShellName is the name of bash in its messages and in $0 if a command came with -c and without a
// name: an agent whose hook sent the command through tada-run sees the same as without the hook.
func ShellName() string {
	if path, err := realShell(shellparse.Bash); err == nil {
		return path
	}
	return "bash"
}

// program is the running program.
var program = sync.OnceValue(func() os.FileInfo {
	info, _ := os.Stat("/proc/self/exe")
	return info
})

// self is the inode of the running program.
func self() (id pathguard.ID) {
	if info := program(); info != nil {
		st := info.Sys().(*syscall.Stat_t)
		id = pathguard.ID{Dev: uint64(st.Dev), Ino: st.Ino}
	}
	return id
}

// realShells is an environment in which SHELL is a shell that exists in a sandbox too. A client
// that was given a link in the state directory passes that link to its commands, and a program that
// starts $SHELL would find nothing there.
func realShells(env []string) []string {
	i := slices.IndexFunc(env, func(kv string) bool { return strings.HasPrefix(kv, "SHELL=/") })
	if i < 0 {
		return env
	}
	link := strings.TrimPrefix(env[i], "SHELL=")
	if !leadsHere(link) {
		return env
	}
	real, err := realShell(DialectOf(filepath.Base(link)))
	if err != nil {
		return env
	}
	env = slices.Clone(env)
	env[i] = "SHELL=" + real
	return env
}

// IsShell reports whether SHELL names the running program.
func IsShell() bool { return leadsHere(os.Getenv("SHELL")) }

// leadsHere reports whether a path is one of the running program.
func leadsHere(path string) bool {
	have, err := os.Stat(path)
	self := program()
	return err == nil && self != nil && os.SameFile(have, self)
}

// withoutLinks is an environment in which PATH has none of the folders: a client that finds
// tada-run there under the name bash passes the PATH on, and a command that starts bash means the
// real one. The sandbox hides these folders.
func withoutLinks(env []string, folders ...string) []string {
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

// words are the simple command that the shell was called for, nil when it is a text. A script
// file is run under its own name, because scripts look for their neighbours by it; what it
// says is judged as that of any other file that a command line executes.
func (s Shell) words(shell string) []string {
	if s.Words != nil || s.Script == "" {
		return s.Words
	}
	return slices.Concat([]string{shell}, s.Flags, []string{"--", s.Script}, s.Args)
}

// argv is how the real shell is called with these options to execute the text.
func (s Shell) argv(shell string, options []string, text string) []string {
	argv := append([]string{shell}, options...)
	if s.Stdin {
		if filepath.Base(s.Name) == filepath.Base(shell) {
			argv[0] = s.Name // what its messages begin with
		}
		return append(append(argv, "-s", "--"), s.Args...)
	}
	return append(append(argv, "-c", "--", text, s.Name), s.Args...)
}

// apart divides the canonical text into the shell's options, as the caller gave them, and the text
// that the shell is to read: with the lines that set the options in it, which are part of what was
// judged, the shell's line numbers would be wrong.
func (s Shell) apart(canonical string) (options []string, text string) {
	rest, ok := strings.CutPrefix(canonical, s.settings())
	if !ok {
		return nil, canonical
	}
	for _, long := range []bool{true, false} { // bash wants these first
		for _, f := range s.Flags {
			if strings.HasPrefix(f, "--") == long {
				options = append(options, f)
			}
		}
	}
	return options, rest
}

// Plain is how a shell without us would be called for the same: argv[0] is its name.
func (s Shell) Plain() []string {
	argv := append([]string{"bash"}, s.Flags...)
	switch {
	case s.Words != nil:
		argv = append(append(argv, "-c", `exec "$@"`, "tada-run"), s.Words...)
	case s.Script != "":
		argv = append(append(argv, "--", s.Script), s.Args...)
	case s.Stdin:
		argv = append(append(argv, "-s", "--"), s.Args...)
	default:
		argv = append(append(argv, "-c", "--", s.Text, s.Name), s.Args...)
	}
	return argv
}

// settings are the shell's options as commands of the script itself. They change what the text
// means, so they have to be judged with it, and shown.
func (s Shell) settings() string {
	var b strings.Builder
	for i := 0; i < len(s.Flags); i++ {
		flag := s.Flags[i]
		named := strings.HasSuffix(flag, "o") || strings.HasSuffix(flag, "O")
		switch {
		case named && i+1 < len(s.Flags) && strings.HasSuffix(flag, "O"):
			i++
			b.WriteString(map[byte]string{'-': "shopt -s ",
				'+': "shopt -u "}[flag[0]] + quote(s.Flags[i:i+1]) + "\n")
		case named && i+1 < len(s.Flags):
			i++
			b.WriteString("set " + flag + " " + quote(s.Flags[i:i+1]) + "\n")
		case flag == "--posix":
			b.WriteString("set -o posix\n")
		default:
			b.WriteString("set " + flag + "\n")
		}
	}
	return b.String()
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

// quote writes words as a command line in which every character is literal. Quotes are left out
// where they are not needed, because a person has to read the line; the first word then has to be a
// path, since any other could be a keyword or an alias.
func quote(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if w == "" || strings.Trim(w, plainBytes) != "" || i == 0 && !strings.Contains(w, "/") {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

const plainBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+:,./-"

// A Shell is what the shell would be given: the text, and how it is called.
type Shell struct {
	Text    string             // the command line; "" with Words or Script
	Words   []string           // when not nil: one simple command, no shell at all
	Dialect shellparse.Dialect // the grammar, and so the shell
	Flags   []string           // -e, -u, -o pipefail, --norc: what the shell is started with
	Name    string             // $0
	Args    []string           // $1, $2, ...
	// a script file, by the name that it was called by; Args are its arguments
	Script string
	Stdin  bool // Text was read from standard input, up to its end
	Login  bool // it was called as a login shell
}
