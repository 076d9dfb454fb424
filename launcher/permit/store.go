package permit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
	"github.com/tada-run/tada-run/approval/relay"
	"github.com/tada-run/tada-run/audit"
)

// Ready opens the approval store when it is first needed: what only reads the record must
// work without it, most of all when something happened to it. On a machine of a fleet, the fleet's
// agent has the store; an agent that was away may be back the next time.
func (p *Approvals) Ready() error {
	p.opening.Lock()
	defer p.opening.Unlock()
	switch {
	case p.Store != nil || p.closed != nil && !errors.Is(p.closed, approval.ErrOffline):
	case p.dir.Joined():
		p.Store, p.closed = relay.Open(p.dir.FleetSocket(), p.StoreOptions())
	default:
		p.Store, p.closed = bolt.Open(p.dir.Approvals(), p.StoreOptions())
	}
	return p.closed
}

// Online returns nil if the fleet's agent is there and connected, and otherwise why not.
func (p *Approvals) Online(ctx context.Context) error {
	return relay.Socket(p.dir.FleetSocket(), p.StoreOptions()).Online(ctx)
}

func (p *Approvals) StoreOptions() approval.Options {
	return approval.Options{Clock: p.clock, Rand: p.dir.Random, TTL: p.TTL, Record: p.recordedSince,
		Waiting: p.dir.WaitsFor}
}

// recordedSince returns the greatest Seq of the approval events that the record has from a place
// on. The error is an [audit.TamperError] when the record does not have that place: then an older
// record was put back.
func (p *Approvals) recordedSince(text string) (seq uint64, err error) {
	place, err := placeOf(text)
	if err != nil {
		return 0, err
	}
	held, err := audit.Holds(p.dir.Audit(), place, p.record.Codec)
	switch {
	case err != nil:
		return 0, err
	case !held:
		return 0, &audit.TamperError{File: "log.jsonl", Offset: -1,
			Reason: fmt.Sprintf("the approval database knows %s that it does not have",
				audit.Plural(place.Count, "entry"))}
	}
	for e, err := range p.record.Entries(audit.Filter{Kinds: []string{"approval."},
		From: place.Size}) {
		var bad *audit.BadEntry
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return 0, nil
		case errors.As(err, &bad): // torn, or found by verify
			continue
		case err != nil:
			return 0, err
		}
		var body struct{ Seq uint64 }
		if json.Unmarshal(e.Body, &body) == nil {
			seq = max(seq, body.Seq)
		}
	}
	return seq, nil
}

// placeOf reads a place as the store keeps it; "" is the beginning.
func placeOf(text string) (audit.Place, error) {
	if text == "" {
		return audit.Place{}, nil
	}
	return audit.ParsePlace(text)
}
