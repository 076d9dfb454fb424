package launcher

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/shellparse"
)

func unwrapped(text string) wrapped { return unwrap(shellparse.Parse(text, shellparse.Options{})) }

// The texts are as the programs were seen to write them.
func TestUnwrap(t *testing.T) {
	codex, err := os.ReadFile("../shellparse/testdata/codex.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ text, own, program string }{
		{"source /h/.claude/shell-snapshots/snapshot-bash-1795264222565-b7j0m5.sh 2>/dev/null || true && shopt -u extglob 2>/dev/null || true && eval 'echo hello; pwd' < /dev/null && pwd -P >| /tmp/claude-dd99-cwd", "echo hello; pwd", "claude-code"},
		{"shopt -u extglob 2>/dev/null || true && eval cat < /dev/null && pwd -P >| /tmp/claude-dd99-cwd", "cat", "claude-code"},
		{"shopt -u extglob 2>/dev/null || true && eval 'echo '\"'\"'a'\"'\"'\nls' && pwd -P >| /tmp/claude-dd99-cwd", "echo 'a'\nls", "claude-code"},
		{"shopt -u extglob 2>/dev/null || true && eval 'a && eval b' < /dev/null && pwd -P >| /tmp/claude-dd99-cwd", "a && eval b", "claude-code"},
		{geminiText("rm -rf x\nls"), "rm -rf x\nls", "gemini"},
		{string(codex), "echo hello; echo $0; id -u", "codex"},
		// Texts by which an agent would choose what is read first.
		{"rm -rf x; shopt -u extglob 2>/dev/null || true && eval 'ls' < /dev/null && pwd -P >| /tmp/claude-dd99-cwd", "", ""},
		{"shopt -u extglob 2>/dev/null || true && eval 'ls'; rm x < /dev/null && pwd -P >| /tmp/claude-dd99-cwd", "", ""},
		{"shopt -u extglob 2>/dev/null || true && eval ls > x < /dev/null && pwd -P >| /tmp/claude-dd99-cwd", "", ""},
		{"shopt -u extglob 2>/dev/null || true && eval 'ls' rm < /dev/null && pwd -P >| /tmp/claude-dd99-cwd", "", ""},
		{"shopt -u extglob 2>/dev/null || true && eval 'ls' < /dev/null && pwd -P >| /tmp/claude-dd99-cwd\nrm x", "", ""},
		{"shopt -u extglob; rm x; _bgpids_file=/tmp/gemini-shell-x/bgpids.tmp\n(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\nls\n)\n__code=$?\nexit $__code", "", ""},
		{"rm x\n" + string(codex), "", ""},
		{string(codex) + " more words", "echo hello; echo $0; id -u", ""},
		{"unset X\n. '/h/.codex/shell_snapshots/1.sh'\nexec '/p/bash' -c 'git push'", "", ""},
		{"ls -l", "", ""},
		{"echo a && eval \"$x\" && pwd -P >| /tmp/claude-1-cwd", "", ""},
		{"echo\nexec bash script.sh", "", ""},
		{"", "", ""},
		// Wrappers that nobody knows.
		{"# " + strings.Repeat("long ", 60) + "\nset +e\neval 'rm -rf x'\nexit $?", "rm -rf x", ""},
		{"# " + strings.Repeat("long ", 60) + "\nset +e\n/bin/bash -lc 'rm -rf x; eval ls'\nexit $?", "rm -rf x; eval ls", ""},
		{"# " + strings.Repeat("long ", 60) + "\neval 'ls'\neval 'rm -rf x'", "", ""},
		{"# " + strings.Repeat("long ", 60) + "\neval \"$x\"\nbash -c \"$y\"", "", ""},
		{"eval '# " + strings.Repeat("long ", 60) + "'", "", ""},
		{"# " + strings.Repeat("long ", 60) + "\neval 'ls", "", ""},
	} {
		got := unwrapped(test.text)
		program := ""
		if got.around != nil {
			program = got.around[0]
		}
		if got.own != test.own || program != test.program {
			t.Errorf("%.300q: %q of %q, want %q of %q", test.text, got.own, program, test.own, test.program)
		}
	}
}

func geminiText(command string) string {
	return "shopt -u promptvars nullglob; _bgpids_file=/tmp/gemini-shell-a1B2c3/bgpids.tmp\n(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\n" +
		command + "\n)\n__code=$?\nexit $__code"
}

// What a program makes up for every call is the same in what is hashed, in its place and nowhere else; everything that
// it chooses is named.
func TestSteady(t *testing.T) {
	const claude = "shopt -u extglob 2>/dev/null || true && eval 'cat /tmp/claude-aaaa-cwd' < /dev/null && pwd -P >| /tmp/claude-"
	one, two := unwrapped(claude+"0001-cwd"), unwrapped(claude+"0002-cwd")
	if a, b := one.steady([]byte(claude+"0001-cwd")), two.steady([]byte(claude+"0002-cwd")); !bytes.Equal(a, b) || !bytes.Contains(a, []byte("aaaa")) || len(a) != len(claude+"0001-cwd") {
		t.Errorf("%s\n%s", a, b)
	}
	if got := unwrapped(geminiText("ls")); string(got.steady([]byte("> /tmp/gemini-shell-a1B2c3/bgpids.tmp"))) != "> /tmp/gemini-shell-XXXXXX/bgpids.tmp" {
		t.Errorf("%+v", got)
	}
	if got := unwrapped("cat /tmp/claude-0001-cwd"); string(got.steady([]byte("/tmp/claude-0001-cwd"))) != "/tmp/claude-0001-cwd" {
		t.Errorf("%+v", got)
	}
	codex, err := os.ReadFile("../shellparse/testdata/codex.sh")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(unwrapped(string(codex)).around, " "); got != "codex /h/.codex/shell_snapshots/01a20084-b5ed-7351-b43a-de8806e7e5d9.1795305027069420579.sh /opt/codex/codex-path /p/bash" {
		t.Errorf("%s", got)
	}
}
