package console

import "sync/atomic"

// places are how many there are of something, and taken.
type places struct{ taken atomic.Int32 }

func (p *places) take(most int32) bool {
	if p.taken.Add(1) <= most {
		return true
	}
	p.taken.Add(-1)
	return false
}

func (p *places) leave() { p.taken.Add(-1) }
