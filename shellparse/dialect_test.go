package shellparse

import (
	"strings"
	"testing"
)

// Each dialect is read in its own grammar, and what its shell alone does is seen or open
// (C-3.4).
func TestDialects(t *testing.T) {
	for _, tt := range []struct {
		dialect Dialect
		text    string
		want    string // a line of the description, or the start of one
	}{
		{Bash, "echo a &>/x", "write /x"},
		{Bash, "ksh -c 'rm /x'", "delete /x"},
		{Bash, "mksh -c 'echo a'", "code mksh literal \"echo a\" and more"},
		{Bash, "load helper", "run load helper"},
		{Bash, "@test a {\n rm /x\n}", "opaque text"},
		{POSIX, "f() { rm /x; }; f", "delete /x"},
		{POSIX, "[[ -e a ]]", "run [["}, // a program
		{POSIX, "echo a &>/x", "opaque text"},
		{POSIX, "a=(1)", "opaque text"},
		{POSIX, "cat <<<x", "opaque text"},
		{POSIX, "cat <(ls)", "opaque text"},
		{POSIX, "echo {a,b}", "opaque data"},
		{POSIX, "rm {a,b}", "opaque delete"},
		{POSIX, "xargs -I{} rm {} <<E\n/x\nE", "delete /x"},
		{POSIX, "git show stash@{0}", "run git show stash@{0}"},
		{Zsh, "rm /x{1..3}", "delete /x3"},
		{Zsh, "echo >/x >/y", "write /x"},
		{Zsh, "repeat 2 rm /x", "delete+maybe /x"},
		{Zsh, "echo =ls", "opaque data"},
		{Zsh, "rm *(.)", "opaque delete"},
		{Zsh, "echo *(e:'rm /x':)", "opaque code"},
		{Zsh, "x='$(rm /x)'; echo ${(e)x}", "opaque code"},
		{Zsh, "for x (a b) rm $x", "opaque text"},
		{Zsh, "s=hello; rm \"${s:1:2}\"", "delete /w/el"},
		{Zsh, "x=/a; typeset -n r=x; rm \"$r\"", "opaque delete"}, // zsh 5.9 has no such names
		{Zsh, "f() { local -n r=x; r=/a; }; f; rm \"$r\"", "opaque delete"},
	} {
		o := agentShell
		o.Dialect = tt.dialect
		s := Parse(tt.text, o)
		if got := describe(s); !strings.Contains("\n"+got, "\n"+tt.want) {
			t.Errorf("dialect %d: %q\ngot\n%swant %q", tt.dialect, tt.text, got, tt.want)
		}
		if s.Err != nil && s.Canonical != "" {
			t.Errorf("dialect %d: %q is refused and still has a text to execute", tt.dialect,
				tt.text)
		}
	}
}
