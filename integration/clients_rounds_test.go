package integration

import (
	"slices"
	"strings"
	"testing"
)

// A round is the results of the calls of the conversation, with plain bash and in another way of
// calling.
type round struct {
	plain, got []string
}

// differs reports whether a call is to be made again.
func (c conversation) differs(of client, door string, rounds []round) bool {
	for i, call := range c.calls {
		if wrong, _, _ := call.settle(of, door, i, rounds); wrong != "" {
			return true
		}
	}
	return false
}

// settle compares the results of the n-th call. One round without a difference is enough if in
// every other round something of that same result was lost. Anything else is a difference, however
// rarely it occurs. It returns the round to show.
func (s spoken) settle(c client, door string, n int, rounds []round) (wrong, why string, _ round) {
	judge := func(r round) (string, string) {
		got := r.got[n]
		if alike(c, r.plain[n], got) {
			got = r.plain[n]
		}
		return s.compare(c.name+"/"+door, r.plain[n], got)
	}
	var full *round // that without a difference, and the longest of them
	for i, r := range rounds {
		w, y := judge(r)
		if w == "" && (full == nil || len(r.got[n]) > len(full.got[n])) {
			full, why = &rounds[i], y
		}
		wrong = w
	}
	if full == nil {
		return wrong, "", rounds[len(rounds)-1]
	}
	for _, r := range rounds {
		if wrong, _ := judge(r); wrong != "" && !(lost(r.plain[n], full.plain[n]) &&
			lost(r.got[n], full.got[n])) {
			return wrong + ", which is no lost end", "", r
		}
	}
	return "", why, *full
}

// lost reports whether a result is the other one, or the other one without one piece.
func lost(part, full string) bool {
	part = strings.Replace(part, "Output: (empty)", "Output: ", 1)
	if len(part) > len(full) {
		return false
	}
	head := 0
	for head < len(part) && part[head] == full[head] {
		head++
	}
	return strings.HasSuffix(full, part[head:])
}

// alike reports whether two results differ at most in the order of standard output and standard
// error: all clients except Claude Code read them from two pipes, and take what is there.
func alike(c client, a, b string) bool {
	letters := func(s string) []byte {
		return slices.Sorted(slices.Values([]byte(strings.Join(strings.Fields(s), ""))))
	}
	return c.name != "claude-code" && slices.Equal(letters(a), letters(b))
}

// A difference fails if it stays, if it is not a lost end, or if the client loses none.
func TestRounds(t *testing.T) {
	const full = "Output: one\ntwo\nthree\nExit Code: 0"
	const torn = "Output: one\ntw\nExit Code: 0"
	none := "Output: (empty)\nExit Code: 0"
	for _, c := range []struct {
		name   string
		rounds [][2]string // plain, got
		wrong  bool
	}{
		{"the same", [][2]string{{full, full}}, false},
		{"a lost end, once", [][2]string{{full, torn}, {full, full}}, false},
		{"a lost end of plain bash, and all is lost", [][2]string{{torn, full}, {full, none},
			{full, full}}, false},
		{"a lost end, every time", [][2]string{{full, torn}, {full, torn}, {full, torn}}, true},
		{"two lost ends that are the same", [][2]string{{full, torn}, {torn, torn}}, true},
		{"something else, once", [][2]string{{full, "Output: four\nExit Code: 0"}, {full, full}},
			true},
		{"more, once", [][2]string{{full, full + "\nmore"}, {full, full}}, true},
		{"another status, once", [][2]string{{full, "Output: one\nExit Code: 1"}, {full, full}},
			true},
	} {
		var rounds []round
		for _, r := range c.rounds {
			rounds = append(rounds, round{r[:1], r[1:]})
		}
		wrong, _, _ := spoken{}.settle(clientNamed("qwen"), "shell", 0, rounds)
		if (wrong != "") != c.wrong {
			t.Errorf("%s: %q", c.name, wrong)
		}
	}
}
