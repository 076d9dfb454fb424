package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pborman/getopt/v2"

	"github.com/tada-run/tada-run/launcher/shell"
)

// parseArgs reads argv. Its first word is the name by which the program was called.
func parseArgs(argv []string) (*invocation, error) {
	called := "tada-run"
	if len(argv) > 0 {
		called = strings.TrimPrefix(filepath.Base(argv[0]), "-")
	}
	if called == "tada-run" {
		return parseOwn(argv)
	}
	inv := &invocation{shell: true, called: called, login: strings.HasPrefix(argv[0], "-")}
	given, err := inv.read(inv.options(false), argv)
	if err != nil {
		return nil, err
	}
	return inv, inv.shellOperands(argv[0], given.command, given.operands)
}

// parseOwn reads the command line of a program called tada-run: its own flags and those of
// a shell may be mixed, up to the first operand.
func parseOwn(argv []string) (*invocation, error) {
	inv := &invocation{called: "tada-run"}
	if len(argv) == 0 {
		argv = []string{"tada-run"}
	}
	inv.login = strings.HasPrefix(argv[0], "-")
	given, err := inv.read(inv.options(true), argv)
	command, operands := given.command, given.operands
	switch {
	case err != nil:
		return nil, err
	case inv.help || inv.version:
		return inv, nil
	case inv.background && inv.check:
		return nil, &usageError{"--background and --check cannot be combined",
			"tada-run --check 'COMMAND'"}
	case inv.json && !inv.check:
		return nil, &usageError{"--json needs --check", "tada-run --check --json 'ls'"}
	case inv.line != nil:
		return inv, nil
	case inv.session:
		return inv, inv.sessionOperands(given.dashed, command, operands)
	case given.dashed && !command:
		inv.words, inv.name = operands, "tada-run"
		if len(operands) == 0 {
			return nil, &usageError{"no command after --", "tada-run -- ls -l"}
		}
		return inv, nil
	case inv.intent != "" && !command && !inv.stdin && len(operands) == 0:
		inv.batch, inv.name = true, "tada-run"
		if inv.background || inv.pty != "auto" {
			return nil, &usageError{"the commands of an intent run one after the other, and have " +
				"no terminal", "tada-run --intent " + shellWordsOf([]string{inv.intent})}
		}
		return inv, nil
	case command || inv.stdin || inv.login || len(inv.shellFlags) > 0 || len(operands) == 0:
		inv.shell = true
		return inv, inv.shellOperands(shell.Name(), command, operands)
	case len(operands) > 1:
		return nil, severalOperands(operands)
	}
	inv.text, inv.name = &operands[0], "tada-run"
	return inv, nil
}

// severalOperands says what to type for a command that came in several words. A program that
// appends words to a setting, as git does to core.editor, sends such a line too.
func severalOperands(operands []string) error {
	program, rest := operands[0], shellWordsOf(operands[1:])
	err := &usageError{msg: fmt.Sprintf("expected one quoted command line, got %d arguments",
		len(operands))}
	if plain := shellWordsOf(operands[:1]); plain == program {
		err.hint = fmt.Sprintf("tada-run -- %s %s", program, rest)
		if !strings.Contains(rest, "'") {
			err.hint += fmt.Sprintf(", or with shell syntax: tada-run '%s %s'", program, rest)
		}
		return err
	}
	err.hint = fmt.Sprintf(`tada-run -c %s tada-run %s`, shellWordsOf([]string{program + ` "$@"`}),
		rest)
	return err
}

// shellWordsOf writes words as a shell reads them, quoted where necessary.
func shellWordsOf(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if quoted[i] = w; w == "" || strings.ContainsFunc(w, func(r rune) bool {
			return r > '~' || r <= ' ' || strings.ContainsRune("|&;<>()$`\\\"'*?[]#~!{}^", r)
		}) {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// sessionOperands takes the program of a session: the words after --, or a shell.
func (inv *invocation) sessionOperands(dashed, command bool, operands []string) error {
	switch {
	case inv.check && len(operands) == 0:
		return &usageError{"--session and --check cannot be combined without a program",
			"tada-run --session --check -- claude"}
	case command || inv.stdin || len(inv.shellFlags) > 0:
		return &usageError{"--session takes no shell options",
			"tada-run --session -- bash -c 'COMMAND'"}
	case !dashed && len(operands) > 0:
		return &usageError{
			fmt.Sprintf("put the program of a session after --: %q is before it", operands[0]),
			"tada-run --session -- " + strings.Join(operands, " "),
		}
	case dashed && len(operands) == 0:
		return &usageError{"no command after --",
			"tada-run --session, or tada-run --session -- claude"}
	}
	inv.words, inv.name = operands, "tada-run"
	inv.batch = inv.intent != "" && !dashed // steps that build on each other
	return nil
}

// given is what is left of a command line after its options.
type given struct {
	command  bool // -c is among the options
	dashed   bool // the operands come after --
	operands []string
}

// read reads argv up to the first operand. Unlike getopt, a shell takes +o NAME and +x among the
// options, and options after -c: one client sends `sh -c -l TEXT`.
func (inv *invocation) read(options []option, argv []string) (given, error) {
	set := declare(options, argv)
	var g given
	for {
		// In their order: a later option undoes an earlier one.
		err := set.Getopt(argv, func(o getopt.Option) bool {
			inv.shellFlags = append(inv.shellFlags, forShell(o)...)
			return true
		})
		if err != nil {
			return given{}, flagError(err)
		}
		g.operands, g.dashed = set.Args(), set.State() == getopt.DashDash
		if len(argv) == 1 {
			g.operands = nil
		}
		if len(g.operands) == 0 || g.dashed || len(g.operands[0]) < 2 || g.operands[0][0] != '+' {
			break
		}
		used := 1
		if strings.HasSuffix(g.operands[0], "o") || strings.HasSuffix(g.operands[0], "O") {
			if len(g.operands) < 2 {
				return given{}, &usageError{fmt.Sprintf("%q needs the name of an option",
					g.operands[0]), ""}
			}
			used = 2
		}
		inv.shellFlags = append(inv.shellFlags, g.operands[:used]...)
		argv = g.operands[used-1:] // Getopt takes the first word for the name of the program
	}
	if set.State() == getopt.Dash {
		g.operands = g.operands[1:] // an old way to end the options
	}
	g.command = set.IsSet("command")
	if inv.prompts = set.IsSet("interactive") && !g.command; inv.prompts && len(g.operands) > 0 {
		return given{}, errInteractive
	}
	return g, nil
}

var errInteractive = &usageError{"an interactive shell needs a terminal as its input and output",
	"tada-run 'COMMAND', or in a terminal: tada-run --session"}

// forShell returns the words that pass o on to the real shell: none for the options that are
// handled here, and none for start-up files, because their text is not judged.
func forShell(o getopt.Option) []string {
	switch name := o.LongName(); {
	case name == "":
		return []string{"-" + o.ShortName()}
	case name == "option" || name == "shopt":
		return []string{"-" + o.ShortName(), o.String()}
	case name == "posix":
		return []string{"--posix"}
	}
	return nil
}

// shellOperands sorts the operands as bash(1) does: the text after -c, then $0 and the arguments;
// with -s only arguments; else a script file; else the script is standard input.
func (inv *invocation) shellOperands(argv0 string, command bool, operands []string) error {
	inv.name = strings.TrimPrefix(argv0, "-")
	switch {
	case inv.help || inv.version:
	case command && len(operands) == 0:
		return &usageError{"-c needs a command line", "tada-run -c 'ls -l'"}
	case command:
		inv.text = &operands[0]
		if operands = operands[1:]; len(operands) > 0 {
			inv.name, inv.args = operands[0], operands[1:]
		}
	case inv.stdin || len(operands) == 0:
		inv.stdin, inv.args = true, operands
	default:
		inv.script, inv.name, inv.args = operands[0], operands[0], operands[1:]
	}
	return nil
}

// flagError adds what to type to getopt's message; for --force it says what to do instead.
func flagError(err error) error {
	if set := new(getopt.Error); errors.As(err, &set) {
		if usage, ours := set.Err.(*usageError); ours {
			return usage
		}
	}
	msg := err.Error()
	if strings.Contains(msg, "--force") {
		return &usageError{msg + ": a denial cannot be overridden",
			"tadactl tamper accept, or tadactl pending"}
	}
	return &usageError{msg, "tada-run --help"}
}
