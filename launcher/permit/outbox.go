package permit

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
)

// The store keeps each event until it is in the log, so that a process that dies in between loses
// none. A process that changes the store holds the outbox shared, from before the change until its
// events are in the log and out of the store. A process that records what dead ones have left holds
// it exclusively, so it never records what a live one is about to record.

// Change does what changes the store and records what it changed. The error is that of the record,
// or else the change's own.
func (p *Approvals) Change(log *audit.Log, d audit.Durability,
	do func() ([]approval.Event, error)) error {
	told, err := p.changeNow(log, d, do)
	if told == nil {
		return err
	}
	if forgetErr := <-told; forgetErr != nil {
		return errors.Join(err, forgetErr)
	}
	return err
}

// changeNow is change for a caller that has no time: when it returns, the events are in the log,
// and the channel receives when the store has dropped them. A process that ends before leaves that
// to the next one.
func (p *Approvals) changeNow(log *audit.Log, d audit.Durability,
	do func() ([]approval.Event, error)) (<-chan error, error) {
	s, err := p.ChangeSaid(log, d, do)
	if s.outbox == nil {
		return nil, err
	}
	return p.ForgetNow(s), err
}

// written are events that are in the log and also, still, in the store.
type written struct {
	events []approval.Event
	place  string   // of the last of them in the log, once the disk has it
	outbox *os.File // held shared; nil when there is nothing to drop
}

// ChangeSaid is change for a caller that has something better to do than to have the store forget,
// which takes the store and waits for the disk twice. It must call forgetNow in the end.
func (p *Approvals) ChangeSaid(log *audit.Log, d audit.Durability,
	do func() ([]approval.Event, error)) (written, error) {
	outbox, err := p.dir.Lock("outbox", syscall.LOCK_SH)
	if err != nil {
		return written{}, err
	}
	events, changeErr := do()
	events = append(events, eventsOf(changeErr)...)
	place, err := AppendEvents(log, events, d)
	if err != nil {
		outbox.Close()
		return written{}, err
	}
	return written{events, place, outbox}, changeErr
}

// ForgetNow has the store forget what is in the log, all in one transaction. The channel says when
// it has.
func (p *Approvals) ForgetNow(all ...written) <-chan error {
	told := make(chan error, 1)
	go func() {
		var events []approval.Event
		place := ""
		for _, s := range all {
			events, place = append(events, s.events...), max(place, s.place)
		}
		err := p.forget(events, place)
		for _, s := range all {
			s.outbox.Close() // nil has an error and nothing else
		}
		told <- err
	}()
	return told
}

// AppendEvents writes what happened to an envelope into the log. It returns the place of the last
// entry when the disk has it: a place that a power cut takes away would look like an older record.
func AppendEvents(log *audit.Log, events []approval.Event,
	d audit.Durability) (place string, err error) {
	for _, e := range events {
		entry, err := log.Append(e.Kind, e.Body(), d)
		if err != nil {
			return "", &record.Error{Kind: e.Kind, Err: err}
		}
		if d != audit.Lazy {
			place = entry.Place().String()
		}
	}
	return place, nil
}

// forget takes events that are in the log out of the store. Refused attempts were never in it.
func (p *Approvals) forget(events []approval.Event, place string) error {
	var seqs []uint64
	for _, e := range events {
		if e.Seq != 0 {
			seqs = append(seqs, e.Seq)
		}
	}
	if len(seqs) == 0 {
		return nil
	}
	ctx, cancel := StoreContext()
	defer cancel()
	return p.Store.MarkLogged(ctx, place, seqs...)
}

// eventsOf returns what a refusal of the store wants recorded.
func eventsOf(err error) []approval.Event {
	if refused, ok := errors.AsType[*approval.Refused](err); ok {
		return refused.Events
	}
	return nil
}

// StoreContext bounds one operation on the store.
func StoreContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), storeTimeout)
}

// storeTimeout bounds one operation on the approval store. The store is not held while a person
// thinks, so a longer wait means that something is wrong with it.
const storeTimeout = 15 * time.Second
