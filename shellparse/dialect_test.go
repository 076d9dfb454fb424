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
		{Bats, "@test 'a' {\n  run rm /x\n}", "run run > rm /x"},
		{Bats, "@test 'a' {\n  rm /x\n}", "delete /x"},
		{Bats, "setup() { rm /x; }\n@test a { :; }", "delete /x"},
		{Bats, "@test a {\n run -1 --separate-stderr -- rm /x\n}", "run run > rm /x"},
		{Bats, "@test a {\n run ! rm /x\n}", "run run > rm /x"},
		{Bats, "f() { rm /$1; }\n@test a {\n run f x\n}", "delete /x"},
		{Bats, "run() { rm /x; }\n@test a {\n run y\n}", "delete /x"},
		{Bats, "@test a {\n run bash -c 'rm /x'\n}", "run run > bash > rm /x"},
		{Bats, "@test a {\n run $(cat f)\n}", "opaque program"},
		{Bats, "@test a {\n run ls\n rm /tmp/$output\n}", "opaque delete"},
		{Bats, "teardown() { rm -r \"$BATS_TEST_TMPDIR\"; }", "opaque delete"},
		{Bats, "@test a {\n cd /x\n load helper\n}", "read+source /w/helper.bash"},
		{Bats, "load ../helper", "read+source /helper"},
		{Bats, "echo 'rm /x' > helper.bash; load helper", "delete /x"},
		{Bats, "load \"$(cat f)\"", "opaque code"},
		{Bats, "bats_load_library bats-support", "read+source /usr/lib/bats/bats-support/load.bash"},
		{Bats, "BATS_LIB_PATH=/a:b; bats_load_library c", "read+source /w/b/c/load.bash"},
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
		{Mksh, "echo ${ rm /x;}", "delete /x"},
		{Mksh, "x=${|REPLY=$(rm /x);}", "delete /x"},
		{Mksh, "cat |& rm /x", "delete /x"}, // a job there, not two outputs
		{Mksh, "typeset -i x='a[$(rm /x)]'", "delete /x"},
		{Mksh, "rm {/a,/b}", "delete /b"},
		{Mksh, "rm {1..3}", "opaque delete"},
		{Mksh, "x=/a/b.c; rm \"${x%.*}\"", "delete /a/b"},
		{Mksh, "git show HEAD~1", "run git show HEAD~1"},
		{Zsh, "rm /x{1..3}", "delete /x3"},
		{Zsh, "echo >/x >/y", "write /x"},
		{Zsh, "repeat 2 rm /x", "delete+maybe /x"},
		{Zsh, "echo =ls", "opaque data"},
		{Zsh, "rm *(.)", "opaque delete"},
		{Zsh, "echo *(e:'rm /x':)", "opaque code"},
		{Zsh, "x='$(rm /x)'; echo ${(e)x}", "opaque code"},
		{Zsh, "for x (a b) rm $x", "opaque text"},
		{Zsh, "s=hello; rm \"${s:1:2}\"", "delete /w/el"},
	} {
		o := agentShell
		o.Dialect = tt.dialect
		s := Parse(tt.text, o)
		if got := describe(s); !strings.Contains("\n"+got, "\n"+tt.want) {
			t.Errorf("dialect %d: %q\ngot\n%swant %q", tt.dialect, tt.text, got, tt.want)
		}
		if s.Err != nil && s.Canonical != "" {
			t.Errorf("dialect %d: %q is refused and still has a text to execute", tt.dialect, tt.text)
		}
	}
}
