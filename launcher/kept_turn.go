package launcher

import (
	"slices"
	"strconv"

	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/undo"
)

// begins has what changes from now on kept as changes of a command that runs inside of a session.
func (k *kept) begins(run string) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.journal != nil && k.turn(run, false) {
		k.parts.runs = append(k.parts.runs, run)
		k.parts.each[run] = &overall{}
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
	at := slices.Index(p.runs, run)
	if k.journal == nil || at <= 0 {
		return past.RunChanges{}
	}
	if at == len(p.runs)-1 && !k.turn(p.runs[at-1], true) {
		return past.RunChanges{} // what follows stays in its part
	}
	one := p.each[run]
	p.runs = slices.Delete(p.runs, at, at+1)
	delete(p.each, run)
	return past.ChangesOf(one.summary(), nil, 0)
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
