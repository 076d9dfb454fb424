package agent

import (
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/registrar"
)

// Where the clock of the registrar and of people is a minute ahead of a machine's, or behind, the
// machine joins, its certificate is good at once and renewed, answers count, and a freeze holds
// until two people end it. A clock that is further ahead is named.
func TestClocksApart(t *testing.T) {
	t.Parallel()
	for name, skew := range map[string]time.Duration{"ahead": time.Minute,
		"behind": -time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := func() time.Time { return time.Now().Add(skew) }
			b := newBedAt(t, 1, clock)
			bob := newKey(t, "bob")
			b.add(bob, document.Person{Admin: true, MaxRisk: 3}, "*")
			m := b.machine("")
			m.skew = -skew / 2
			m.start()
			m.trusts(2)
			b.answersAt(m, clock)
			if done, err := m.folder.RenewIfDue(t.Context(),
				clock().Add(registrar.MachineLife*2/3)); !done || err != nil {
				t.Errorf("renewed: %t, %v", done, err)
			}
			order, err := b.office().Freeze(t.Context(), b.ann,
				document.Freeze{Machines: document.Everywhere(), Time: clock()})
			if err != nil {
				t.Fatal(err)
			}
			m.eventually("frozen", func() bool { return m.l.Home().Frozen() != "" })
			m.stop()
			m.start()
			if _, err := b.office().Thaw(t.Context(), b.ann, order.ID); err != nil {
				t.Fatal(err)
			}
			if _, err := b.office().Thaw(t.Context(), bob, order.ID); err != nil {
				t.Fatal(err)
			}
			m.eventually("it ended", func() bool { return m.l.Home().Frozen() == "" })
		})
	}
}

// answersAt has ann answer at different times of a clock.
func (b *bed) answersAt(m *machine, clock func() time.Time) {
	b.Helper()
	q := m.published(m.ask(0).ID)
	for off, want := range map[time.Duration]string{3 * time.Minute: "it is valid from",
		-2 * time.Hour: "it expired at"} {
		o := m.hand(q, m.tokenAt(clock().Add(off), b.ann, q, true))
		if o.Taken || !strings.Contains(o.Message, want) {
			b.Errorf("%v off: %+v", off, o)
		}
	}
	if o := m.hand(q, m.tokenAt(clock(), b.ann, q, true)); !o.Approved {
		b.Errorf("%+v", o)
	}
}
