package session

// A gather decides when the output of a command is left to grow for a moment before it is read.
// Every piece costs a commitment that no compression makes smaller, a write and two wake-ups: the
// record of a command that prints line by line would be larger than its output. There is no delay
// without a gain: if a moment brought no more than a piece brings anyway, because the command waits
// for an answer or computes, the next try comes after twice as many pieces. The zero value is
// ready.
type gather struct {
	usual  int // bytes of the last piece that was taken as it came
	passed int // pieces since the last try
	pause  int // pieces before the next one
}

const (
	gatherTime  = 1       // milliseconds
	gatherBelow = 1 << 10 // a larger piece is worth its price; a terminal gives 4095 bytes a read
	firstPause  = 16
	longPause   = 4096
)

// wanted reports whether the next piece is to be gathered.
func (g *gather) wanted() bool {
	return g.usual > 0 && g.usual < gatherBelow && g.passed >= max(g.pause, firstPause)
}

// took learns from a piece of n bytes.
func (g *gather) took(n int, gathered bool) {
	switch {
	case !gathered:
		g.usual = n
		g.passed++
	case n >= 2*g.usual:
		g.pause = 0
	default:
		g.passed, g.pause = 0, min(max(2*g.pause, firstPause), longPause)
	}
}
