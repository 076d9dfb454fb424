package launcher

import "testing"

// The texts are as the programs were seen to write them.
func TestInside(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"source /h/.claude/shell-snapshots/snapshot-bash-1795264222565-b7j0m5.sh 2>/dev/null || true && shopt -u extglob 2>/dev/null || true && eval 'echo hello; pwd' < /dev/null && pwd -P >| /tmp/claude-dd99-cwd", "echo hello; pwd"},
		{"shopt -u extglob 2>/dev/null || true && eval cat < /dev/null && pwd -P >| /tmp/claude-dd99-cwd", "cat"},
		{"shopt -u extglob 2>/dev/null || true && eval 'echo '\"'\"'a'\"'\"'\nls' && pwd -P >| /tmp/claude-dd99-cwd", "echo 'a'\nls"},
		{"shopt -u extglob 2>/dev/null || true && eval 'a && eval b' < /dev/null && pwd -P >| /tmp/claude-dd99-cwd", "a && eval b"},
		{"shopt -u promptvars nullglob; _bgpids_file=/tmp/gemini-shell-x/bgpids.tmp\n(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\nrm -rf x\nls\n)\n__code=$?\nexit $__code", "rm -rf x\nls"},
		{"unset X\n. '/h/.codex/shell_snapshots/1.sh'\nexec '/p/bash' -c 'git push'", ""},
		// Texts by which an agent would choose what is read first.
		{"rm -rf x; shopt -u extglob 2>/dev/null || true && eval 'ls' < /dev/null && pwd -P >| /tmp/claude-dd99-cwd", ""},
		{"shopt -u extglob 2>/dev/null || true && eval 'ls'; rm x < /dev/null && pwd -P >| /tmp/claude-dd99-cwd", ""},
		{"shopt -u extglob 2>/dev/null || true && eval ls > x < /dev/null && pwd -P >| /tmp/claude-dd99-cwd", ""},
		{"shopt -u extglob 2>/dev/null || true && eval 'ls' rm < /dev/null && pwd -P >| /tmp/claude-dd99-cwd", ""},
		{"shopt -u extglob 2>/dev/null || true && eval 'ls' < /dev/null && pwd -P >| /tmp/claude-dd99-cwd\nrm x", ""},
		{"shopt -u extglob; rm x; _bgpids_file=/tmp/gemini-shell-x/bgpids.tmp\n(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\nls\n)\n__code=$?\nexit $__code", ""},
		{"ls -l", ""},
		{"echo a && eval \"$x\" && pwd -P >| /tmp/claude-1-cwd", ""},
		{"echo\nexec bash script.sh", ""},
		{"", ""},
	} {
		if got := inside(test.text); got != test.want {
			t.Errorf("%q: %q, want %q", test.text, got, test.want)
		}
	}
}
