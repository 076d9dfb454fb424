package launcher

import (
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse"
)

// lasting is what a person may allow in this workspace until further notice.
func (j *Judgement) lasting() []any {
	if j.Request.Tool != nil || j.client != nil {
		return nil
	}
	var list []any
	for _, l := range j.policy.Lasting(j.Plan, j.Verdict) {
		list = append(list, object{"dir": l.Dir, "program": l.Program, "words": l.Words,
			"rule": l.Rule, "asks": l.Asks, "at_most": l.AtMost,
			"environment": j.environ.sum})
	}
	return list
}

// maxFormer is how many runs are looked at for what a choice would have allowed: some weeks.
const maxFormer = 5000

// former returns for each choice of a question the commands that it would have allowed besides, of
// those that the record has in the same folder: the most frequent first.
func (l *Launcher) former(payload []byte) ([][]permit.Former, error) {
	choices := plan.Choices(payload)
	if len(choices) == 0 {
		return nil, nil
	}
	type text struct{ command, dir string }
	times := map[text]int{}
	n := 0
	for r, err := range l.Newest(time.Time{}) {
		if n++; n > maxFormer || errors.Is(err, audit.ErrPacked) { // or too long ago
			break
		}
		if err != nil {
			return nil, err
		}
		t := text{cmp.Or(r.Inside, r.Command), r.Dir}
		if mayFit(t.command, choices[0]) {
			times[t]++
		}
	}
	also := make([]map[string]int, len(choices))
	for n := range also {
		also[n] = map[string]int{}
	}
	for t, n := range times {
		s := shellparse.Parse(t.command, shellparse.Options{Dialect: shellparse.Bash, Dir: t.dir,
			Home: l.account})
		for i := range s.Commands {
			count(also, choices, &s.Commands[i], n)
		}
	}
	list := make([][]permit.Former, len(choices))
	for n, found := range also {
		for command, times := range found {
			list[n] = append(list[n], permit.Former{Command: command, Times: times})
		}
		slices.SortFunc(list[n], func(a, b permit.Former) int {
			return cmp.Or(b.Times-a.Times, strings.Compare(a.Command, b.Command))
		})
	}
	return list, nil
}

// maxFormerText bounds a text that is looked at: a longer one is a script.
const maxFormerText = 1000

// mayFit reports whether a text could hold a command like the choice, without parsing it: most of a
// record does not.
func mayFit(text string, c plan.Choice) bool {
	return len(text) <= maxFormerText && strings.Contains(text, path.Base(c.Program)) &&
		len(c.Words) > 0 && strings.Contains(text, c.Words[0])
}

// count adds a command that was asked for some times to what each choice would have allowed. The
// first choice has the words of the question itself.
func count(also []map[string]int, choices []plan.Choice, c *shellparse.Command, times int) {
	one := plan.Choice{Program: c.Name}
	for _, w := range c.Args {
		one.Words = append(one.Words, w.Text)
	}
	if one.Words = one.Words[min(1, len(one.Words)):]; slices.Equal(one.Words, choices[0].Words) {
		return
	}
	for n, choice := range choices {
		of := pathguard.Lasting{Program: choice.Program, Words: choice.Words, Rule: choice.Rule}
		if c.Dir == choice.Dir && of.Fits(c) {
			also[n][one.Text()] += times
		}
	}
}
