package render_test

import (
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval/plan/plantest"
	"github.com/tada-run/tada-run/approval/render"
)

// A plain page is ASCII without a symbol of the ordinary one, and has the same facts.
func TestPlain(t *testing.T) {
	for name, command := range attacks(t) {
		for _, full := range []bool{false, true} {
			p := render.Render(plantest.Bytes(t, everywhere(command)),
				render.Options{Full: full, Plain: true, Phrase: "otter quilt"})
			for _, line := range p.Lines {
				if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r > '~' }) {
					t.Errorf("%s: %q", name, line)
				}
			}
		}
	}
	var b strings.Builder
	for _, q := range questions(t) {
		p := render.Render(q.Payload, render.Options{Width: 79, Plain: true})
		ordinary := render.Render(q.Payload, render.Options{Width: 79})
		if p.Truncated != ordinary.Truncated || p.PlanHash != ordinary.PlanHash {
			t.Errorf("%s is another page", q.Name)
		}
		b.WriteString(q.Name + "\n" + p.Text() + "\n")
	}
	golden(t, "testdata/questions-plain.txt", b.String())
}

// No payload can write one of the marks of a plain page.
func TestPlainMarksCannotBeForged(t *testing.T) {
	line := func(command string) string {
		p := render.Render(plantest.Small(t, func(p map[string]any) {
			p["tool_calls"] = []any{map[string]any{"tool_call_id": "c1", "tool_name": "shell",
				"args": map[string]any{"command": command}}}
		}), render.Options{Plain: true, Width: 200})
		for _, l := range p.Lines {
			if rest, ok := strings.CutPrefix(l, "run "); ok {
				return strings.TrimSpace(rest)
			}
		}
		return ""
	}
	seen := map[string]string{}
	for _, command := range []string{"a\u202eb", `a\u{202E}b`, `a\\u{202E}b`, "a\xffb", `a\x{FF}b`,
		"a\u00e9", `a\u{00E9}`, "x\ty", `x\u{0009}y`, strings.Repeat("z", 30), `z\{30 times}`,
		`z\\{30 times}`, `z\\\{30 times}`, "q\\\ne", `q\u{000A}e`, `q\\u{000A}e`, `r\u{00E9}`,
		"r\\\u00e9", "r\u00e9", strings.Repeat(`\`, 30), strings.Repeat(`\`, 31)} {
		got := line(command)
		if other, ok := seen[got]; ok || got == "" {
			t.Errorf("%q and %q both show as %q", command, other, got)
		}
		seen[got] = command
	}
}
