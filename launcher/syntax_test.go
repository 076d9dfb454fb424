package launcher

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/shellparse"
)

// That nothing ran is said where bash would have run something before it came to the mistake: bash
// itself shows which texts those are.
func TestRunsBeforeTheMistake(t *testing.T) {
	const gemini = "shopt -u nullglob extglob; f=/tmp/x\n(\n  trap 'jobs -p' EXIT\n§\n)\nexit $?"
	for _, test := range []struct {
		text string
		want bool
	}{
		{"if then", false},
		{"echo a; if then", false},
		{"\n  \nif then\n\n", false},
		{"# words\nif then", false},
		{"if then\necho a", false},
		{"echo \"open\necho a\n", false},
		{"exec < /dev/null\nif then", false},
		{"exec 9<&0 < /dev/null\nif then", false},
		{"set -e\nx=1\nexport y=2\nunset z\nif then", false},
		{": a\ntrue\n\"$x", false},
		{strings.Replace(gemini, "§", "if then", 1), false},
		{strings.Replace(gemini, "§", "echo a\nif then", 1), false},
		{"echo a |\ncat; if then", false},
		{"for i in 1; do\necho a\nif then; done", false},
		{"echo a\nif then", true},
		{"echo a # words\nif then", true},
		{"echo a;\nif then", true},
		{"cat <<E\na\nE\nif then", true},
		{"x=$(echo a >&2)\nif then", true},
		{"set\nif then", true},
		{"shopt\nif then", true},
		{"echo a; echo b\necho c; if then", true},
		{"f() { echo a; }\nf\nif then", true},
		{"echo a\n" + strings.Replace(gemini, "§", "if then", 1), true},
	} {
		if got := runsBefore(test.text, shellparse.Bash); got != test.want {
			t.Errorf("%q: %v", test.text, got)
		}
		cmd := exec.Command("/bin/bash", "-c", test.text)
		said, _ := cmd.CombinedOutput()
		for line := range strings.Lines(string(said)) {
			if ran := !strings.HasPrefix(line, "/bin/bash: "); ran != test.want {
				t.Errorf("bash: %q: %s", test.text, said)
			}
			break
		}
	}
}

// The agent is answered for its own text, not for the one that the hook made of it.
func TestMisspellingOfTheHook(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		text, own string
		partly    bool
	}{
		{"SELF --agent=codex -c 'if then'\nexit\nif then", "if then", false},
		{"SELF --agent=codex -c 'echo a\nif then'\nexit\necho a\nif then",
			"echo a\nif then", true},
		{"SELF --agent=codex -c 'if then'\nexit\nif else", "", true},
		{"SELF --agent=codex -c 'if then'; exit\nif then", "", true},
		{"/b/other --agent=codex -c 'if then'\nexit\nif then", "", true},
		{"touch a\nexit\nif then", "", true},
		{"if then", "", true},
	} {
		test.text = strings.Replace(test.text, "SELF", self, 1)
		m := misspelling{text: test.text, partly: true}
		if test.own == "" {
			test.own = test.text
		}
		if m.unwrap(shellparse.Bash); m.text != test.own || m.partly != test.partly {
			t.Errorf("%q: %q, %v", test.text, m.text, m.partly)
		}
	}
}
