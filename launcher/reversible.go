package launcher

import (
	"fmt"
	"strings"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard"
)

// keepsOf is what undo keeps of a run of this request: the fact by which the policy says what can
// be taken back.
func (l *Launcher) keepsOf(req Request, key string) pathguard.Kept {
	set := l.undoSettings()
	k := pathguard.Kept{For: set.Keep, Except: set.Except}
	switch {
	case set.Quota == 0:
		k.Why = "undo.quota is 0, so nothing is kept"
	case req.Tool != nil && !req.Tool.undoes:
		k.Why = "the agent's own program does this, and nothing is kept of it"
	case req.Within != nil:
		k.Why = "it can be taken back only with the whole session"
	case l.level() == sandbox.None:
		k.Why = "there is no sandbox here, so nothing is kept"
	default:
		if k.On = true; !set.AsksAnyway && req.Hold == nil {
			k.Unsure = func() string { return l.unsure(set, key, req.Dir) }
		}
	}
	if req.Hold != nil {
		k.Lacks = []string{"what changes outside of the workspace"}
	}
	if l.policy.Settings().KeepBackground {
		k.Lacks = append(k.Lacks, "what goes on in the background when the command has ended")
	}
	return k
}

// undoText says whether the plan can be taken back, for a page that is bound by its hash: no date,
// so that it is the same tomorrow.
func (j *Judgement) undoText() string {
	v, kept := j.Verdict, j.Plan.Caller.Undo
	if !kept.On {
		v.Losses = []pathguard.Loss{{Why: kept.Why}}
	}
	long := daysText(kept.For)
	switch v.Reversible {
	case pathguard.WhollyReversible:
		if v.Class == pathguard.ReadOnly && j.Request.Tool == nil {
			return ""
		}
		if v.Unsure != "" {
			return fmt.Sprintf("can be undone for %s, and is asked about because %s", long,
				v.Unsure)
		}
		return "can be undone for " + long
	case pathguard.PartlyReversible:
		return fmt.Sprintf("can be undone for %s, but for: %s", long, lossText(v.Losses))
	}
	if len(v.Losses) == 0 {
		return "cannot be undone"
	}
	return "cannot be undone: " + lossText(v.Losses)
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
