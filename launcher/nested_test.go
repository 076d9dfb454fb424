package launcher

import (
	"strings"
	"testing"

	"github.com/tada-run/tada-run/shellparse"
)

// Of a text around a command that no table knows, the command is shown first, and all of the text
// is to be read.
func TestNestedText(t *testing.T) {
	long := "# " + strings.Repeat("long ", 60) + "\n"
	for _, test := range []struct{ text, own string }{
		{long + "set +e\neval 'rm -rf x'\nexit $?", "rm -rf x"},
		{long + "set +e\n/bin/bash -lc 'rm -rf x; eval ls'\nexit $?", "rm -rf x; eval ls"},
		{long + "eval 'ls'\neval 'rm -rf x'", ""},
		{long + "eval \"$x\"\nbash -c \"$y\"", ""},
		{"eval '" + long + "'", ""},
		{long + "eval 'ls", ""},
		{"ls -l", ""},
		{"", ""},
	} {
		if got := nestedText(shellparse.Parse(test.text, shellparse.Options{})); got != test.own {
			t.Errorf("%.300q: %q, want %q", test.text, got, test.own)
		}
	}
}
