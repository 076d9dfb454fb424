package relay

import (
	"context"
	"fmt"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/relay/wire"
)

const (
	// maxFate is how long an agent that was ended may take to be there again.
	maxFate = 5 * time.Second
	// fatePause is the time between two attempts to ask it.
	fatePause = 50 * time.Millisecond
)

// fate asks what became of a commit whose answer was lost, after so many others. It reports whether
// it happened. The caller's context does not count: the answer is needed.
func (d *DB) fate(ticket wire.Ticket, before uint64, lost error) (happened bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), min(d.wait, maxFate))
	defer cancel()
	for ctx.Err() == nil {
		switch d.ask(ctx, ticket, before) {
		case wire.Happened:
			return true, nil
		case wire.Never:
			return false, nil
		case wire.Unknown:
			return false, d.unsure("too much has changed since to find out")
		}
		select {
		case <-ctx.Done():
		case <-time.After(fatePause):
		}
	}
	return false, d.unsure(fmt.Sprintf("the connection to its agent was lost: %v", lost))
}

func (d *DB) unsure(why string) error {
	return &approval.FileError{Path: d.path, Err: approval.ErrUnsure,
		Hint: why + "; run the command again"}
}

// noFate says that no agent has answered.
const noFate = -1

// ask asks once.
func (d *DB) ask(ctx context.Context, ticket wire.Ticket, before uint64) int {
	k, err := d.connect(ctx, wire.Message{Kind: wire.Ask, Ticket: ticket, Number: before})
	if err != nil {
		return noFate
	}
	defer k.close()
	m, err := k.answer(d.wait, wire.Fate)
	if err != nil || m.Number > wire.Unknown {
		return noFate
	}
	return int(m.Number)
}
