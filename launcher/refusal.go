package launcher

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/notice"
	"github.com/tada-run/tada-run/pathguard"
)

// A Refusal says why nothing ran, once for a person and once for the program that asked.
// It never names a way to weaken the policy, because the reader may be the one that wants to.
type Refusal struct {
	Version  int           `json:"tada"`
	Status   string        `json:"status"` // denied | cancelled | pending
	Code     string        `json:"code"`
	Message  string        `json:"message"`
	Envelope string        `json:"envelope,omitempty"`
	Items    []RefusedItem `json:"items"`
	More     int           `json:"more_items,omitempty"` // reasons beyond those in Items
	Retry    string        `json:"retry"`
	Cooloff  int           `json:"cooloff_s,omitempty"`
	Hints    []string      `json:"hints,omitempty"`           // in words, what would do; not checked
	Instead  []string      `json:"allowed_instead,omitempty"` // commands that the policy allows, judged just now
	Offer    *Offer        `json:"offer,omitempty"`
	Unfit    *Unfit        `json:"approval_unfit,omitempty"` // an approval of the same command that does not fit, and why
	HumanCan string        `json:"human_can,omitempty"`
	Audit    string        `json:"audit,omitempty"`
	refusalInside
}

// A refusalInside is what the launcher alone knows of a refusal.
type refusalInside struct {
	exit    int
	instead string     // what the person would rather see
	used    *authority // what was consumed all the same
	in      pathguard.Locale
}

// unfit says which approval does not fit, and why; nothing for nil.
func (r *Refusal) unfit(u *Unfit) {
	if u != nil {
		r.Unfit, r.Message = u, r.Message+phrase(r.in, "unfit", u.Envelope, strings.Join(u.Differs, ", "))
	}
}

// A RefusedItem is one call and the reasons against it.
type RefusedItem struct {
	ID       string   `json:"id"`
	Decision string   `json:"decision"`
	Rule     string   `json:"rule,omitempty"`
	Spans    [][2]int `json:"spans,omitempty"`
	Message  string   `json:"message,omitempty"`
}

// Line is the refusal as one line for a person, without the newline. What waits for an answer says
// first what the question is about. A denial by a person is told without the advice to the agent:
// who denied reads it too.
func (r *Refusal) Line() string {
	status, byUser := cmp.Or(phrase(r.in, r.Status), r.Status), phrase(r.in, "by user")
	if r.Status != r.Code {
		line := fmt.Sprintf("tada-run: %s (%s): %s", status, r.Code, notice.Visible(r.Message))
		switch {
		case len(r.Items) > 0 && r.Items[0].Rule == "text.unparsable": // nothing in it is dangerous: it is not a command
			line = fmt.Sprintf("tada-run: %s: %s", status, notice.Visible(r.Message))
		case r.Code == codeDenied && r.Message == phrase(r.in, "denied by user"):
			line = "tada-run: " + byUser
		case r.Code == codeDenied:
			line = "tada-run: " + byUser + ": " + notice.Visible(r.Message)
		}
		if r.Offer != nil {
			line += phrase(r.in, "instead", notice.Visible(r.Offer.Command))
		}
		return line
	}
	about := ""
	if len(r.Items) > 0 && r.Items[0].Message != "" {
		about = notice.Visible(r.Items[0].Message) + "; "
	}
	return fmt.Sprintf("tada-run: %s: %s%s", status, about, notice.Visible(r.Message))
}

// codeDenied is the code of a denial by a person.
const codeDenied = "human_denied"

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

// What a program is told is bounded: it reads the refusal as output of its command, and a
// generated script of 80 kB has hundreds of reasons.
const (
	maxItems  = 12
	maxReason = 300 // bytes of one message
)

// clipped is the beginning of a message that is too long to be read.
func clipped(s string) string {
	if len(s) <= maxReason {
		return s
	}
	return strings.ToValidUTF8(s[:maxReason], "") + fmt.Sprintf("... (%d bytes)", len(s))
}

// refuse words the verdict v for the run's only call, in a language. Only the reasons that decided
// are told, each rule's spans together.
func refuse(in pathguard.Locale, v pathguard.Verdict, status, code, message string, exit int) *Refusal {
	r := &Refusal{Version: 1, Status: status, Code: code, Message: message, Items: []RefusedItem{}, Retry: "do_not_repeat_identical"}
	r.exit, r.in = exit, in
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
		key := told{reason.Rule, clipped(text)}
		i, again := at[key]
		switch {
		case again && len(r.Items[i].Spans) < maxItems:
			r.Items[i].Spans = append(r.Items[i].Spans, span)
		case again:
		case len(r.Items) == maxItems:
			r.More++
		default:
			at[key] = len(r.Items)
			r.Items = append(r.Items, RefusedItem{ID: firstCall, Decision: status, Rule: key.rule, Message: key.message, Spans: [][2]int{span}})
		}
	}
	if r.Message == "" && len(r.Items) > 0 {
		r.Message = r.Items[0].Message
	}
	return r
}

// An Offer is the command that a person would rather see than the one that was denied. It is
// another plan, with a hash and a question of its own: nothing of what was asked runs in part.
type Offer struct {
	Command  string `json:"command"`
	Verdict  string `json:"verdict"` // allow: it may be run; ask: its question is open; approved: it was answered with yes; cancelled: it was withdrawn
	PlanHash string `json:"plan_hash"`
	Envelope string `json:"envelope,omitempty"`
}

// An Unfit names an approval of the same command line that does not fit now, and what differs.
type Unfit struct {
	Envelope string   `json:"envelope"`
	Differs  []string `json:"differs"`
}

func (u *Unfit) String() string {
	return "approval " + u.Envelope + " for this command does not match: " + strings.Join(u.Differs, ", ")
}
