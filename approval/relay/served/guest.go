package served

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/relay/wire"
)

const (
	// maxOpen is how long a client may keep a transaction open, from its begin to its end.
	maxOpen = 10 * time.Second
	// maxAnswer is how long a client may take to read an answer.
	maxAnswer = 10 * time.Second
)

// errPlace is wrapped by the errors about values that no client reads or changes.
var errPlace = errors.New("there is no such place")

// errEnded rolls a transaction back that the client has ended without a commit.
var errEnded = errors.New("the client has ended the transaction")

func (g *guest) setBusy(busy bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.busy, g.since = busy, time.Now()
}

// fail tells the client of an error, and returns it.
func (g *guest) fail(err error) error {
	_ = g.conn.SetWriteDeadline(time.Now().Add(maxAnswer))
	_ = g.Send(wire.Message{Kind: wire.Failed, Failure: wire.FailureOf(err)})
	return err
}

// explain tells the client what was wrong with what it sent, or that it took too long, and returns
// the error.
func (g *guest) explain(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return g.fail(&approval.FileError{Path: g.db.Path(), Err: approval.ErrLocked,
			Hint: fmt.Sprintf("a transaction was open for more than %v; try again", maxOpen)})
	case errors.Is(err, wire.ErrFormat) || errors.Is(err, wire.ErrTooLong) ||
		errors.Is(err, wire.ErrVersion) || errors.Is(err, errPlace):
		return g.fail(err)
	}
	return err
}

// A Linked is a database that is somewhere else. One that is not Linked can always be reached.
type Linked interface {
	// Connected reports whether the database can be reached, and otherwise since when it cannot;
	// the zero time if it never could.
	Connected() (since time.Time, connected bool)
}

// connected is Connected of a database that may not be Linked.
func (g *guest) connected() (since time.Time, connected bool) {
	if linked, is := g.db.(Linked); is {
		return linked.Connected()
	}
	return since, true
}

// welcome answers who is there.
func (g *guest) welcome() error {
	since, connected := g.connected()
	m := wire.Message{Kind: wire.Welcome, Yes: connected}
	if !connected && !since.IsZero() {
		m.Number = uint64(max(since.Unix(), 1))
	}
	return g.Send(m)
}
