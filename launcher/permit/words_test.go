package permit

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard"
)

// A speaker is a case of which only the language matters.
type speaker struct {
	Case
	in pathguard.Locale
}

func (s speaker) Judged() pathguard.Verdict { return pathguard.Verdict{} }
func (s speaker) Locale() pathguard.Locale  { return s.in }

// C-6.2.1: what the store, a person or the lack of one refuses is told in the language of the one
// who asked, and the words for programs are the same in every language.
func TestRefusalsOfAQuestionSpeakTheLanguage(t *testing.T) {
	answer := func(err error) func(*Question) *refusal.Refusal {
		return func(q *Question) *refusal.Refusal {
			f, _ := q.storeRefusal(&approval.Refused{Envelope: "0A1", Err: err,
				Until: q.dir.Now().Add(time.Minute)})
			return f
		}
	}
	for name, refused := range map[string]func(*Question) *refusal.Refusal{
		"pending": func(q *Question) *refusal.Refusal { return q.pending(approval.Envelope{ID: "0A1"}) },
		"unfit": func(q *Question) *refusal.Refusal {
			q.unfit = &refusal.Unfit{Envelope: "0A2"}
			return q.pending(approval.Envelope{ID: "0A1"})
		},
		"withdrawn": func(q *Question) *refusal.Refusal {
			return q.withdrawn("0A1", q.say("withdrawn"))
		},
		"replayed":  answer(approval.ErrReplayed),
		"cools off": answer(approval.ErrDenied),
		"many":      answer(approval.ErrBusy),
		"a person's": func(q *Question) *refusal.Refusal {
			f, _ := q.HumanDenied(t.Context(), "0A1", nil)
			return f
		},
	} {
		var codes [2]string
		for i, in := range []pathguard.Locale{pathguard.English, pathguard.Chinese} {
			dir := state.Home{Dir: t.TempDir()}.Use()
			f := refused(NewQuestion(&Attempt{Case: speaker{in: in},
				Approvals: &Approvals{dir: dir}}))
			codes[i] = fmt.Sprint(f.Status, f.Code, f.Retry, f.Exit)
			for _, text := range []string{f.Line(), f.Message} {
				if isHan(text) != (i == 1) {
					t.Errorf("%s, %v: %q", name, in, text)
				}
			}
		}
		if codes[0] != codes[1] {
			t.Errorf("%s: programs are told %q", name, codes)
		}
	}
}

func isHan(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}
