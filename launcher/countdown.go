package launcher

import "time"

// A countdown is the time that a run may still take. It stands still while the run is stopped.
type countdown struct {
	timer *time.Timer // nil for a run without a limit
	ends  time.Time
	left  time.Duration
}

func (c *countdown) begin(limit time.Duration) {
	if limit > 0 {
		c.timer, c.ends = time.NewTimer(limit), time.Now().Add(limit)
	}
}

// over receives when the time is over; a run without a limit never does.
func (c *countdown) over() <-chan time.Time {
	if c.timer == nil {
		return nil
	}
	return c.timer.C
}

func (c *countdown) stop() {
	if c.timer != nil && c.timer.Stop() {
		c.left = time.Until(c.ends)
	}
}

func (c *countdown) goOn() {
	if c.timer != nil && c.left > 0 {
		c.timer.Reset(c.left)
		c.ends, c.left = time.Now().Add(c.left), 0
	}
}
