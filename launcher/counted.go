package launcher

import (
	"strings"

	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/pathguard"
)

// The facts about the amount of a path: for a person, and as it is read again.
const (
	amountFact  = "amount of "
	countedFact = permit.Unsaid + "amount of "
)

// count counts what a question deletes. What a person was told of the same command a little while
// ago is told again, unless it has become much more: a log that grows while a person reads is no
// other plan.
func (l *Launcher) count(j *Judgement) map[string]pathguard.Amount {
	if j.Verdict.Decision != pathguard.Ask || j.Plan == nil {
		return nil
	}
	now := j.Plan.Amounts()
	if len(now) == 0 {
		return nil
	}
	told := l.Told(sumOf([]byte(j.Script.Text)))
	for path, amount := range now {
		text, _ := strings.CutPrefix(told[countedFact+path], "=")
		if before, ok := pathguard.ParseAmount(text); ok && amount.Like(before) {
			now[path] = before
		}
	}
	return now
}

// beyondRoom reports whether a question deletes more than undo may keep.
func (j *Judgement) beyondRoom() bool {
	sum, room := int64(0), j.Plan.Caller.Undo.Room
	for _, a := range j.counted() {
		if sum += a.Bytes; a.More {
			return true
		}
	}
	return room > 0 && sum > room
}
