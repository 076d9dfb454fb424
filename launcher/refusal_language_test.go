package launcher

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// C-6.2.1: a refusal is in the language of the one who asked: its line, and each message in its
// JSON. The words for programs are the same in every language.
func TestRefusalIsInTheCallersLanguage(t *testing.T) {
	l, base := world(t)
	tampered := &tamper.TamperError{Root: base.Dir,
		Findings: []tamper.Finding{{Path: base.Dir + "/TODO.md", Kind: tamper.Changed}}}
	several := &tamper.TamperError{Root: base.Dir,
		Findings: append(tampered.Findings, tampered.Findings...)}
	for name, refusal := range map[string]func(*attempt) *refusal.Refusal{
		"policy":   func(q *attempt) *refusal.Refusal { return q.denied() },
		"tampered": func(q *attempt) *refusal.Refusal { return q.tamperRefusal(tampered) },
		"several":  func(q *attempt) *refusal.Refusal { return q.tamperRefusal(several) },
		"skipped": func(q *attempt) *refusal.Refusal {
			return skipped(q.Judgement, "stopped", q.say("stopped"))
		},
		"swapped": func(q *attempt) *refusal.Refusal { return q.swappedRefusal(&swappedError{[]string{"x.sh"}}) },
		"no shell": func(q *attempt) *refusal.Refusal {
			return q.shellless(&sandbox.ExecError{Path: "/bin/sh", Err: os.ErrPermission})
		},
		"quarantined": func(q *attempt) *refusal.Refusal {
			q.Request.Env = append(q.Request.Env, QuarantineVariable+"=x")
			return q.heldIn()
		},
	} {
		var codes [2]string
		for i, lang := range []string{"C.UTF-8", "zh_CN.UTF-8"} {
			req := base
			req.Env = append(slices.DeleteFunc(slices.Clone(req.Env),
				func(v string) bool { return strings.HasPrefix(v, "L") }), "LANG="+lang)
			req.Shell.Text = "rm -rf /"
			f := refusal(&attempt{Judgement: judged(t, l, req), l: l})
			codes[i] = fmt.Sprint(f.Status, f.Code, f.Retry, f.Exit)
			texts := []string{f.Line(), f.Message}
			if f.Exit != exit.Tampered { // whose items are hashes
				for _, item := range f.Items {
					texts = append(texts, item.Message)
				}
			}
			for _, text := range append(texts, f.Hints...) {
				if isChinese(text) != (i == 1) {
					t.Errorf("%s, %s: %q", name, lang, text)
				}
			}
		}
		if codes[0] != codes[1] {
			t.Errorf("%s: programs are told %q", name, codes)
		}
	}
}

func isChinese(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}
