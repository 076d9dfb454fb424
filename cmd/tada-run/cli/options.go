package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pborman/getopt/v2"

	"github.com/tada-run/tada-run/pathguard"
)

// An option is one that a command line can have.
type option struct {
	long  string
	short rune
	to    any
}

// shellLetters are the one-letter options that bash(1) and sh(1) take without an argument. Options
// -c, -l, -s and -i are handled here; the others are passed on.
const shellLetters = "abefhkmnprtuvxBCEHPT"

// shellWords are the long options of bash(1) that take no argument.
var shellWords = []string{"norc", "noprofile", "posix", "noediting", "restricted", "verbose"}

// optionValues has the values of the options that take one of a few.
var optionValues = map[string][]string{
	"origin": {"human", "agent", "quarantined"}, "pty": {"auto", "always", "never"},
	"profile": {"ci"},
}

// options returns those of a shell and, with own, those of tada-run.
func (inv *invocation) options(own bool) []option {
	list := []option{
		{"login", 'l', &inv.login}, {"stdin", 's', &inv.stdin},
		{"command", 'c', new(bool)}, {"interactive", 'i', new(bool)},
		{"option", 'o', new(string)}, {"shopt", 'O', new(string)},
	}
	flag := func(name string, to any) { list = append(list, option{long: name, to: to}) }
	flag("rcfile", new(string))
	flag("init-file", new(string))
	for _, letter := range shellLetters {
		list = append(list, option{short: letter, to: new(bool)})
	}
	for _, word := range shellWords {
		flag(word, new(bool))
	}
	flag("version", &inv.version)
	flag("help", &inv.help)
	if !own {
		return list
	}
	flag("check", &inv.check)
	flag("json", &inv.json)
	flag("background", &inv.background)
	flag("entry", &inv.entry)
	flag("line", setter(func(text string) error { inv.line = &text; return nil }))
	flag("session", &inv.session)
	flag("detached", &inv.detached)
	flag("agent", &inv.agent)
	flag("work-item", &inv.workItem)
	flag("call-id", &inv.callID)
	flag("intent", &inv.intent)
	flag("profile", oneOf("profile", &inv.profile))
	flag("origin", oneOf("origin", &inv.origin))
	flag("home", &inv.place.State)
	inv.pty = "auto"
	flag("pty", oneOf("pty", &inv.pty))
	flag("publish", setter(inv.addPorts))
	flag("timeout", duration("timeout", &inv.timeout))
	flag("wait", duration("wait", &inv.wait))
	return list
}

// always are the options that are looked up by name after reading: a set without an option of that
// name panics. A set without any long option would read --name as letters.
var always = []string{"command", "interactive"}

// declare makes the set of those options that argv could name. Getopt asks the runtime where each
// is declared: with all of them that took a seventh of the time of a check.
func declare(options []option, argv []string) *getopt.Set {
	letters, names := dashed(argv)
	set := getopt.New()
	for _, o := range options {
		if slices.Contains(always, o.long) || o.long != "" && names[o.long] ||
			o.short != 0 && strings.ContainsRune(letters, o.short) {
			set.FlagLong(o.to, o.long, o.short)
		}
	}
	return set
}

// dashed returns what argv could name: the letters after one dash, the names after two; a name can
// also be a letter. Getopt finds out which words are options, and which are values or operands.
func dashed(argv []string) (letters string, names map[string]bool) {
	var all strings.Builder
	names = map[string]bool{}
	for _, word := range argv {
		name, long := strings.CutPrefix(word, "--")
		if long {
			name, _, _ = strings.Cut(name, "=")
			names[name] = true
		}
		if strings.HasPrefix(word, "-") && (!long || len(name) == 1) {
			all.WriteString(name)
		}
	}
	return all.String(), names
}

// A setter is an option that passes each value to a function.
type setter func(value string) error

func (f setter) Set(value string, _ getopt.Option) error { return f(value) }
func (f setter) String() string                          { return "" }

// oneOf reads the value of an option that takes one of a few words.
func oneOf(name string, to *string) setter {
	return func(value string) error {
		if err := pathguard.CheckWord("--"+name, value, optionValues[name]); err != nil &&
			value != "" {
			return &usageError{err.Error(), "tada-run --help"}
		}
		if value != "" {
			*to = value
		}
		return nil
	}
}

// duration reads the value of an option that takes a time.
func duration(name string, to *time.Duration) setter {
	return func(value string) error {
		d, err := time.ParseDuration(value)
		if err != nil || d < 0 {
			return &usageError{fmt.Sprintf("--%s takes a time, 0 or more, not %q", name, value),
				fmt.Sprintf("--%s 90s", name)}
		}
		*to = d
		return nil
	}
}

// addPorts reads the value of --publish: ports, separated by commas.
func (inv *invocation) addPorts(list string) error {
	for text := range strings.SplitSeq(list, ",") {
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil || port == 0 {
			return &usageError{fmt.Sprintf("--publish takes a port, 1 to 65535, not %q", text),
				"--publish 3000"}
		}
		inv.publish = append(inv.publish, uint(port))
	}
	return nil
}
