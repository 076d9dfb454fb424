package caller

import "testing"

// terminalOf is a table of what the kernel prints.
func TestPeerTerminal(t *testing.T) {
	for _, test := range []struct {
		stat, tty  string
		foreground bool
	}{
		{"10 (a) b) S 1 10 10 34818 10 0", "pts/2", true},
		{"11 (bash) S 1 11 10 34818 10 0", "pts/2", false},
		{"11 (bash) S 1 11 10 0 -1 0", "?", false},
		{"11 (getty) S 1 11 11 1025 11 0", "tty4:1", true},
		{"", "?", false},
	} {
		if tty, fg := terminalOf(test.stat); tty != test.tty || fg != test.foreground {
			t.Errorf("%q: %q %v, want %q %v", test.stat, tty, fg, test.tty, test.foreground)
		}
	}
}
