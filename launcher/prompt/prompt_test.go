package prompt

import (
	"slices"
	"testing"
)

// Calls are denied by their numbers on the page: what is no number of a call denies none, and the
// page says what a yes would allow.
func TestCallsAreChosenByNumber(t *testing.T) {
	p := Page{Calls: []string{"a", "b", "c"}, After: "after a denial"}
	for line, want := range map[string][]string{
		"": nil, "2": {"b"}, "3, 1 and 3": {"c", "a"}, "0 4 -1": {"a"}, "b": nil,
		"99999999999999999999": nil,
	} {
		if got := p.chosen(line); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	if got, want := p.below(Answer{Denied: []string{"b"}}),
		"after a denial\nanswers  1:yes 2:NO 3:yes\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (Page{Calls: []string{"a"}}).below(Answer{Denied: []string{"a"}}); got != "" {
		t.Errorf("one call: %q", got)
	}
}

// A key is offered only where it means something.
func TestKeysFitTheQuestion(t *testing.T) {
	for _, test := range []struct {
		p    Page
		keys string
	}{
		{Page{}, "e"}, {Page{Edited: true}, "ei"}, {Page{Calls: []string{"a", "b"}}, "ce"},
		{Page{Calls: []string{"a"}}, "e"},
	} {
		if got := string(test.p.options().Others); got != test.keys {
			t.Errorf("%+v: keys %q, want %q", test.p, got, test.keys)
		}
	}
	for key, want := range map[rune]string{0: "three wrong tries", 0x1b: "key Esc", 3: "key Ctrl-C",
		'q': "key q"} {
		if got := leftBy(key); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
}
