package launcher

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/approval/plan"
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
			"rule": l.Rule, "asks": l.Asks, "at_most": l.AtMost})
	}
	return list
}

// maxFormer is how many runs are looked at for what a choice would have allowed: some weeks.
const maxFormer = 5000

// former returns for each choice of a question the commands that it would have allowed besides,
// of those that the record has in the same folder: the most frequent first.
func (l *Launcher) former(payload []byte) ([][]permit.Former, error) {
	choices := plan.Choices(payload)
	runs, err := l.Runs()
	if err != nil || len(choices) == 0 {
		return nil, err
	}
	type text struct{ command, dir string }
	times := map[text]int{}
	for _, r := range runs[max(0, len(runs)-maxFormer):] {
		times[text{cmp.Or(r.Inside, r.Command), r.Dir}]++
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

// count adds a command that was asked for some times to what each choice would have allowed. The
// first choice has the words of the question itself.
func count(also []map[string]int, choices []plan.Choice, c *shellparse.Command, times int) {
	var words []string
	for _, w := range c.Args {
		words = append(words, w.Text)
	}
	if len(words) > 0 && slices.Equal(words[1:], choices[0].Words) {
		return
	}
	for n, choice := range choices {
		of := pathguard.Lasting{Program: choice.Program, Words: choice.Words, Rule: choice.Rule}
		if c.Dir == choice.Dir && of.Fits(c) {
			also[n][strings.Join(words, " ")] += times
		}
	}
}
