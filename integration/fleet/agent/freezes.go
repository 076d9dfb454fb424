package agent

import (
	"context"
	"errors"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// endWithin is how long a run may take to end by itself when the machine is frozen.
const endWithin = 500 * time.Millisecond

// obey follows the orders to stop, and their ends.
func (a *Agent) obey(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lost := make(chan error, 2)
	go func() { lost <- a.each(ctx, keyspace.Freezes, a.freeze) }()
	go func() { lost <- a.each(ctx, keyspace.Thaws, a.thaw) }()
	err := <-lost
	cancel()
	return errors.Join(err, <-lost)
}

// freeze carries out an order that counts and is for this machine.
func (a *Agent) freeze(key string, text []byte) error {
	fleet, err := a.Folder.Document()
	if err != nil {
		return err
	}
	order, err := fleet.Freeze(text)
	if err != nil {
		a.say("freeze %q is not obeyed: %v", key, err)
		return nil
	}
	if !order.Machines.Selects(a.labels) {
		return nil
	}
	fresh, err := a.Folder.Freeze(order, text)
	if err != nil || !fresh {
		return err
	}
	ended, err := a.Launcher.EndAll(endWithin)
	a.say("frozen by %q: %q; ended %s", order.By, order.Reason, audit.Plural(len(ended), "run"))
	return err
}

// thaw ends a freeze when two administrators have signed that.
func (a *Agent) thaw(key string, text []byte) error {
	fleet, err := a.Folder.Document()
	if err != nil {
		return err
	}
	end, err := fleet.Thaws(text)
	if errors.Is(err, document.ErrUnsigned) {
		return nil // the second person has still to sign
	}
	if err != nil {
		a.say("the end of freeze %q is not obeyed: %v", key, err)
		return nil
	}
	thawed, err := a.Folder.Thaw(end, text)
	if thawed {
		a.say("freeze %q ended, by %q", end.ID, end.By)
	}
	return err
}
