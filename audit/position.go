package audit

import "time"

// A Summary stands for a transcript: what the log remembers of it.
type Summary struct {
	Head     Hash          // of the chain
	Bytes    int64         // of all streams together, as they were, redacted ones included
	Count    int64         // events
	Duration time.Duration // time of the last event
	Redacted []int64       // numbers of the events whose data was removed
}

// A Position is a place in a transcript, between two events, and what was
// proven up to there. It is good as long as the file only grows.
type Position struct {
	header Header
	first  []byte // the header as it is in the file
	line   int64
	offset int64
	sum    Summary
	shown  byte // the next event of this stream only shows what a b event held
}

// Offset returns how many bytes of plain text stand before the position.
func (p Position) Offset() int64 { return p.offset }

// Events returns how many events stand before the position.
func (p Position) Events() int64 { return p.sum.Count }
