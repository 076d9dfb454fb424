package launcher

import (
	"strings"
	"testing"

	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse"
)

// A refusal is read as the output of a command: one line, however much there was to say.
func TestRefusalIsBounded(t *testing.T) {
	v := pathguard.Verdict{Decision: pathguard.Ask}
	for i := range 500 {
		v.Reasons = append(v.Reasons,
			pathguard.Reason{Rule: "opaque.code", Decision: pathguard.Ask, Message: strings.Repeat("é", 5000), Span: shellparse.Span{Start: i, End: i + 1}},
			pathguard.Reason{Rule: "r" + strings.Repeat("x", i), Decision: pathguard.Ask, Message: "m", Instead: "the code written out"},
			pathguard.Reason{Rule: "allowed", Decision: pathguard.Allow})
	}
	r := refuse(v, "pending", "pending", "", ExitPending)
	if len(r.Items) != maxItems || r.More != 500-(maxItems-1) || len(r.Hints) != 1 || len(r.Items[0].Spans) != maxItems {
		t.Errorf("%d items, %d more, %d hints, %d spans", len(r.Items), r.More, len(r.Hints), len(r.Items[0].Spans))
	}
	if text := r.JSON(); len(text) > 8<<10 || strings.Contains(text, "\n") || strings.Contains(text, "allowed\"") {
		t.Errorf("%d bytes: %.200s", len(text), text)
	}
}

// What waits says what the question is about, on one line; a denial names its code.
func TestRefusalLine(t *testing.T) {
	for _, tt := range []struct {
		r    Refusal
		want string
	}{
		{Refusal{Status: "pending", Code: "pending", Message: "answer it", Items: []RefusedItem{{Message: "deletes\n/w"}}}, `tada-run: pending: deletes\n/w; answer it`},
		{Refusal{Status: "pending", Code: "pending", Message: "answer it"}, "tada-run: pending: answer it"},
		{Refusal{Status: "denied", Code: "human_denied", Message: "no", Items: []RefusedItem{{Message: "deletes /w"}}}, "tada-run: denied by the user: no"},
		{Refusal{Status: "denied", Code: "human_denied", Message: deniedByUser}, "tada-run: denied by the user"},
	} {
		if got := tt.r.Line(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
