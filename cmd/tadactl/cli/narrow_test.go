package cli

import (
	"strings"
	"testing"
)

func TestRowsAreBrokenAtSpaces(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"a list that is wide", 0, "a list that is wide"},
		{"", 20, ""},
		{"seal   ", 20, "seal"},
		{"fits in its width", 17, "fits in its width"},
		{"06h2v448d531  exit 0  make all", 19, "06h2v448d531  exit\n    0  make all"},
		{"06h2v448d531  exit 0  make all", 22, "06h2v448d531  exit 0\n    make all"},
		{"0123456789abcdef  x", 10, "0123456789\n    abcdef\n    x"},
		{"gr\u00fcn gr\u00fcn gr\u00fcn", 11, "gr\u00fcn gr\u00fcn\n    gr\u00fcn"},
	} {
		got := broken(c.text, c.width)
		if got != c.want {
			t.Errorf("broken(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// No line is longer than the terminal, and no character is lost.
func FuzzBroken(f *testing.F) {
	f.Add("06h2v448d531e1a4  2026-11-30 17:46:16  exit 0  \"echo 1\"", 40)
	f.Add("\u4f60\u597d  \u4f60", 9)
	f.Fuzz(func(t *testing.T, text string, width int) {
		if width < 2*len(hanging) || width > 80 || strings.ContainsAny(text, "\n") {
			return
		}
		text = strings.ToValidUTF8(text, "?")
		got := broken(text, width)
		for line := range strings.SplitSeq(got, "\n") {
			used := 0
			for _, r := range line {
				if used++; r > '~' {
					used++
				}
			}
			if used > width {
				t.Errorf("%q is %d columns wide, not %d", line, used, width)
			}
		}
		all := func(s string) string { return strings.NewReplacer(" ", "", "\n", "").Replace(s) }
		if all(got) != all(text) {
			t.Errorf("broken(%q) = %q", text, got)
		}
	})
}
