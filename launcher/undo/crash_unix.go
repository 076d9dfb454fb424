//go:build linux || darwin

package undo

import "slices"

// What a run left that a crash ended is not on record. What changed while it may have gone on is
// its own, and so is what an undo has done since: it is no later change.

// inTime reports whether something last changed while the run may have gone on, or by an undo of
// it.
func (r *restorer) inTime(now State) bool {
	if now.Changed <= r.run.last+grace || r.u != nil && now.Changed >= r.u.book.head.start-tick {
		return true
	}
	return slices.ContainsFunc(r.past.runs, func(k *Run) bool {
		return k.last != 0 && now.Changed >= k.book.head.start-tick && now.Changed <= k.last+grace
	})
}

// knows reports whether a folder was there before the run, or was made while it may have gone on.
func (r *restorer) knows(now State) bool {
	born := now.ID.Birth
	return now.Folder() && (r.run.book.head.start <= born && born <= r.run.last+grace ||
		len(r.scene.wasAt(now.ID)) != 0)
}
