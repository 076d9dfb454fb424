package shellparse

import "testing"

// A control character that every shell takes for an ordinary byte is data in quotes and in
// here-documents; configure has one. In a word it is refused, and so are those that shells or
// terminals treat in ways of their own, wherever they stand.
func TestMuteCharacters(t *testing.T) {
	for _, test := range []struct {
		text string
		ok   bool
	}{
		{"cat <<E\nFS = \"\a\"\nE", true},
		{"cat <<'E'\n\x1c\x02\nE", true},
		{"printf '\a'", true},
		{"echo \"a\x1fb\"", true},
		{"echo a\ab", false},
		{"r\am -rf x", false},
		{"echo '\x01'", false},
		{"echo '\x7f'", false},
		{"echo '\x1b[2K'", false},
		{"echo '\b'", false},
		{"echo '\r'", false},
	} {
		s := Parse(test.text, Options{})
		if ok := s.Err == nil; ok != test.ok {
			t.Errorf("%q: %v", test.text, s.Err)
		}
		if test.ok && (len(s.Marks) > 0 || s.Canonical == "") {
			t.Errorf("%q: marks %v, canonical %q", test.text, s.Marks, s.Canonical)
		}
	}
}
