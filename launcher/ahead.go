package launcher

import "github.com/tada-run/tada-run/shellparse/command"

// An aheadName is a file that the plan may change. It goes if it may be removed.
type aheadName struct {
	path string
	goes bool
}

// ahead are the files that the plan names to change them, each once: what is kept before the start
// where nothing announces changes. A pattern that has no known match is not among them.
func (j *Judgement) ahead() (list []aheadName) {
	at := map[string]int{}
	for plan := range j.subject().Plan.All() {
		for i := range plan.Targets {
			t := &plan.Targets[i]
			goes := t.Right == command.Delete
			if t.Unknown || !goes && t.Right != command.Write && t.Right != command.Create {
				continue
			}
			n, known := at[t.Path()]
			if !known {
				n, at[t.Path()] = len(list), len(list)
				list = append(list, aheadName{path: t.Path()})
			}
			list[n].goes = list[n].goes || goes
		}
	}
	return list
}

// keepAhead keeps them, where nothing announces the changes of the command.
func (b *built) keepAhead(j *Judgement) {
	if answersCalls {
		return
	}
	for _, name := range j.ahead() {
		b.kept.Ahead(name.path, name.goes)
	}
}
