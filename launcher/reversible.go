package launcher

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard"
)

// loses reports whether what a reason is about cannot be taken back.
func (j *Judgement) loses(r *pathguard.Reason) bool {
	return pathguard.StaysKnown(r.Rule) || slices.ContainsFunc(j.Verdict.Losses,
		func(l pathguard.Loss) bool { return r.Tells(l) })
}

// unsaid are the losses that no question is about.
func (j *Judgement) unsaid() []pathguard.Loss {
	var list []pathguard.Loss
	for _, l := range j.Verdict.Losses {
		if !slices.ContainsFunc(j.Verdict.Reasons, func(r pathguard.Reason) bool {
			return r.Decision == pathguard.Ask && r.Tells(l)
		}) {
			list = append(list, l)
		}
	}
	return list
}

// undoText says whether the plan can be taken back, and what of it cannot.
func (j *Judgement) undoText() string { return j.undoBut(j.Verdict.Losses) }

// undoBut is undoText with these losses. It is on a page that is bound by its hash: no date, so
// that it is the same tomorrow.
func (j *Judgement) undoBut(losses []pathguard.Loss) string {
	v, kept := j.Verdict, j.Plan.Caller.Undo
	if !kept.On {
		losses = []pathguard.Loss{{Why: kept.Why}}
	}
	long := daysText(kept.For)
	if j.beyondRoom() {
		long += ", as far as undo.quota allows"
	}
	but := lossText(losses)
	switch v.Reversible {
	case pathguard.WhollyReversible:
		return j.whollyText(long)
	case pathguard.PartlyReversible:
		if !j.changesFiles() { // by its plan; code that nobody has read may
			if but != "" {
				but = " (" + but + ")"
			}
			return fmt.Sprintf("no%s, except for files (%s)", but, long)
		}
		return "partly: files, for " + long + cmp.Or(behind("; not: ", but), "; the rest cannot")
	}
	return "no" + behind(": ", but)
}

// behind is a text with what stands before it; "" for none.
func behind(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

// changesFiles reports whether the plan names a file that is written or deleted.
func (j *Judgement) changesFiles() bool {
	named := j.named()
	return len(named["write"]) > 0 || len(named["delete"]) > 0
}

// whollyText says for how long what a plan changes can be taken back, and of a question, whether it
// may send something away besides.
func (j *Judgement) whollyText(long string) string {
	v := j.Verdict
	if v.Class == pathguard.ReadOnly && j.Request.Tool == nil {
		return ""
	}
	if v.Unsure != "" {
		return fmt.Sprintf("yes, for %s; asked about because %s", long, v.Unsure)
	}
	var not []string
	if slices.ContainsFunc(v.Reasons, func(r pathguard.Reason) bool {
		return r.Decision == pathguard.Ask && pathguard.StaysKnown(r.Rule)
	}) {
		not = append(not, "what is read")
	}
	if where := j.mayTell(); where != "" {
		not = append(not, "what it sends "+where)
	}
	switch {
	case len(not) > 0:
		return fmt.Sprintf("partly: files, for %s; not: %s", long, strings.Join(not, ", "))
	case v.Decision != pathguard.Allow && (v.Unread || len(j.Script.Opaque) > 0):
		return "yes, all files, for " + long
	}
	return "yes, for " + long
}

// mayTell says where code that nobody has read may send to: "to HOST", or "" for nowhere. It is
// told of a question only: what policy allows may contact registries and servers of the workspace.
func (j *Judgement) mayTell() string {
	if j.Verdict.Decision == pathguard.Allow || !j.Verdict.Unread {
		return ""
	}
	reach := j.contacts()
	var hosts []string
	for _, host := range j.named()["net"] {
		if host != "?" {
			hosts = append(hosts, host)
		}
	}
	switch {
	case reach.mode == sandbox.Off:
		return ""
	case reach.mode == sandbox.Hosts && len(hosts) > 0 && len(hosts) <= maxLossText:
		return "to " + strings.Join(hosts, ", ")
	case reach.mode == sandbox.Full || len(hosts) > 0 || len(reach.labelled()) > 0:
		return "over the network"
	}
	return ""
}

// maxLossText is how many losses a page names.
const maxLossText = 3

func lossText(list []pathguard.Loss) string {
	var words []string
	for i, loss := range list {
		if i == maxLossText {
			words = append(words, fmt.Sprintf("and %d more", len(list)-i))
			break
		}
		text := loss.Why
		if loss.Path != "" {
			text = loss.Path + " (" + text + ")"
		}
		words = append(words, text)
	}
	return strings.Join(words, "; ")
}

// daysText is a time in days where it is a number of them.
func daysText(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= day && d%day == 0 {
		return audit.Plural(int(d/day), "day")
	}
	return strings.TrimSuffix(strings.TrimSuffix(d.String(), "0s"), "0m")
}
