package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// endWithin is how long a run may take to end by itself when the machine is frozen, and stopWithin
// how long to stop, after which it is ended.
const (
	endWithin  = 500 * time.Millisecond
	stopWithin = 2 * time.Second
)

// obey follows the orders to stop, and their ends.
func (a *Agent) obey(ctx context.Context) error {
	// an agent before this one may have died when it had written an order down
	if err := a.stop(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lost := make(chan error, 2)
	go func() { lost <- a.follow(ctx, keyspace.Freezes, a.freeze) }()
	go func() { lost <- a.follow(ctx, keyspace.Thaws, a.thaw) }()
	err := <-lost
	cancel()
	return errors.Join(err, <-lost)
}

// stop ends or stops what runs, if the machine is frozen. A run that begins at this moment sees the
// freeze itself, and one that is stopped its end.
func (a *Agent) stop() error {
	if why, err := a.Folder.Frozen(); why == "" || err != nil {
		return err
	}
	fleet, err := a.Folder.Document()
	if err != nil {
		return err
	}
	var paused, ended []string
	if a.Folder.OnlyPauses(fleet) {
		paused, ended, err = a.Launcher.Live().PauseAll(stopWithin)
	} else {
		ended, err = a.Launcher.Live().EndAll(endWithin)
	}
	for what, runs := range map[string][]string{"stopped": paused, "ended": ended} {
		if len(runs) > 0 {
			a.say("this machine is frozen; %s %s", what, audit.Plural(len(runs), "run"))
		}
	}
	return err
}

// freeze carries out an order that counts and is for this machine. Why one does not count is said
// once.
func (a *Agent) freeze(key string, text []byte, again bool) error {
	a.orders.Lock()
	defer a.orders.Unlock()
	fleet, err := a.Folder.Document()
	if err != nil {
		return err
	}
	order, err := fleet.Freeze(text)
	if err != nil {
		if !again {
			a.say("freeze %q is not obeyed: %v", key, err)
		}
		return nil
	}
	if !order.Machines.Selects(a.own.labels) {
		return nil
	}
	inForce, fresh, err := a.Folder.Freeze(order, text)
	if err != nil || !inForce {
		return err
	}
	if fresh {
		why := "without a reason"
		if order.Reason != "" {
			why = fmt.Sprintf("%q", order.Reason)
		}
		a.say("frozen by %s: %s", strings.Join(order.By, ", "), why)
	}
	return a.stop()
}

// thaw ends a freeze when two administrators have signed that.
func (a *Agent) thaw(key string, text []byte, again bool) error {
	a.orders.Lock()
	defer a.orders.Unlock()
	fleet, err := a.Folder.Document()
	if err != nil {
		return err
	}
	end, err := fleet.Thaws(text)
	if errors.Is(err, document.ErrUnsigned) {
		return nil // the second person has still to sign
	}
	if err != nil {
		if !again {
			a.say("the end of freeze %q is not obeyed: %v", key, err)
		}
		return nil
	}
	thawed, err := a.Folder.Thaw(end, text)
	if thawed {
		a.say("freeze %q ended, by %s", end.ID, strings.Join(end.By, ", "))
	}
	return err
}
