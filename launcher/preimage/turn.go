package preimage

import (
	"slices"
	"strconv"

	"github.com/tada-run/tada-run/launcher/control"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/undo"
)

// Begins has what changes from now on kept as changes of a command that runs inside of a session.
// It ends when it is told (Ends), or when the asker does, nil for none.
func (r *Run) Begins(run string, asker *control.Asker) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.journal != nil && r.turn(run, false) {
		r.parts.runs = append(r.parts.runs, run)
		r.parts.each[run] = &overall{}
		if asker != nil {
			r.parts.askers[run] = *asker
		}
	}
}

// Ends says that a command inside of a session has ended, and returns what it changed.
func (r *Run) Ends(run string) past.RunChanges {
	if r == nil {
		return past.RunChanges{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := &r.parts
	one := p.each[run]
	delete(p.askers, run)
	if r.journal == nil || one == nil || !r.turnBack(run) {
		return past.RunChanges{} // what follows stays in its part
	}
	delete(p.each, run)
	return past.ChangesOf(one.summary(), nil, 0)
}

// turnBack ends the part of a command. What follows is a change of the one around it.
func (r *Run) turnBack(run string) bool {
	p := &r.parts
	at := slices.Index(p.runs, run)
	if at > 0 && at == len(p.runs)-1 && !r.turn(p.runs[at-1], true) {
		return false
	}
	if at > 0 {
		p.runs = slices.Delete(p.runs, at, at+1)
	}
	return true
}

// catchUp ends the part of each command whose process has ended, before another change is noted:
// the program that waited for it may go on before its end is told. The caller holds no lock.
func (r *Run) catchUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.journal != nil && r.parts.over() {
		run := r.parts.runs[len(r.parts.runs)-1]
		delete(r.parts.askers, run)
		if !r.turnBack(run) {
			return
		}
	}
}

// turn ends the present part, with a walk as end, and begins the next one of a run. It reports
// whether it could: if not, the present part goes on.
func (r *Run) turn(run string, walk bool) bool {
	p := &r.parts
	start := undo.Start{Run: run, Trees: r.trees, Stands: r.stands}
	if n := p.count[run]; n > 0 {
		start.Run += "." + strconv.Itoa(n+1)
	}
	next, err := p.store.Begin(start)
	if err != nil {
		return false
	}
	if !r.single {
		next.Follows(r.journal)
	}
	p.count[run]++
	r.end(walk)
	r.journal = next
	return true
}
