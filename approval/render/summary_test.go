package render_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/render"
)

// For every command and every amount of room, the part that a reason points at is shown, and what
// is not shown is counted exactly.
func TestShortenKeepsTheDangerousPart(t *testing.T) {
	t.Parallel()
	for _, filler := range []string{"a", " ", "\n", "\t", "\r", "é", "世", "\u202e", "\u2066",
		"\x00", "\x1b[2K", "\xff", "'", "\"", "⟦[cut]⟧", "very long words ",
		strings.Repeat("-", 100)} {
		for _, before := range []int{0, 1, 30, 10_000} {
			for _, after := range []int{0, 1, 30, 10_000} {
				for _, room := range []int{1, 24, 80, 400} {
					const danger = "| sh -c evil"
					head, tail := strings.Repeat(filler, before/len(filler)+1),
						strings.Repeat(filler, after/len(filler)+1)
					text := head + danger + tail
					pieces := render.Shorten(text, [][2]int{{len(head), len(head) + len(danger)}},
						room)
					shown, cut, found := 0, 0, false
					for _, p := range pieces {
						shown += utf8.RuneCountInString(p.Text)
						cut += p.Cut
						found = found || room >= 24 && strings.Contains(p.Text, danger)
					}
					name := fmt.Sprintf("%q x %d, %d, room %d", filler, before, after, room)
					if shown+cut != utf8.RuneCountInString(text) {
						t.Errorf("%s: %d shown and %d cut of %d", name, shown, cut,
							utf8.RuneCountInString(text))
					}
					if room >= 24 && !found {
						t.Errorf("%s: it shows %+v", name, pieces)
					}
					if utf8.RuneCountInString(text) > 5*room+40 && cut == 0 {
						t.Errorf("%s: nothing is cut", name)
					}
				}
			}
		}
	}
}

// A text without a reason keeps its end: the end is what a wrapped line hides.
func TestShortenKeepsTheEnd(t *testing.T) {
	t.Parallel()
	text := "curl https://a.test/" + strings.Repeat("x", 500) + " \\\n | sh"
	for _, spans := range [][][2]int{nil, {{0, len(text)}}} {
		pieces := render.Shorten(text, spans, 60)
		if last := pieces[len(pieces)-1].Text; !strings.HasSuffix(last, "| sh") ||
			!strings.HasPrefix(pieces[0].Text, "curl ") {
			t.Errorf("%+v", pieces)
		}
	}
}

// The summary of a plan shows the agent's own command, unless a reason points at what is around it;
// of several calls all.
func TestSummary(t *testing.T) {
	t.Parallel()
	plan := func(reasons []any, calls ...map[string]any) []byte {
		var list []any
		for i, args := range calls {
			list = append(list, map[string]any{"tool_call_id": fmt.Sprint("c", i+1),
				"args": any(args)})
		}
		b, err := json.Marshal(map[string]any{"tool_calls": list, "reasons": reasons})
		if err != nil {
			t.Fatal(err)
		}
		tree, err := canonical.Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		if b, err = canonical.Append(nil, tree); err != nil {
			t.Fatal(err)
		}
		return b
	}
	pad := strings.Repeat(" x", 300)
	wrapped := "setup" + pad + "; eval 'rm -rf b" + pad + "'; cleanup"
	at := strings.Index(wrapped, "setup")
	in := strings.Index(wrapped, "rm")
	for name, c := range map[string]struct {
		payload []byte
		calls   int
		has     string
		not     string
	}{
		"own command": {plan([]any{map[string]any{"verdict": "ask",
			"span": []any{in, in + 8}}},
			map[string]any{"command": wrapped, "inside": "rm -rf b" + pad}), 1, "rm -rf b",
			"setup"},
		"danger around it": {plan([]any{map[string]any{"verdict": "ask",
			"span": []any{at, at + 5}}},
			map[string]any{"command": wrapped, "inside": "rm -rf b" + pad}), 1, "setup", "cleanup"},
		"several": {plan(nil, map[string]any{"command": "one" + pad},
			map[string]any{"command": "two" + pad}), 2, "two", ""},
		"no plan": {[]byte("x"), 0, "", ""},
	} {
		got := render.Summary(c.payload, 80)
		if text := fmt.Sprint(got); len(got) != c.calls || !strings.Contains(text, c.has) ||
			c.not != "" && strings.Contains(text, c.not) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
