package agent

import (
	"context"
	"errors"
	"time"

	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/ship"
)

const (
	// shipEvery is how often the record is looked at. Each time that it has grown, the whole log is
	// verified, and twenty times as long nothing is done then.
	shipEvery = time.Minute
	shipIdle  = 20
	// shipAsk is how often the fleet document and the key of the bucket are looked at while nothing
	// is shipped.
	shipAsk = 5 * time.Second
	// the pauses after failures
	shipFirstPause = time.Second
	shipLastPause  = 5 * time.Minute
)

// shipRecord copies the record to the bucket that the fleet document names, as long as it names
// one. A failure is said once, until it is another one.
func (a *Agent) shipRecord(ctx context.Context) error {
	var s *ship.Shipper
	var to document.Fleet
	var key ship.Key
	var met time.Time
	said, pause := "", shipFirstPause
	for ctx.Err() == nil {
		began := time.Now()
		fleet, now, err := a.shipTo()
		if err == nil && (fleet.Serial != to.Serial || now != key) {
			s, to, key, met = nil, fleet, now, time.Time{}
		}
		if err == nil && s == nil && !fleet.Ship.Nowhere() {
			s, err = a.shipper(ctx, fleet, key)
		}
		if err == nil && s != nil {
			met = a.meet(ctx, s, fleet, met)
			err = a.shipOnce(ctx, s)
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil && said != "":
			a.say("record: it is shipped again")
			said = ""
			a.news.record.note("", nil)
		case err != nil && err.Error() != said:
			said = err.Error()
			a.news.record.note("", plan.Fields{"why": briefly(said)})
			a.say("record: %v; retrying; this is logged once", err)
		}
		if err != nil {
			a.shipPause(ctx, pause, to.Serial, key)
			pause = min(2*pause, shipLastPause)
			continue
		}
		pause = shipFirstPause
		if s == nil {
			wait(ctx, shipAsk)
			continue
		}
		a.shipLate(ctx, s, max(shipEvery, shipIdle*time.Since(began)))
	}
	return nil
}

// shipTo is where the record is shipped to, and the key of the bucket that was set here.
func (a *Agent) shipTo() (fleet document.Fleet, key ship.Key, err error) {
	if fleet, err = a.Folder.Document(); err == nil {
		key.ID, key.Secret, err = a.Folder.ShipKey()
	}
	return fleet, key, err
}

// shipPause waits for a time after a failure, or until the fleet document or the key of the bucket
// is another one: that may be what was wrong.
func (a *Agent) shipPause(ctx context.Context, d time.Duration, serial int64, key ship.Key) {
	for end := time.Now().Add(d); ctx.Err() == nil && time.Now().Before(end); {
		fleet, now, err := a.shipTo()
		if err == nil && (fleet.Serial != serial || now != key) {
			return
		}
		wait(ctx, min(shipAsk, time.Until(end)))
	}
}

// shipOnce ships what is new. Witnesses that refuse are said each time: it may be the log.
func (a *Agent) shipOnce(ctx context.Context, s *ship.Shipper) error {
	_, refused, err := s.Once(ctx)
	if len(refused) > 0 {
		a.say("record: %v", errors.Join(refused...))
	}
	return err
}

// shipLate waits for a time, and ships cosignatures that come meanwhile. What fails is done again
// with the next shipment.
func (a *Agent) shipLate(ctx context.Context, s *ship.Shipper, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-a.asking.Came():
			_, _ = s.Late(ctx)
		}
	}
}

// shipper returns what ships the record of this machine.
func (a *Agent) shipper(ctx context.Context, fleet document.Fleet,
	key ship.Key) (*ship.Shipper, error) {
	self, err := a.self(ctx)
	if err != nil {
		return nil, err
	}
	m := ship.Machine{Launcher: a.Launcher, ID: a.own.ID, Record: []byte(self.Record),
		Key: self.Key, Now: a.Now, Others: a.asking, Note: a.Folder.Shipped()}
	if m.Identity, err = a.Folder.Identity(); err == nil && m.Identity == "" {
		m.Identity, _, err = ship.NewIdentity()
		if err == nil {
			err = a.Folder.KeepIdentity(m.Identity)
		}
	}
	if err == nil {
		m.Documents, err = a.Folder.Documents()
	}
	if err != nil {
		return nil, err
	}
	return ship.New(m, fleet, key)
}
