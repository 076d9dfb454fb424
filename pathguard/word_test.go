package pathguard

import "testing"

// A word that is not taken is answered with what is, and with the one that was meant.
func TestCheckWord(t *testing.T) {
	many := []string{"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b1", "b2", "b3", "b4",
		"b5", "b6", "exec", "exec.end", "exec.start"}
	for _, test := range []struct {
		word  string
		words []string
		want  string
	}{
		{"b", []string{"a", "b"}, ""},
		{"", []string{"a", "b"}, `--x is a or b, not ""`},
		{"other", []string{"ci"}, `--x is ci, not "other"`},
		{"grnat", []string{"policy", "approval", "grant"},
			`--x is policy, approval or grant, not "grnat"; did you mean grant?`},
		{"exce.end", many, `--x is a1, a2, a3, a4, a5, a6, a7, a8, a9, b1, b2, b3, b4, b5, b6 or exec, not "exce.end"; did you mean exec.end?`},
		{"anything", many, `--x is a1, a2, a3, a4, a5, a6, a7, a8, a9, b1, b2, b3, b4, b5, b6 or exec, not "anything"`},
		{"exec.x", many, `--x is exec, exec.end or exec.start, not "exec.x"; did you mean exec?`},
	} {
		got := ""
		if err := CheckWord("--x", test.word, test.words); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%q: %q, want %q", test.word, got, test.want)
		}
	}
}
