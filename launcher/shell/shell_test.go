package shell

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/shellparse"
)

// The shell reads quoted words as they were, whatever is in them.
func TestQuote(t *testing.T) {
	bash, err := Real(shellparse.Bash)
	if err != nil {
		t.Skip(err)
	}
	words := []string{"/usr/bin/printf", `%s\0`, "", "plain", "a b", "it's", "$HOME", "`id`",
		"a\nb", "*", "~", "-n", `\`, "!", "{a,b}", "#"}
	out, err := exec.Command(bash, "-c", Quote(words)).Output()
	if got := strings.Split(string(out), "\x00"); err != nil ||
		!slices.Equal(got[:len(got)-1], words[2:]) {
		t.Errorf("%q, %v", got, err)
	}
}

// What a shell was started with is part of the text that is judged, and is given to the real one as
// options again.
func TestSettings(t *testing.T) {
	c := Call{Text: "echo x", Name: "sh", Args: []string{"1"},
		Flags: []string{"-e", "-o", "pipefail", "+O", "extglob", "--posix"}}
	const judged = "set -e\nset -o 'pipefail'\nshopt -u 'extglob'\nset -o posix\n"
	if got := c.Settings(); got != judged {
		t.Errorf("%q", got)
	}
	options, text := c.Apart(judged + c.Text)
	want := []string{"/bin/bash", "--posix", "-e", "-o", "pipefail", "+O", "extglob", "-c", "--",
		"echo x", "sh", "1"}
	if got := c.Argv("/bin/bash", options, text); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
