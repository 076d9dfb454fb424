package shellparse

import "testing"

// What a line means in a shell that ran others before it: a variable that is not exported may have
// any value, and what the shell tells its lines by stays as it is.
func TestLater(t *testing.T) {
	for _, test := range []struct {
		text    string
		code    bool   // code that is not known is executed
		hazard  string // a rule
		earlier bool   // and it is so in a new shell as well
	}{
		{text: `eval "$x"`, code: true, earlier: true},
		{text: `trap "$x" DEBUG`, code: true},
		{text: `PROMPT_COMMAND=$x`, code: true},
		{text: `fc`, code: true, earlier: true},
		{text: `fc -l`, earlier: true},
		{text: `echo "$x"`, earlier: true},
		{text: `x=1; echo $x`, earlier: true},
		{text: `builtin() { :; }`, hazard: "shell.history", earlier: true},
		{text: `shopt -u promptvars`, hazard: "shell.history"},
		{text: `shopt -s promptvars`, earlier: true},
		{text: `ulimit -Sn 4`, hazard: "shell.history"},
		{text: `ulimit -u "$x"`, hazard: "shell.history"},
		{text: `ulimit -n 65536`, earlier: true},
		{text: `ulimit -c unlimited`, earlier: true},
	} {
		for _, later := range []bool{true, false} {
			script := Parse(test.text, Options{Dir: "/w",
				Vars: map[string]string{"HOME": "/home/u"}, Later: later})
			code, hazard := false, ""
			for _, o := range script.Opaque {
				code = code || o.Place == InCode
			}
			for _, h := range script.Hazards {
				hazard = h.Rule
			}
			want, rule := test.code, test.hazard
			if !later && !test.earlier {
				if code == want && hazard == rule {
					t.Errorf("%q is the same in a new shell", test.text)
				}
				continue
			}
			if code != want || hazard != rule {
				t.Errorf("%q (later %v): code %v, hazard %q; want %v, %q", test.text, later, code,
					hazard, want, rule)
			}
		}
	}
}
