package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse"
)

// A Call is what the shell would be given: the text, and how it is called.
type Call struct {
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

// Simple is the simple command that the shell was called for, nil when it is a text. A script
// file is run under its own name, because scripts look for their neighbours by it; what it
// says is judged as that of any other file that a command line executes.
func (c Call) Simple(shell string) []string {
	if c.Words != nil || c.Script == "" {
		return c.Words
	}
	return slices.Concat([]string{shell}, c.Flags, []string{"--", c.Script}, c.Args)
}

// Argv is how the real shell is called with these options to execute the text.
func (c Call) Argv(shell string, options []string, text string) []string {
	argv := append([]string{shell}, options...)
	if c.Stdin {
		if filepath.Base(c.Name) == filepath.Base(shell) {
			argv[0] = c.Name // what its messages begin with
		}
		return append(append(argv, "-s", "--"), c.Args...)
	}
	return append(append(argv, "-c", "--", text, c.Name), c.Args...)
}

// Apart divides the canonical text into the shell's options, as the caller gave them, and the text
// that the shell is to read: with the lines that set the options in it, which are part of what was
// judged, the shell's line numbers would be wrong.
func (c Call) Apart(canonical string) (options []string, text string) {
	rest, ok := strings.CutPrefix(canonical, c.Settings())
	if !ok {
		return nil, canonical
	}
	for _, long := range []bool{true, false} { // bash wants these first
		for _, f := range c.Flags {
			if strings.HasPrefix(f, "--") == long {
				options = append(options, f)
			}
		}
	}
	return options, rest
}

// Plain is how a shell without us would be called for the same: argv[0] is its name.
func (c Call) Plain() []string {
	argv := append([]string{"bash"}, c.Flags...)
	switch {
	case c.Words != nil:
		argv = append(append(argv, "-c", `exec "$@"`, "tada-run"), c.Words...)
	case c.Script != "":
		argv = append(append(argv, "--", c.Script), c.Args...)
	case c.Stdin:
		argv = append(append(argv, "-s", "--"), c.Args...)
	default:
		argv = append(append(argv, "-c", "--", c.Text, c.Name), c.Args...)
	}
	return argv
}

// Settings are the shell's options as commands of the script itself. They change what the text
// means, so they have to be judged with it, and shown.
func (c Call) Settings() string {
	var b strings.Builder
	for i := 0; i < len(c.Flags); i++ {
		flag := c.Flags[i]
		named := strings.HasSuffix(flag, "o") || strings.HasSuffix(flag, "O")
		switch {
		case named && i+1 < len(c.Flags) && strings.HasSuffix(flag, "O"):
			i++
			b.WriteString(map[byte]string{'-': "shopt -s ",
				'+': "shopt -u "}[flag[0]] + Quote(c.Flags[i:i+1]) + "\n")
		case named && i+1 < len(c.Flags):
			i++
			b.WriteString("set " + flag + " " + Quote(c.Flags[i:i+1]) + "\n")
		case flag == "--posix":
			b.WriteString("set -o posix\n")
		default:
			b.WriteString("set " + flag + "\n")
		}
	}
	return b.String()
}

// Quote writes words as a command line in which every character is literal. Quotes are left out
// where they are not needed, because a person has to read the line; the first word then has to be a
// path, since any other could be a keyword or an alias.
func Quote(words []string) string {
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

// IsWord reports whether a name reads as one word of plain characters.
func IsWord(name string) bool { return name != "" && strings.Trim(name, plainBytes) == "" }
