package refusal

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/notice"
	"github.com/tada-run/tada-run/pathguard"
)

// A Refusal says why nothing ran, once for a person and once for the program that asked.
// It never names a way to weaken the policy, because the reader may be the one that wants to.
type Refusal struct {
	Version  int      `json:"tada"`
	Status   string   `json:"status"` // denied | cancelled | pending
	Code     string   `json:"code"`
	Message  string   `json:"message"`
	Envelope string   `json:"envelope,omitempty"`
	Items    []Item   `json:"items"`
	More     int      `json:"more_items,omitempty"` // reasons beyond those in Items
	Retry    string   `json:"retry"`
	Cooloff  int      `json:"cooloff_s,omitempty"`
	Hints    []string `json:"hints,omitempty"` // in words, what would do; not checked
	// commands that the policy allows, judged just now
	Instead []string `json:"allowed_instead,omitempty"`
	Offer   *Offer   `json:"offer,omitempty"`
	// an approval of the same command that does not fit, and why
	Unfit    *Unfit `json:"approval_unfit,omitempty"`
	HumanCan string `json:"human_can,omitempty"`
	Audit    string `json:"audit,omitempty"`
	Internal `json:"-"`
}

// An Internal is the part of a refusal that no program gets.
type Internal struct {
	Exit int              `json:"-"` // status of tada-run
	Wish string           `json:"-"` // the command that the person would rather see
	In   pathguard.Locale `json:"-"` // the reader's language
	Here bool             `json:"-"` // a person has said so on the terminal of the command
	// nothing new may start on this machine, so the program that asked need not go on
	Frozen bool `json:"-"`
}

// DoesNotFit says which approval does not fit, and why; nothing for nil.
func (r *Refusal) DoesNotFit(u *Unfit) {
	if u != nil {
		r.Unfit, r.Message = u, r.Message+Phrase(r.In, "unfit", u.Envelope,
			strings.Join(u.Differs, ", "))
	}
}

// A Item is one call and the reasons against it.
type Item struct {
	ID       string   `json:"id"`
	Decision string   `json:"decision"`
	Rule     string   `json:"rule,omitempty"`
	Spans    [][2]int `json:"spans,omitempty"`
	Message  string   `json:"message,omitempty"`
}

// Line is the refusal as one line for a person, without the newline. If it waits for an answer, the
// subject of the question comes first. After a denial by a person it leaves out the advice to the
// agent, because the person who denied reads it too.
func (r *Refusal) Line() string {
	status, byUser := cmp.Or(Phrase(r.In, r.Status), r.Status), Phrase(r.In, "by user")
	if r.Status != r.Code && r.Code != codeNoApprover { // that has the reason of a question
		line := fmt.Sprintf("tada-run: %s (%s): %s", status, r.Code, notice.Visible(r.Message))
		switch {
		case len(r.Items) > 0 && r.Items[0].Rule == "text.unparsable":
			// nothing in it is dangerous: it is not a command
			line = fmt.Sprintf("tada-run: %s: %s", status, notice.Visible(r.Message))
		case r.Code == CodeDenied && r.Message == Phrase(r.In, "denied by user"):
			line = "tada-run: " + byUser
		case r.Code == CodeDenied:
			line = "tada-run: " + byUser + ": " + notice.Visible(r.Message)
		}
		if r.Offer != nil {
			line += Phrase(r.In, "instead", notice.Visible(r.Offer.Command))
		}
		return line
	}
	about := ""
	if len(r.Items) > 0 && r.Items[0].Message != "" {
		about = notice.Visible(r.Items[0].Message) + "; "
	}
	return fmt.Sprintf("tada-run: %s: %s%s", status, about, notice.Visible(r.Message))
}

// CodeDenied is the code of a denial by a person.
const CodeDenied = "human_denied"

// codeNoApprover is the code of a question that no person can be asked.
const codeNoApprover = "no_approver"

// JSON is the refusal as one line for a program, without the newline.
func (r *Refusal) JSON() string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return `{"tada":1,"status":"denied","code":"internal"}`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// The text for a program is bounded: it reads the refusal as output of its command, and a generated
// script of 80 kB has hundreds of reasons.
const (
	MaxItems  = 12
	maxReason = 300 // bytes of one message
)

// Clip is the beginning of a message that is too long to be read.
func Clip(s string) string {
	if len(s) <= maxReason {
		return s
	}
	return strings.ToValidUTF8(s[:maxReason], "") + fmt.Sprintf("... (%d bytes)", len(s))
}

// FirstCall names the only call of a single command. The caller's own id for it is recorded,
// not bound: clients number their calls, and a number would make every repetition new.
const FirstCall = "c1"

// Of words the verdict v for the run's only call, in a language. Only the reasons that decided are
// included, each rule's spans together.
func Of(in pathguard.Locale, v pathguard.Verdict, status, code, message string, exit int) *Refusal {
	r := &Refusal{
		Version: 1, Status: status, Code: code, Message: message, Items: []Item{},
		Retry: "do_not_repeat_identical",
	}
	r.Exit, r.In, r.Frozen = exit, in, v.IsFrozen()
	type told struct{ rule, message string }
	at := make(map[told]int)
	for _, reason := range v.Reasons {
		if reason.Decision != v.Decision {
			continue
		}
		if instead := reason.InsteadIn(in); instead != "" && !slices.Contains(r.Hints, instead) {
			r.Hints = append(r.Hints, instead)
		}
		span := [2]int{reason.Span.Start, reason.Span.End}
		text := reason.Message
		if in != pathguard.English {
			text = reason.In(in)
		}
		key := told{reason.Rule, Clip(text)}
		i, again := at[key]
		switch {
		case again && len(r.Items[i].Spans) < MaxItems:
			r.Items[i].Spans = append(r.Items[i].Spans, span)
		case again:
		case len(r.Items) == MaxItems:
			r.More++
		default:
			at[key] = len(r.Items)
			r.Items = append(r.Items, Item{
				ID: FirstCall, Decision: status, Rule: key.rule, Message: key.message,
				Spans: [][2]int{span},
			})
		}
	}
	if r.Message == "" && len(r.Items) > 0 {
		r.Message = r.Items[0].Message
	}
	return r
}

// An Offer is the command that a person suggested instead of the one that was denied. It is another
// plan, with its own hash and question: no part of the denied command runs. Its verdict is allow
// (it may be run), ask (its question is open), approved (it was answered so) or cancelled (it was
// withdrawn).
type Offer struct {
	Command  string `json:"command"`
	Verdict  string `json:"verdict"`
	PlanHash string `json:"plan_hash"`
	Envelope string `json:"envelope,omitempty"`
}

// An Unfit names an approval of the same command line that does not fit now, and what differs.
type Unfit struct {
	Envelope string   `json:"envelope"`
	Differs  []string `json:"differs"`
}

func (u *Unfit) String() string {
	return "approval " + u.Envelope + " for this command does not match: " + strings.Join(u.Differs,
		", ")
}

// For is the refusal of a batch as that of one call with the verdict v.
func (r *Refusal) For(in pathguard.Locale, v pathguard.Verdict) *Refusal {
	if v.Decision == pathguard.Allow {
		v.Reasons = nil // they are no reasons against it
	}
	own := Of(in, v, r.Status, r.Code, r.Message, r.Exit)
	own.Envelope, own.Retry, own.Cooloff, own.HumanCan = r.Envelope, r.Retry, r.Cooloff, r.HumanCan
	if r.Exit == exit.Tampered {
		own.Items = slices.Clone(r.Items)
	}
	return own
}

// Denied words a verdict that no person can change.
func Denied(in pathguard.Locale, v pathguard.Verdict) *Refusal {
	code, message := "policy_denied", ""
	var security *pathguard.SecurityError
	if err := v.Err(in); errors.As(err, &security) {
		code, message = string(security.Type), security.Message
	}
	return Of(in, v, "denied", code, message, exit.Denied)
}

// Waits reports whether the question is still open, so that the same line is allowed after an
// approval.
func (f *Refusal) Waits() bool { return f != nil && f.Status == "pending" }
