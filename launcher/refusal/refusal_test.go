package refusal

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse"
)

// A refusal is read as the output of a command: one line, however much there was to say.
func TestRefusalIsBounded(t *testing.T) {
	v := pathguard.Verdict{Decision: pathguard.Ask}
	for i := range 500 {
		v.Reasons = append(v.Reasons,
			pathguard.Reason{Rule: "opaque.code", Decision: pathguard.Ask,
				Message: strings.Repeat("é", 5000), Span: shellparse.Span{Start: i, End: i + 1}},
			pathguard.Reason{Rule: "r" + strings.Repeat("x", i), Decision: pathguard.Ask,
				Message: "m", Instead: "the code written out"},
			pathguard.Reason{Rule: "allowed", Decision: pathguard.Allow})
	}
	r := Of(pathguard.English, v, "pending", "pending", "", exit.Pending)
	if len(r.Items) != MaxItems || r.More != 500-(MaxItems-1) || len(r.Hints) != 1 ||
		len(r.Items[0].Spans) != MaxItems {
		t.Errorf("%d items, %d more, %d hints, %d spans", len(r.Items), r.More, len(r.Hints),
			len(r.Items[0].Spans))
	}
	if text := r.JSON(); len(text) > 8<<10 || strings.Contains(text, "\n") ||
		strings.Contains(text, "allowed\"") {
		t.Errorf("%d bytes: %.200s", len(text), text)
	}
}

// What waits says what the question is about, on one line; a denial names its code.
func TestRefusalLine(t *testing.T) {
	zh := func(r Refusal) Refusal { r.In = pathguard.Chinese; return r }
	for _, tt := range []struct {
		r    Refusal
		want string
	}{
		{Refusal{Status: "pending", Code: "pending", Message: "answer it",
			Items: []Item{{Message: "deletes\n/w"}}}, `tada-run: pending: deletes\n/w; answer it`},
		{Refusal{Status: "pending", Code: "pending", Message: "answer it"},
			"tada-run: pending: answer it"},
		{Refusal{Status: "denied", Code: "human_denied", Message: "no",
			Items: []Item{{Message: "deletes /w"}}}, "tada-run: denied by the user: no"},
		{Refusal{Status: "denied", Code: "human_denied",
			Message: Phrase(pathguard.English, "denied by user")}, "tada-run: denied by the user"},
		{zh(Refusal{Status: "pending", Code: "pending", Message: "回答",
			Items: []Item{{Message: "删除 /w"}}}), "tada-run: 等待批准: 删除 /w; 回答"},
		{zh(Refusal{Status: "denied", Code: "policy_denied", Message: "否"}),
			"tada-run: 已拒绝 (policy_denied): 否"},
		{zh(Refusal{Status: "denied", Code: "human_denied", Message: "否",
			Offer: &Offer{Command: "ls"}}), "tada-run: 用户已拒绝: 否；可改用: ls"},
		{zh(Refusal{Status: "denied", Code: "human_denied",
			Message: Phrase(pathguard.Chinese, "denied by user")}), "tada-run: 用户已拒绝"},
		{zh(Refusal{Status: "cancelled", Code: "cancelled", Message: "x"}), "tada-run: 已取消: x"},
		// in CI the reason is all that the author of a job has
		{Refusal{Status: "denied", Code: "no_approver", Message: "no one to ask",
			Items: []Item{{Message: "deletes all"}}},
			"tada-run: denied: deletes all; no one to ask"},
	} {
		if got := tt.r.Line(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// Every phrase is there in both languages, with the same values and the same commands in it.
func TestPhrases(t *testing.T) {
	parts := regexp.MustCompile(`%[a-z]|tadactl [a-z]+|--profile ci`)
	keys := regexp.MustCompile(`(?m)^[a-z ]+$`).FindAllString(phrases, -1)
	if len(keys) < 20 || strings.Count(phrases, "\n") != 2+3*len(keys) {
		t.Errorf("keys %q of\n%s", keys, phrases)
	}
	for _, key := range keys {
		p := []string{Phrase(pathguard.English, key), Phrase(pathguard.Chinese, key)}
		en, zh := parts.FindAllString(p[0], -1), parts.FindAllString(p[1], -1)
		if !hasHan(p[1]) && key != "instead" || hasHan(p[0]) || !slices.Equal(en, zh) {
			t.Errorf("%s: %q is not %q", key, p[0], p[1])
		}
	}
}

func hasHan(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}
