package broker

import (
	"time"

	"github.com/tada-run/tada-run/launcher/broker/view"
)

// A Connection is something that a run did with the network, or was refused.
type Connection struct {
	Time   time.Time
	Caller        // the process that did it; not known for a lookup of a name
	Kind   string // "tcp", "udp", "unix", "name" (a lookup), "listen"
	// Host is the name that was allowed, or that was looked up, or the address, or the name of a
	// Unix socket.
	Host string
	// Address is ADDRESS:PORT; "" for a name.
	Address string
	Refusal
	Error string // the machine's own answer, when it was allowed and failed
	Count int    // how often, when the same was refused again
	Amounts
}

// A Caller is the process that made a call.
type Caller struct {
	PID     int    // 0 when it is not known
	Program string // the file that ran
}

// A Refusal says why a connection was refused; the zero Refusal is none.
type Refusal struct {
	Refused bool
	Why     string
	Fix     string // the rule that would allow it; "" when none does
	// the id of the open question about it; "" for none
	Question string
}

// Amounts are what went through a connection that has ended.
type Amounts struct {
	// Accepted is how many connections were made to where the run listens, as far as they have
	// ended. Sent and Received are then those of all of them. All three are -1 where the kernel's
	// account of them may not be whole.
	Accepted int
	// Sent and Received are the bytes, and -1 when they are not known. The kernel counts the other
	// side's orderly end as one byte that it received.
	Sent, Received int64
}

// Traffic is what a run did with the network.
type Traffic struct {
	Connections []Connection // in the order of their beginning
	Left        int          // how many more there were
	Denied      []Denied     // what was refused in shared directories
	MoreDenied  int          // how many more there were
}

// A Denied is a change in the shared directories that was refused.
type Denied struct {
	Time time.Time
	Caller
	Path string
	Why  string
}

// Spare reports whether programs continue without what was refused, as without a cache.
func (d *Denied) Spare() bool { return view.Spare(d.Path) }
