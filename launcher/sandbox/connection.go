package sandbox

import "time"

// A Connection is something that a run did, or was not let do, with the network.
type Connection struct {
	Time    time.Time
	PID     int    // 0 when it is not known: a question for a name comes from anybody
	Program string // the file that ran
	Kind    string // "tcp", "udp", "name" (a question for one), "listen"
	Host    string // the name that was allowed, or that was asked for, or the address
	Address string // ADDRESS:PORT; "" for a name
	Refused bool
	Why     string // it was refused
	Fix     string // the rule that would allow it; "" when none does
	Error   string // the machine's own answer, when it was allowed and failed
	Count   int    // how often, when the same was refused again

	// Accepted is how many connections somebody made to where the run listens, as far as they have ended. Sent and Received are then those of all of them.
	// All three are -1 where the kernel's account of them may not be whole.
	Accepted int

	// Sent and Received are the bytes of a connection that has ended, and -1 when they are not known. The kernel counts the other side's orderly end as one byte that it received.
	Sent, Received int64

	cookie uint64 // the kernel's name for the socket
	serves uint16 // the port, of one that listens
}

// Traffic is what a run did with the network.
type Traffic struct {
	Connections []Connection // in the order of their beginning
	Left        int          // how many more there were
}
