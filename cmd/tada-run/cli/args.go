package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/tada-run/tada-run/approval"
)

// An invocation is the command line of tada-run, read but not yet judged.
type invocation struct {
	help, version bool
	check, json   bool
	background    bool    // start it and return
	line          *string // of the shell of a session, to be judged before that runs it
	entry         int     // of that shell's history, which the line is
	session       bool    // hold it: others can attach, and it outlives this terminal
	detached      bool    // be the launcher that stays with it

	publish []uint // ports on which other machines may reach the command

	agent, workItem, callID, intent, profile, origin, home, pty string
	timeout, wait                                               time.Duration

	batch      bool     // the commands of --intent
	shell      bool     // called as a shell: -c, -s, a script file, or by name
	text       *string  // the command line; nil when it has to be read from somewhere
	words      []string // after --: one command without shell syntax
	script     string   // a script file
	stdin      bool     // -s, or a shell without operands
	login      bool
	shellFlags []string // for the real shell, as they stood
	called     string   // the base name that the program was called by
	name       string   // $0
	args       []string // $1 ...
}

// A usageError is answered with exit status 2.
type usageError struct{ msg, hint string }

func (e *usageError) Error() string { return e.msg }

// shellLetters are the one-letter options that bash(1) and sh(1) take without an argument.
// Options -c, -l, -s and -i are read here; the others are passed on.
const shellLetters = "abefhkmnprtuvxBCEHPT"

// shellWords are the long options of bash(1) that take no argument.
var shellWords = []string{"norc", "noprofile", "posix", "noediting", "restricted", "verbose"}

// parseArgs reads argv, whose first word is the name that the program was called by.
func parseArgs(argv []string) (*invocation, error) {
	called := "tada-run"
	if len(argv) > 0 {
		called = strings.TrimPrefix(filepath.Base(argv[0]), "-")
	}
	if called == "tada-run" {
		return parseOwn(argv)
	}
	inv := &invocation{shell: true, called: called, login: strings.HasPrefix(argv[0], "-")}
	set := inv.flags(called, false)
	command, operands, err := inv.shellOptions(set, argv[1:])
	if err != nil {
		return nil, err
	}
	return inv, inv.shellOperands(argv[0], command, operands)
}

// parseOwn reads the command line of a program called tada-run: its own flags and those of
// a shell may be mixed, up to the first operand.
func parseOwn(argv []string) (*invocation, error) {
	inv := &invocation{called: "tada-run"}
	if len(argv) == 0 {
		argv = []string{"tada-run"}
	}
	inv.login = strings.HasPrefix(argv[0], "-")
	set := inv.flags("tada-run", true)
	command, operands, err := inv.shellOptions(set, argv[1:])
	switch {
	case err != nil:
		return nil, err
	case inv.help || inv.version:
		return inv, nil
	case inv.profile != "" && inv.profile != "ci":
		return nil, &usageError{fmt.Sprintf("there is no profile %q", inv.profile), "--profile ci"}
	case inv.origin != "" && approval.ParseLevel(inv.origin).String() != inv.origin:
		return nil, &usageError{fmt.Sprintf("there is no origin %q", inv.origin), "--origin quarantined"}
	case inv.timeout < 0 || inv.wait < 0:
		return nil, &usageError{"--timeout and --wait are not negative", "--timeout 90s"}
	case slices.ContainsFunc(inv.publish, func(port uint) bool { return port == 0 || port > 65535 }):
		return nil, &usageError{"--publish takes a port, 1 to 65535", "--publish 3000"}
	case inv.background && inv.check:
		return nil, &usageError{"--background runs it, --check does not", "tada-run --check 'COMMAND'"}
	case inv.json && !inv.check:
		return nil, &usageError{"--json goes with --check", "tada-run --check --json 'ls'"}
	case inv.line != nil:
		return inv, nil
	case inv.session:
		return inv, inv.sessionOperands(set.ArgsLenAtDash() == 0, command, operands)
	case set.ArgsLenAtDash() == 0 && !command:
		inv.words, inv.name = operands, "tada-run"
		if len(operands) == 0 {
			return nil, &usageError{"nothing to run after --", "tada-run -- ls -l"}
		}
		return inv, nil
	case inv.intent != "" && !command && !inv.stdin && len(operands) == 0:
		inv.batch, inv.name = true, "tada-run"
		if inv.background || inv.pty != "auto" {
			return nil, &usageError{"the commands of an intent run one after the other, and have no terminal", "tada-run --intent FILE"}
		}
		return inv, nil
	case command || inv.stdin || inv.login || len(inv.shellFlags) > 0 || len(operands) == 0:
		inv.shell = true
		return inv, inv.shellOperands(argv[0], command, operands)
	case len(operands) > 1:
		return nil, &usageError{
			fmt.Sprintf("the command line is one word, and %d came", len(operands)),
			fmt.Sprintf("tada-run '%s', or tada-run -- %s", strings.Join(operands, " "), strings.Join(operands, " ")),
		}
	}
	inv.text, inv.name = &operands[0], "tada-run"
	return inv, nil
}

// sessionOperands takes the program of a session: the words behind --, or a shell.
func (inv *invocation) sessionOperands(dashed, command bool, operands []string) error {
	switch {
	case inv.check:
		return &usageError{"--session runs a program, --check does not", "tada-run --check -- PROGRAM"}
	case command || inv.stdin || len(inv.shellFlags) > 0:
		return &usageError{"a session takes no options of a shell", "tada-run --session -- bash -c 'COMMAND'"}
	case !dashed && len(operands) > 0:
		return &usageError{
			fmt.Sprintf("the program of a session stands behind --, and %q does not", operands[0]),
			"tada-run --session -- " + strings.Join(operands, " "),
		}
	case dashed && len(operands) == 0:
		return &usageError{"nothing to run after --", "tada-run --session, or tada-run --session -- claude"}
	}
	inv.words, inv.name = operands, "tada-run"
	inv.batch = inv.intent != "" && !dashed // steps that build on each other
	return nil
}

// flags declares the options. With own, those of tada-run are among them.
func (inv *invocation) flags(name string, own bool) *pflag.FlagSet {
	set := pflag.NewFlagSet(name, pflag.ContinueOnError)
	set.SetInterspersed(false)
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	set.BoolP("command", "c", false, "")
	set.BoolVarP(&inv.login, "login", "l", inv.login, "")
	set.BoolVarP(&inv.stdin, "stdin", "s", false, "")
	set.BoolP("interactive", "i", false, "")
	set.StringArrayP("option", "o", nil, "")
	set.StringArrayP("shopt", "O", nil, "")
	set.String("rcfile", "", "")
	set.String("init-file", "", "")
	for _, letter := range shellLetters {
		set.BoolP("letter-"+string(letter), string(letter), false, "")
	}
	for _, word := range shellWords {
		set.Bool(word, false, "")
	}
	set.BoolVar(&inv.version, "version", false, "")
	set.BoolVar(&inv.help, "help", false, "")
	if own {
		set.BoolVar(&inv.check, "check", false, "")
		set.BoolVar(&inv.json, "json", false, "")
		set.BoolVar(&inv.background, "background", false, "")
		set.IntVar(&inv.entry, "entry", 0, "")
		set.Func("line", "", func(text string) error { inv.line = &text; return nil })
		set.BoolVar(&inv.session, "session", false, "")
		set.BoolVar(&inv.detached, "detached", false, "")
		set.StringVar(&inv.agent, "agent", "", "")
		set.StringVar(&inv.workItem, "work-item", "", "")
		set.StringVar(&inv.callID, "call-id", "", "")
		set.StringVar(&inv.intent, "intent", "", "")
		set.StringVar(&inv.profile, "profile", "", "")
		set.StringVar(&inv.origin, "origin", "", "")
		set.StringVar(&inv.home, "home", "", "")
		set.StringVar(&inv.pty, "pty", "auto", "")
		set.UintSliceVar(&inv.publish, "publish", nil, "")
		set.DurationVar(&inv.timeout, "timeout", 0, "")
		set.DurationVar(&inv.wait, "wait", 0, "")
	}
	return set
}

// shellOptions reads options up to the first operand. Unlike getopt, a shell takes +o NAME
// and +x among them, and options after -c: `sh -c -l TEXT` is what one client sends.
func (inv *invocation) shellOptions(set *pflag.FlagSet, args []string) (command bool, operands []string, err error) {
	for {
		// In their order: a later option undoes an earlier one.
		err := set.ParseAll(args, func(f *pflag.Flag, value string) error {
			inv.shellFlags = append(inv.shellFlags, forShell(f, value)...)
			return set.Set(f.Name, value)
		})
		if err != nil {
			return false, nil, flagError(err)
		}
		operands = set.Args()
		if len(operands) == 0 || set.ArgsLenAtDash() >= 0 || len(operands[0]) < 2 || operands[0][0] != '+' {
			break
		}
		used := 1
		if strings.HasSuffix(operands[0], "o") || strings.HasSuffix(operands[0], "O") {
			if len(operands) < 2 {
				return false, nil, &usageError{fmt.Sprintf("%q wants the name of an option", operands[0]), ""}
			}
			used = 2
		}
		inv.shellFlags = append(inv.shellFlags, operands[:used]...)
		args = operands[used:]
	}
	if len(operands) > 0 && operands[0] == "-" && set.ArgsLenAtDash() < 0 {
		operands = operands[1:] // an old way to end the options
	}
	command, _ = set.GetBool("command")
	if interactive, _ := set.GetBool("interactive"); interactive && !command {
		return false, nil, errInteractive
	}
	return command, operands, nil
}

var errInteractive = &usageError{"an interactive shell is not offered here: each command line is judged by itself", "tada-run 'COMMAND'; a shell that judges each line: tada-run --session"}

// forShell gives back the words that hand f on to the real shell, none for the options that
// are acted on here. Start-up files are read by nobody: their text is not judged.
func forShell(f *pflag.Flag, value string) []string {
	switch {
	case strings.HasPrefix(f.Name, "letter-"):
		return []string{"-" + f.Shorthand}
	case f.Name == "option" || f.Name == "shopt":
		return []string{"-" + f.Shorthand, value}
	case f.Name == "posix":
		return []string{"--posix"}
	}
	return nil
}

// shellOperands sorts the operands as bash(1) does: the text after -c, then $0 and the
// arguments; with -s only arguments; else a script file; else the script is standard input.
func (inv *invocation) shellOperands(argv0 string, command bool, operands []string) error {
	inv.name = strings.TrimPrefix(argv0, "-")
	switch {
	case inv.help || inv.version:
	case command && len(operands) == 0:
		return &usageError{"-c wants a command line", "tada-run -c 'ls -l'"}
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

// flagError words what pflag says for a person, and answers --force with the way out.
func flagError(err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	msg := strings.ReplaceAll(err.Error(), "flag", "option")
	if strings.Contains(msg, "--force") {
		return &usageError{msg + ": nothing overrides a refusal", "tadactl tamper accept --reason WHY, or tadactl approve ID"}
	}
	return &usageError{msg, "tada-run --help"}
}
