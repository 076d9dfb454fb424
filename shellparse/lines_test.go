package shellparse

import (
	"strings"
	"testing"
)

// What is executed has each statement on the line that it was written on: the shell names lines in
// its messages.
func TestCanonicalKeepsLines(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"id; echo a; nosuch", "id; echo a; nosuch"},
		{"a & b", "a & b"},
		{"a && b || c; d | e", "a && b || c; d | e"},
		{"if true; then nosuch; fi; x", "if true; then nosuch; fi; x"},
		{"for i in 1 2; do a; b; done", "for i in 1 2; do a; b; done"},
		{"f() { a; b; }; f", "f() { a; b; }; f"},
		{"case x in a) b;; c) d; e;; esac", "case x in a) b ;; c) d; e ;; esac"},
		{"(a; b) > x; { c; d; }", "(a; b) >x; { c; d; }"},
		{"a # no\n# comment\n\nb; c", "a\n\n\nb; c"},
		{"cat <<E\nx\nE\nnosuch", "cat <<E\nx\nE\nnosuch"},
		{"cat <<E; b\nx\nE\nc", "cat <<E\nx\nE\nb\nc"},
		{"if a\nthen b\nfi; c", "if a; then\n\tb\nfi; c"},
		{"while a; do\n  b\n  c\ndone\nd", "while a; do\n\tb\n\tc\ndone\nd"},
		{"x=$(a; b); c", "x=$(a; b); c"},
		{"a |\n b\nc", "a |\n\tb\nc"},
		{"# first\na", "\na"},
		{"{ a; b; } >x && eval 'true\n\nnosuch' && (c; d)",
			"{ a; b; } >x && eval 'true\n\nnosuch' && (c; d)"},
		{"x\n(\n  a\nb; c; d\n\ne\n)\nf; g", "x\n(\na\nb; c; d\n\ne\n)\nf; g"},
		{"{\na; b & c\n\n}", "{\na; b & c\n\n}"},
		{"(\n(a; b); cat <<E\nx\nE\nc; d\n)", "(\n(a; b); cat <<E\nx\nE\nc; d\n)"},
		{"if a; then b; fi | eval \"x\ny\"", "if a; then b; fi | eval \"x\ny\""},
	} {
		s := Parse(test.text, Options{})
		if got := strings.TrimSuffix(s.Canonical, "\n"); s.Err != nil || got != test.want {
			t.Errorf("%q: %v\n got %q\nwant %q", test.text, s.Err, got, test.want)
		}
	}
}
