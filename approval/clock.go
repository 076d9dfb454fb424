package approval

import "time"

// A Clock is one reading of the time. Everything that depends on time takes it as a parameter.
type Clock struct {
	Now    time.Time     // the wall clock
	Boot   time.Duration // CLOCK_BOOTTIME: it counts sleep and cannot be set back
	BootID string        // /proc/sys/kernel/random/boot_id: Boot is comparable only if equal
}

// stamp is the reading that opened a window.
type stamp struct {
	at     time.Time
	boot   time.Duration
	bootID string
}

func (c Clock) stamp() stamp { return stamp{at: c.Now.UTC(), boot: c.Boot, bootID: c.BootID} }

// within reports whether c is in the window of length d that s opened; the end is not part of it.
// Both clocks must agree. Setting the wall clock back cannot revive what has ended, because boot
// time goes on; after a reboot only the wall clock is left. A wall clock more than skew before the
// start of the window was set back, and that ends the window too.
func (s stamp) within(c Clock, d, skew time.Duration) bool {
	age := c.Now.Sub(s.at)
	if age >= d || age < -skew {
		return false
	}
	if c.BootID == "" || c.BootID != s.bootID {
		return true
	}
	boot := c.Boot - s.boot
	return boot >= 0 && boot < d
}
