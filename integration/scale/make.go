package scale

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
)

// How often a run is denied, asks a question, has its end recorded after the next has begun, and
// the log is sealed: as often as short commands have it sealed.
const (
	deniedEach  = 50
	askedEach   = 100
	overlapEach = 16
	sealedEach  = audit.SealEvery
)

// Make makes a state directory. What is left to chance depends on the number of runs alone.
func Make(o Options) error {
	from, err := readTemplates(state.Home{Dir: o.From})
	if err != nil {
		return err
	}
	home, err := state.OpenHome(o.Home)
	if err != nil {
		return err
	}
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], uint64(o.Runs))
	m := &maker{Options: o, dir: home.Use(), from: from, random: rand.NewChaCha8(seed)}
	m.chance = rand.New(m.random)
	m.clock = &clock{o.Until.Add(-time.Duration(o.Runs) * apart), o.Until, m.chance}
	m.dir.Now, m.dir.Random = m.clock.Now, m.random
	if m.log, err = record.Of(m.dir).OpenLog(); err != nil {
		return err
	}
	defer m.log.Close()
	m.store, err = bolt.Open(home.Approvals(),
		approval.Options{Clock: m.clock.boot, Rand: m.random})
	if err != nil {
		return err
	}
	return m.all()
}

// all writes all runs.
func (m *maker) all() error {
	for n := range m.Runs {
		if n == m.Runs/2 && m.Half != nil {
			// sealed first, or tadactl gc does it, by another clock
			if err := errors.Join(m.seal(), m.Half()); err != nil {
				return err
			}
		}
		m.clock.wait(m.Runs - n)
		if err := m.one(n); err != nil {
			return err
		}
		if m.Each != nil {
			if err := m.Each(n); err != nil {
				return err
			}
		}
		if n%sealedEach == sealedEach-1 {
			if err := m.seal(); err != nil {
				return err
			}
		}
	}
	return errors.Join(m.release(), m.seal())
}

// one writes run n, and the run that an approval is used for.
func (m *maker) one(n int) error {
	switch {
	case n%askedEach == askedEach/3:
		return m.ask(m.vary(pick(m, m.from.asked), n), n/askedEach)
	case n%deniedEach == deniedEach/4:
		return m.vary(pick(m, m.from.denied), n).denied("")
	}
	return m.vary(pick(m, m.from.ran), n).carried(n%overlapEach == 0)
}
