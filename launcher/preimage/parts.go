package preimage

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/control"
	"github.com/tada-run/tada-run/launcher/undo"
)

// What a session changes is kept in parts, so that each command inside of it can be taken back
// alone: from a command's start to its end, changes are that command's, and otherwise the
// session's. A part is a journal of its own. The first part of a run is named as the run is, later
// ones with a number behind a dot. Programs inside can tell a wrong end of a command: that moves
// changes to another part, and loses none.
type parts struct {
	store *undo.Store
	runs  []string       // whose changes it may be; the last one's now, the first is the session
	count map[string]int // of parts that have begun, by run
	whole overall
	each  map[string]*overall // of the commands whose end was not told
	// the processes that say by their own end that a command has ended
	askers map[string]control.Asker
}

func newParts(store *undo.Store, id string) parts {
	return parts{store: store, runs: []string{id}, count: map[string]int{id: 1},
		each: map[string]*overall{}, askers: map[string]control.Asker{}}
}

// PartOf is the run that a journal is a part of.
func PartOf(name string) string {
	run, _, _ := strings.Cut(name, ".")
	return run
}

// RunsOf are the runs that journals are parts of.
func RunsOf(parts []string) (runs []string) {
	for _, part := range parts {
		if run := PartOf(part); !slices.Contains(runs, run) {
			runs = append(runs, run)
		}
	}
	return runs
}

// add adds what a journal had to the sums, and returns the sum of the session.
func (p *parts) add(j *undo.Journal, s undo.Summary) undo.Summary {
	if len(p.count) == 1 { // it is the only one
		return s
	}
	changes := j.Changes()
	p.whole.add(changes, s.Lacks)
	if one := p.now(); one != nil {
		one.add(changes, s.Lacks)
	}
	return p.whole.summary()
}

// over reports whether the process of the command that runs inside has ended, which is not told
// yet.
func (p *parts) over() bool {
	asker, some := p.askers[p.runs[len(p.runs)-1]]
	return some && asker.Ended()
}

// now is the sum of the command that runs inside, nil for none.
func (p *parts) now() *overall {
	if len(p.runs) < 2 {
		return nil
	}
	return p.each[p.runs[len(p.runs)-1]]
}
