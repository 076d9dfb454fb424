package docs

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPlain(t *testing.T) {
	const page = "# Undo it\n\nSee [the record](record.md), **now**, and " +
		"[RFC](https://a.test/b).\nIt is\none paragraph.\n\n" +
		"- a list\n  goes on\n- and on\n\n![picture](how.svg)\n\n" +
		"```console\n$ true\n\n- no item\n```\n\n" +
		"| a | b |\n|---|---|\n| `x \\| y` | 2 |\n"
	const want = "UNDO IT\n\n" +
		"    See the record (tadactl help record), now, and RFC <https://a.test/b>. It\n" +
		"    is one paragraph.\n\n" +
		"    - a list goes on\n    - and on\n\n" +
		"        $ true\n\n        - no item\n\n" +
		"    a        b\n    `x | y`  2\n"
	if got := Plain(page); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	word := strings.Repeat("word ", 15)
	for table, want := range map[string]string{
		"| name | what |\n|---|---|\n| one | " + word + "|\n": "    name  what\n" +
			"    one   " + word[:69] + "\n          word\n",
		"| name | what |\n|---|---|\n| " + word + "| " + word + "|\n": "    " + word[:74] +
			"\n      - what: " + word[:64] + "\n        word word\n",
	} {
		if got := Plain(table); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	if got := cells("| a | b |"); len(got) != 2 {
		t.Errorf("%q", got)
	}
}

// Every page has a heading of its own, and fits a terminal except for its literal lines.
func TestTopics(t *testing.T) {
	seen := map[string]bool{}
	for _, topic := range Topics() {
		text, ok := Page(topic.Name)
		if !ok || topic.About == "" || seen[topic.About] || !strings.HasPrefix(text, "# ") {
			t.Errorf("%s: %q, %v", topic.Name, topic.About, ok)
		}
		seen[topic.About] = true
		for line := range strings.Lines(Plain(text)) {
			if strings.HasPrefix(line, margin+"    ") ||
				!strings.Contains(strings.TrimSpace(line), " ") {
				continue
			}
			if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > columns {
				t.Errorf("%s: %q is too wide", topic.Name, line)
			}
		}
	}
	for _, name := range order {
		if _, ok := Page(name); !ok {
			t.Errorf("there is no page %s", name)
		}
	}
	for _, name := range []string{"", "../README", "docs.go", "nothing", "a/b"} {
		if _, ok := Page(name); ok {
			t.Errorf("%q is a page", name)
		}
	}
}
