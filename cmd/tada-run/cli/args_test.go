package cli

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/pborman/getopt/v2"

	"github.com/tada-run/tada-run/launcher/shell"
)

// called is the result of parseArgs for a command line, as one row of a table.
type called struct {
	text   string
	name   string
	args   []string
	flags  []string
	script string
	stdin  bool
	login  bool
	words  []string
}

// TestArgs has the command lines with which shells are called: those of programs that ask for a
// shell, as they were captured, and those of people.
func TestArgs(t *testing.T) {
	for _, test := range []struct {
		argv string // words are separated by ¦
		want called
	}{
		// tada-run itself
		{"tada-run¦ls -l", called{text: "ls -l", name: "tada-run"}},
		{"tada-run¦--agent¦claude¦--pty¦never¦ls", called{text: "ls", name: "tada-run"}},
		{"tada-run¦--¦ls¦-l¦a b", called{name: "tada-run", words: []string{"ls", "-l", "a b"}}},
		{"tada-run¦-c¦echo $0 $1¦zero¦one",
			called{text: "echo $0 $1", name: "zero", args: []string{"one"}}},

		// make: SHELL= and .SHELLFLAGS
		{"/p/tada-run¦-c¦echo hi; false || true",
			called{text: "echo hi; false || true", name: shell.Name()}},
		{"/p/tada-run¦-eu¦-o¦pipefail¦-c¦echo hi | cat",
			called{text: "echo hi | cat", name: shell.Name(),
				flags: []string{"-e", "-u", "-o", "pipefail"}}},

		// an agent: the option after -c
		{"/p/bash¦-c¦-l¦SNAPSHOT=x", called{text: "SNAPSHOT=x", name: "/p/bash", login: true}},
		{"/p/bash¦-lc¦echo $0", called{text: "echo $0", name: "/p/bash", login: true}},
		{"bash¦-c¦echo hi", called{text: "echo hi", name: "bash"}},
		{"/p/bash¦-ec¦false", called{text: "false", name: "/p/bash", flags: []string{"-e"}}},
		{"/p/bash¦--noprofile¦--norc¦-eo¦pipefail¦x.sh",
			called{script: "x.sh", name: "x.sh", flags: []string{"-e", "-o", "pipefail"}}},
		{"bash¦+e¦-c¦x", called{text: "x", name: "bash", flags: []string{"+e"}}},
		{"bash¦-e¦+e¦-c¦x", called{text: "x", name: "bash", flags: []string{"-e", "+e"}}},
		{"bash¦-e¦-¦x.sh", called{script: "x.sh", name: "x.sh", flags: []string{"-e"}}},
		{"bash¦+o¦posix¦-c¦x", called{text: "x", name: "bash", flags: []string{"+o", "posix"}}},

		// a login shell has a dash before its name
		{"-tada-sh¦-c¦x", called{text: "x", name: "tada-sh", login: true}},

		// scripts: an argument, #! with one option word, and standard input
		{"sh¦s.sh¦a¦b", called{script: "s.sh", name: "s.sh", args: []string{"a", "b"}}},
		{"/p/tada-run¦-e¦../s.sh¦a",
			called{script: "../s.sh", name: "../s.sh", args: []string{"a"}, flags: []string{"-e"}}},
		{"bash¦-s¦a¦b", called{stdin: true, name: "bash", args: []string{"a", "b"}}},
		{"bash", called{stdin: true, name: "bash"}},
		{"tada-run", called{stdin: true, name: shell.Name()}},
	} {
		argv := strings.Split(test.argv, "¦")
		inv, err := parseArgs(argv)
		if err != nil {
			t.Errorf("%q: %v", argv, err)
			continue
		}
		got := called{
			name: inv.name, args: inv.args, flags: inv.shellFlags, script: inv.script,
			stdin: inv.stdin, login: inv.login, words: inv.words,
		}
		if inv.text != nil {
			got.text = *inv.text
		}
		if !sameCall(got, test.want) {
			t.Errorf("%q\n got %+v\nwant %+v", argv, got, test.want)
		}
	}
}

// sameCall compares two of them; an empty list is the same as none.
func sameCall(a, b called) bool {
	for _, p := range []*[]string{&a.args, &b.args, &a.flags, &b.flags, &a.words, &b.words} {
		if len(*p) == 0 {
			*p = nil
		}
	}
	return reflect.DeepEqual(a, b)
}

// TestArgsRefused also checks: no flag overrides a denial, and the error names
// what to do instead.
func TestArgsRefused(t *testing.T) {
	for _, test := range []struct{ argv, message, hint string }{
		{"tada-run|ls|-la", "one quoted command line, got 2 arguments",
			"tada-run -- ls -la, or with shell syntax: tada-run 'ls -la'"},
		// core.editor
		{"tada-run|true|/w/.git/COMMIT_EDITMSG", "got 2 arguments",
			"tada-run -- true /w/.git/COMMIT_EDITMSG"},
		{"tada-run|ls|a b", "got 2 arguments", "tada-run -- ls 'a b'"},
		{"tada-run|vim -f|/w/it's", "got 2 arguments",
			`tada-run -c 'vim -f "$@"' tada-run '/w/it'\''s'`},
		{"tada-run|--", "no command after --", "tada-run -- ls"},
		{"tada-run|--force|ls", "a denial cannot be overridden", "tadactl tamper accept"},
		{"tada-run|--frce|ls", "unknown option", "--help"},
		{"tada-run|-c", "-c needs a command line", "tada-run -c"},
		{"bash|-c", "-c needs a command line", ""},
		{"bash|--agent|x|-c|y", "unknown option", ""},
		{"bash|-i|x.sh", "interactive", ""},
		{"tada-run|--profile|CI|ls", `--profile is ci, not "CI"`, "--help"},
		{"tada-run|--origin|agnet|ls",
			`--origin is human, agent or quarantined, not "agnet"; did you mean agent?`, "--help"},
		{"tada-run|--pty|on|--check|ls", `--pty is auto, always or never, not "on"`, "--help"},
		{"tada-run|--timeout|-3s|ls", `--timeout takes a time, 0 or more, not "-3s"`,
			"--timeout 90s"},
		{"tada-run|--intent|a b.json|--background", "one after the other",
			"tada-run --intent 'a b.json'"},
		{"tada-run|--json|ls", "needs --check", ""},
		{"tada-run|--publish|80,0|ls", "1 to 65535, not \"0\"", "--publish 3000"},
		{"tada-run|--publish=65536|ls", "1 to 65535", "--publish 3000"},
		{"bash|-eo", "missing parameter for -o", "--help"},
		{"bash|+o", "needs the name of an option", ""},
	} {
		_, err := parseArgs(strings.Split(test.argv, "|"))
		var usage *usageError
		if !errors.As(err, &usage) {
			t.Errorf("%q: %v, want a usage error", test.argv, err)
			continue
		}
		if !strings.Contains(usage.msg, test.message) || !strings.Contains(usage.hint, test.hint) {
			t.Errorf("%q: %q, hint %q; want %q, hint %q", test.argv, usage.msg, usage.hint,
				test.message, test.hint)
		}
	}
}

// TestBare: only without a command and without anything that a shell takes does the program say
// what it is.
func TestBare(t *testing.T) {
	for argv, want := range map[string]bool{
		"tada-run": true, "/p/tada-run": true, "tada-run|--agent|a": true, "tada-run|--check": true,
		"tada-run|-s": true, "-tada-run": false, "tada-run|-i": false, "tada-run|-l": false,
		"tada-run|-e": false, "tada-run|ls": false, "tada-run|-c|ls": false, "bash": false,
		"tada-sh": false, "tada-run|--session": false, "tada-run|--": false,
	} {
		inv, err := parseArgs(strings.Split(argv, "|"))
		if got := err == nil && inv.bare(); got != want {
			t.Errorf("%q: %v, %v", argv, got, err)
		}
	}
	if lines := strings.Split(errNothing().Error(), "\n"); len(lines) > 8 {
		t.Errorf("%d lines", len(lines))
	}
}

// TestNoForceFlag walks every flag.
func TestNoForceFlag(t *testing.T) {
	options := (&invocation{}).options(true)
	for _, o := range options {
		if o.long == "force" {
			t.Error("there is a flag --force")
		}
		if o.short == 'f' && o.long != "" {
			t.Error("-f is not the shell's own option (noglob)")
		}
	}
	if len(options) < 30 {
		t.Errorf("%d flags were looked at", len(options))
	}
}

// TestDeclared checks that a command line is read the same whether all options are declared or only
// those that it could name.
func TestDeclared(t *testing.T) {
	words := []string{"-", "--", "", "x", "=", "-=", "--=", "---", "--c", "--c=x", "--e=false",
		"--o", "--É", "-É", "--frce",
		"--lo", "--login=no", "--login=maybe", "--command", "--interactive=off", "-eo",
		"-opipefail", "-lc", "-ez", "+o", "+x"}
	for _, o := range (&invocation{}).options(true) {
		if o.long != "" {
			words = append(words, "--"+o.long, "--"+o.long+"=1", "--"+o.long[:2])
		}
		if o.short != 0 {
			words = append(words, "-"+string(o.short), "--"+string(o.short),
				"-e"+string(o.short)+"x")
		}
	}
	for _, own := range []bool{true, false} {
		for _, first := range words {
			for _, second := range []string{"", "-", "--", "-lc", "--e=false", "--login=maybe",
				"--interactive"} {
				argv := []string{"tada-run", first, second, "--json", "x"}
				all, some := getopt.New(), declare((&invocation{}).options(own), argv)
				for _, o := range (&invocation{}).options(own) {
					all.FlagLong(o.to, o.long, o.short)
				}
				if got, want := readWith(some, argv), readWith(all, argv); got != want {
					t.Fatalf("%q, own options %v\n got %s\nwant %s", argv, own, got, want)
				}
			}
		}
	}
}

// readWith is what a set makes of a command line.
func readWith(set *getopt.Set, argv []string) string {
	var seen []string
	err := set.Getopt(argv, func(o getopt.Option) bool {
		seen = append(seen, o.Name()+"="+o.String())
		return true
	})
	return fmt.Sprintf("%q %v %q %v %v %v", seen, err, set.Args(), set.State(),
		set.IsSet("command"), set.IsSet("interactive"))
}

// FuzzArgs: no command line makes parseArgs panic, and none is read in two ways at once.
func FuzzArgs(f *testing.F) {
	for _, seed := range []string{"tada-run\x00ls", "bash\x00-c\x00-l\x00x", "-sh", "sh\x00+o",
		"tada-run\x00--\x00x", "bash\x00-eo"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		inv, err := parseArgs(strings.Split(line, "\x00"))
		if err != nil {
			return
		}
		sources := 0
		for _, is := range []bool{inv.text != nil, inv.words != nil,
			inv.script != "" && inv.text == nil, inv.stdin && inv.text == nil && inv.script == ""} {
			if is {
				sources++
			}
		}
		if sources > 1 {
			t.Errorf("%q: several sources of the command: %+v", line, inv)
		}
	})
}
