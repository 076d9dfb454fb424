package audit

import "time"

// A Summary represents a transcript: what the log remembers of it.
type Summary struct {
	Head     Hash          // of the chain
	Bytes    int64         // of all streams together, unredacted
	Count    int64         // events
	Duration time.Duration // time of the last event
	Redacted []int64       // numbers of the events whose data was removed
}

// A Position is a place in a transcript, between two events, with what was proven up to there. It
// is valid as long as the file only grows.
type Position struct {
	header Header
	first  []byte // the header as it is in the file
	line   int64
	offset int64
	sum    Summary
	shown  byte // the next event of this stream only shows what a b event held
}

// Offset returns the number of bytes of plain text before the position.
func (p Position) Offset() int64 { return p.offset }

// Events returns the number of events before the position.
func (p Position) Events() int64 { return p.sum.Count }
