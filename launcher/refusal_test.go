package launcher

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard/tamper"

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
	r := refuse(pathguard.English, v, "pending", "pending", "", ExitPending)
	if len(r.Items) != maxItems || r.More != 500-(maxItems-1) || len(r.Hints) != 1 || len(r.Items[0].Spans) != maxItems {
		t.Errorf("%d items, %d more, %d hints, %d spans", len(r.Items), r.More, len(r.Hints), len(r.Items[0].Spans))
	}
	if text := r.JSON(); len(text) > 8<<10 || strings.Contains(text, "\n") || strings.Contains(text, "allowed\"") {
		t.Errorf("%d bytes: %.200s", len(text), text)
	}
}

// What waits says what the question is about, on one line; a denial names its code.
func TestRefusalLine(t *testing.T) {
	zh := func(r Refusal) Refusal { r.in = pathguard.Chinese; return r }
	for _, tt := range []struct {
		r    Refusal
		want string
	}{
		{Refusal{Status: "pending", Code: "pending", Message: "answer it", Items: []RefusedItem{{Message: "deletes\n/w"}}}, `tada-run: pending: deletes\n/w; answer it`},
		{Refusal{Status: "pending", Code: "pending", Message: "answer it"}, "tada-run: pending: answer it"},
		{Refusal{Status: "denied", Code: "human_denied", Message: "no", Items: []RefusedItem{{Message: "deletes /w"}}}, "tada-run: denied by the user: no"},
		{Refusal{Status: "denied", Code: "human_denied", Message: phrase(pathguard.English, "denied by user")}, "tada-run: denied by the user"},
		{zh(Refusal{Status: "pending", Code: "pending", Message: "回答", Items: []RefusedItem{{Message: "删除 /w"}}}), "tada-run: 等待批准: 删除 /w; 回答"},
		{zh(Refusal{Status: "denied", Code: "policy_denied", Message: "否"}), "tada-run: 已拒绝 (policy_denied): 否"},
		{zh(Refusal{Status: "denied", Code: "human_denied", Message: "否", Offer: &Offer{Command: "ls"}}), "tada-run: 用户已拒绝: 否；可改用: ls"},
		{zh(Refusal{Status: "denied", Code: "human_denied", Message: phrase(pathguard.Chinese, "denied by user")}), "tada-run: 用户已拒绝"},
		{zh(Refusal{Status: "cancelled", Code: "cancelled", Message: "x"}), "tada-run: 已取消: x"},
	} {
		if got := tt.r.Line(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// Every phrase is there in both languages, with the same values and the same commands in it.
func TestPhrases(t *testing.T) {
	parts := regexp.MustCompile(`%[a-z]|tadactl [a-z]+|--profile ci`)
	for key, p := range phrases {
		en, zh := parts.FindAllString(p[0], -1), parts.FindAllString(p[1], -1)
		if !hasHan(p[1]) && key != "instead" || hasHan(p[0]) || !slices.Equal(en, zh) {
			t.Errorf("%s: %q is not %q", key, p[0], p[1])
		}
	}
}

func hasHan(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// C-6.2.1: a refusal is in the language of the one who asked: its line, and each message in its
// JSON. The words for programs are the same in every language.
func TestRefusalIsInTheCallersLanguage(t *testing.T) {
	l, base := world(t)
	tampered := &tamper.TamperError{Root: base.Dir, Findings: []tamper.Finding{{Path: base.Dir + "/TODO.md", Kind: tamper.Changed}}}
	several := &tamper.TamperError{Root: base.Dir, Findings: append(tampered.Findings, tampered.Findings...)}
	answer := func(err error) func(*openQuestion) *Refusal {
		return func(q *openQuestion) *Refusal {
			f, _ := q.storeRefusal(&approval.Refused{Envelope: "0A1", Err: err, Until: l.state.Now().Add(time.Minute)})
			return f
		}
	}
	for name, refusal := range map[string]func(*openQuestion) *Refusal{
		"policy":  func(q *openQuestion) *Refusal { return q.denied() },
		"pending": func(q *openQuestion) *Refusal { return q.pending(approval.Envelope{ID: "0A1"}) },
		"unfit": func(q *openQuestion) *Refusal {
			q.unfit = &Unfit{Envelope: "0A2"}
			return q.pending(approval.Envelope{ID: "0A1"})
		},
		"withdrawn": func(q *openQuestion) *Refusal { return q.withdrawn("0A1", q.say("withdrawn")) },
		"replayed":  answer(approval.ErrReplayed),
		"cools off": answer(approval.ErrDenied),
		"many":      answer(approval.ErrBusy),
		"tampered":  func(q *openQuestion) *Refusal { return q.tamperRefusal(tampered) },
		"several":   func(q *openQuestion) *Refusal { return q.tamperRefusal(several) },
		"skipped":   func(q *openQuestion) *Refusal { return skipped(q.Judgement, "stopped", q.say("stopped")) },
		"swapped":   func(q *openQuestion) *Refusal { return q.swappedRefusal(&swappedError{[]string{"x.sh"}}) },
		"no shell": func(q *openQuestion) *Refusal {
			return q.shellless(&sandbox.ExecError{Path: "/bin/sh", Err: os.ErrPermission})
		},
		"a person's": func(q *openQuestion) *Refusal { f, _ := q.humanDenied(t.Context(), "0A1", nil); return f },
		"quarantined": func(q *openQuestion) *Refusal {
			q.Request.Env = append(q.Request.Env, QuarantineVariable+"=x")
			return q.heldIn()
		},
	} {
		var codes [2]string
		for i, lang := range []string{"C.UTF-8", "zh_CN.UTF-8"} {
			req := base
			req.Env = append(slices.DeleteFunc(slices.Clone(req.Env), func(v string) bool { return strings.HasPrefix(v, "L") }), "LANG="+lang)
			req.Shell.Text = "rm -rf /"
			f := refusal(&openQuestion{attempt: &attempt{Judgement: judged(t, l, req), l: l}})
			codes[i] = fmt.Sprint(f.Status, f.Code, f.Retry, f.exit)
			texts := []string{f.Line(), f.Message}
			if f.exit != ExitTampered { // whose items are hashes
				for _, item := range f.Items {
					texts = append(texts, item.Message)
				}
			}
			for _, text := range append(texts, f.Hints...) {
				if hasHan(text) != (i == 1) {
					t.Errorf("%s, %s: %q", name, lang, text)
				}
			}
		}
		if codes[0] != codes[1] {
			t.Errorf("%s: programs are told %q", name, codes)
		}
	}
}
