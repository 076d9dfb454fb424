package launcher

import (
	"slices"
	"strconv"

	"github.com/tada-run/tada-run/launcher/control"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/undo"
)

// begins has what changes from now on kept as changes of a command that runs inside of a session.
// It ends when it is told (ends), or when the asker does, nil for none.
func (k *kept) begins(run string, asker *control.Asker) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.journal != nil && k.turn(run, false) {
		k.parts.runs = append(k.parts.runs, run)
		k.parts.each[run] = &overall{}
		if asker != nil {
			k.parts.askers[run] = *asker
		}
	}
}

// ends says that a command inside of a session has ended, and returns what it changed.
func (k *kept) ends(run string) past.RunChanges {
	if k == nil {
		return past.RunChanges{}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	p := &k.parts
	one := p.each[run]
	delete(p.askers, run)
	if k.journal == nil || one == nil || !k.turnBack(run) {
		return past.RunChanges{} // what follows stays in its part
	}
	delete(p.each, run)
	return past.ChangesOf(one.summary(), nil, 0)
}

// turnBack ends the part of a command. What follows is a change of the one around it.
func (k *kept) turnBack(run string) bool {
	p := &k.parts
	at := slices.Index(p.runs, run)
	if at > 0 && at == len(p.runs)-1 && !k.turn(p.runs[at-1], true) {
		return false
	}
	if at > 0 {
		p.runs = slices.Delete(p.runs, at, at+1)
	}
	return true
}

// catchUp ends the part of each command whose process has ended, before another change is noted:
// the program that waited for it may go on before its end is told. The caller holds no lock.
func (k *kept) catchUp() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for k.journal != nil && k.parts.over() {
		run := k.parts.runs[len(k.parts.runs)-1]
		delete(k.parts.askers, run)
		if !k.turnBack(run) {
			return
		}
	}
}

// turn ends the present part, with a walk as end, and begins the next one of a run. It reports
// whether it could: if not, the present part goes on.
func (k *kept) turn(run string, walk bool) bool {
	p := &k.parts
	start := undo.Start{Run: run, Trees: k.trees, Stands: k.stands}
	if n := p.count[run]; n > 0 {
		start.Run += "." + strconv.Itoa(n+1)
	}
	next, err := p.store.Begin(start)
	if err != nil {
		return false
	}
	if !k.single {
		next.Follows(k.journal)
	}
	p.count[run]++
	k.end(walk)
	k.journal = next
	return true
}
