package console

import "sync"

// A drawing is what a transcript of some size shows.
type drawing struct {
	size int64
	text string
	cut  bool
	why  string
}

// mostDrawings is how many are kept: of the runs that somebody looks at.
const mostDrawings = 8

// drawings are those made last, by run. A page is made again at each change of anything.
type drawings struct {
	mu   sync.Mutex
	last map[string]drawing
}

func (d *drawings) find(id string, size int64) (drawing, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	made, ok := d.last[id]
	return made, ok && made.size == size
}

func (d *drawings) keep(id string, made drawing) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last == nil || len(d.last) >= mostDrawings {
		d.last = map[string]drawing{}
	}
	d.last[id] = made
}
