package scale

import (
	"math/rand/v2"
	"time"

	"github.com/tada-run/tada-run/approval"
)

// apart is how far apart two runs are: a million of them take about a year.
const apart = 365 * 24 * time.Hour / 1_000_000

// A clock is what the writers take for the time. It stands still but for what it is advanced by.
type clock struct {
	now, until time.Time
	chance     *rand.Rand
}

// Now is the time.
func (c *clock) Now() time.Time { return c.now }

// boot is the time as the store of approvals reads it, on a machine that was never off.
func (c *clock) boot() approval.Clock {
	return approval.Clock{Now: c.now, Boot: time.Duration(c.now.UnixNano()), BootID: "scale"}
}

// wait advances the clock to the next run, with that many still to come before it has to be until.
func (c *clock) wait(left int) {
	rest := c.until.Sub(c.now)
	gap := time.Duration(c.chance.ExpFloat64() * float64(rest) / float64(left+1))
	c.now = c.now.Add(min(gap, rest/2))
}

// advance lets about so much time pass: from half of it to three halves.
func (c *clock) advance(about time.Duration) {
	c.now = c.now.Add(about/2 + time.Duration(c.chance.Int64N(int64(about)+1)))
}
