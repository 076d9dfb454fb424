package intent

import (
	"reflect"
	"strings"
	"testing"
)

// What callers may propose, and what they are told is wrong with it.
func TestParseProposed(t *testing.T) {
	got, err := ParseAll(strings.NewReader(`{"hint": "dangerous", "reason": "all", "commands": ["ls -l",
		{"id": "x", "command": "make", "cwd": "sub", "hint": "safe", "reason": "mine"}, {"argv": ["rm", "a b"], "needs_confirm": true}]}`))
	want := []Proposed{
		{ID: "c1", Text: "ls -l", Intent: Intent{true, "dangerous", "all"}},
		{ID: "x", Text: "make", Dir: "sub", Intent: Intent{true, "dangerous", "mine"}},
		{ID: "c3", Words: []string{"rm", "a b"}, Intent: Intent{true, "dangerous", "all"}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for text, why := range map[string]string{
		`{}`:                           "no commands",
		`{"commands": []}`:             "no commands",
		`{"commands": [""]}`:           "one of command and argv",
		`{"commands": [null]}`:         "one of command and argv",
		`{"commands": [{}]}`:           "one of command and argv",
		`{"commands": [{"argv": []}]}`: "one of command and argv",
		`{"commands": [{"command": "a", "argv": ["a"]}]}`:      "one of command and argv",
		`{"commands": ["a", {"id": "c1", "command": "b"}]}`:    `have the id "c1"`,
		`{"commands": [{"command": "a", "approved": true}]}`:   `unknown field "approved"`,
		`{"commands": [{"command": 1}]}`:                       "invalid intent JSON",
		`{"commands": ["a"], "commands": ["b"], "allow": 1}`:   `unknown field "allow"`,
		`{"commands": ["a"]} {}`:                               "more than one",
		`{"commands": ["` + strings.Repeat("a", 1<<20) + `"]}`: "larger than 1 MiB",
		`{"commands": "a"}`:                                    "invalid intent JSON",
		`{"commands": ["a"`:                                    "invalid intent JSON",
	} {
		if _, err := ParseAll(strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), why) {
			t.Errorf("%.40q: %v, want %q", text, err, why)
		}
	}
}

// Whatever is proposed has a name of its own and something to run, and no doubt of the caller gets
// lost.
func FuzzParseProposed(f *testing.F) {
	f.Add(`{"commands": ["ls", {"id": "x", "command": "make", "hint": "h"}, {"argv": ["a"]}], "needs_confirm": true}`)
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ParseAll(strings.NewReader(text))
		if err != nil {
			return
		}
		whole, err := Parse(strings.NewReader(text))
		if err != nil {
			t.Fatalf("read as commands and not as an intent: %v", err)
		}
		seen := map[string]bool{}
		for _, p := range list {
			if p.ID == "" || seen[p.ID] || (p.Text == "") == (len(p.Words) == 0) {
				t.Errorf("%+v", p)
			}
			if seen[p.ID] = true; whole.Confirm() && !p.Intent.Confirm() {
				t.Errorf("%+v lost the doubt of %+v", p, whole)
			}
		}
	})
}
