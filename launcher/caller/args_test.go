package caller

import (
	"slices"
	"strings"
	"testing"
)

// What macOS tells of a process is read as it is laid out, and wherever it is cut off.
func TestReadStart(t *testing.T) {
	const text = "\x03\x00\x00\x00/usr/local/bin/node\x00\x00\x00\x00node\x00\x00/x/cli.js\x00" +
		"CLAUDECODE=1\x00HOME=/Users/me\x00\x00ptr_munge=\x00"
	s, ok := readStart([]byte(text))
	if !ok || s.file != "/usr/local/bin/node" ||
		!slices.Equal(s.args, []string{"node", "", "/x/cli.js"}) ||
		!slices.Equal(s.env, []string{"CLAUDECODE=1", "HOME=/Users/me"}) {
		t.Errorf("%v %+v", ok, s)
	}
	for n := range len(text) {
		s, ok := readStart([]byte(text[:n]))
		for _, part := range slices.Concat(s.args, s.env, []string{s.file}) {
			if !strings.Contains(text, part) {
				t.Errorf("%d bytes: %v %+v", n, ok, s)
			}
		}
	}
	for _, bad := range []string{"", "\x01\x00\x00", "\xff\xff\xff\xff/x\x00x\x00",
		"\x01\x00\x00\x00/x"} {
		if s, ok := readStart([]byte(bad)); ok {
			t.Errorf("%q: %+v", bad, s)
		}
	}
}
