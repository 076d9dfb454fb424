package pathguard

import (
	"slices"
	"strings"
	"testing"
)

// A rule is put where its list is, and nothing else of the text changes.
func TestInsert(t *testing.T) {
	rule := Way{"rules.commands", "{program: x, verdict: allow}"}
	const ask = "{program: a, verdict: ask}"
	for was, want := range map[string]string{
		"":                      "rules:\n  commands:\n    - @\n",
		"# a comment":           "# a comment\nrules:\n  commands:\n    - @\n",
		"plain: true\n":         "plain: true\nrules:\n  commands:\n    - @\n",
		"rules:\nplain: true":   "rules:\n  commands:\n    - @\nplain: true",
		"rules:\n  hosts: []\n": "rules:\n  commands:\n    - @\n  hosts: []\n",
		"rules: {}\n":           "rules: {commands: [@]}\n",

		"rules: {hosts: []}  # c\n":             "rules: {commands: [@], hosts: []}  # c\n",
		"rules:\n  commands: []\n":              "rules:\n  commands: [@]\n",
		"rules: {commands: [" + ask + "]}\n":    "rules: {commands: [@, " + ask + "]}\n",
		"rules:\n  commands:\n      - " + ask:   "rules:\n  commands:\n      - @\n      - " + ask,
		"rules:\n  commands: # c\n  - " + ask:   "rules:\n  commands: # c\n  - @\n  - " + ask,
		"rules:\n commands:\n # 1\n\n - " + ask: "rules:\n commands:\n # 1\n\n - @\n - " + ask,
	} {
		got, err := Insert([]byte(was), rule)
		if want = strings.ReplaceAll(want, "@", rule.Entry); err != nil || string(got) != want {
			t.Errorf("%q:\n%s%v, want\n%s", was, got, err, want)
			continue
		}
		set, err := decode(ConfigFile{Path: "test", Layer: UserLayer}, got, defaults())
		if err != nil || !slices.ContainsFunc(set.Commands,
			func(r CommandRule) bool { return r.Program == "x" }) {
			t.Errorf("%q: %v, %+v", was, err, set.Commands)
		}
	}
	for _, bad := range []string{"[]", "{plain: true}", "rules: &a {}\nplain: *a", "a: [",
		"rules: 3\n", "~", "rules:\n  commands: *a\n"} {
		if got, err := Insert([]byte(bad), rule); err == nil {
			t.Errorf("%q became %q", bad, got)
		}
	}
}

// FuzzInsert: what was a configuration stays one, with the rule and with all that it had.
func FuzzInsert(f *testing.F) {
	f.Add("rules:\n  commands:\n  - {program: a, verdict: ask}\n")
	f.Add("rules: {hosts: [{host: a.test, verdict: deny}]}")
	f.Add("# c\nplain: true\r\nrules:\n\n")
	rule := Way{"rules.commands", "{program: inserted-here, verdict: allow}"}
	f.Fuzz(func(t *testing.T, text string) {
		file := ConfigFile{Path: "test", Layer: UserLayer}
		was, err := decode(file, []byte(text), defaults())
		if err != nil {
			return
		}
		got, err := Insert([]byte(text), rule)
		if err != nil {
			return
		}
		now, err := decode(file, got, defaults())
		if err != nil {
			t.Fatalf("%q became %q: %v", text, got, err)
		}
		i := slices.IndexFunc(now.Commands,
			func(r CommandRule) bool { return r.Program == "inserted-here" })
		if i < 0 {
			t.Fatalf("%q became %q, without the rule", text, got)
		}
		now.Commands = slices.Delete(now.Commands, i, i+1)
		if len(now.Commands) == 0 {
			now.Commands = was.Commands[:0:0]
			was.Commands = was.Commands[:0:0]
		}
		if digest(Account{}, now) != digest(Account{}, was) {
			t.Fatalf("%q became %q, which says something else", text, got)
		}
	})
}
