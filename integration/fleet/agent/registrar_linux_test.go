package agent

import (
	"errors"
	"slices"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/member"
)

// Two administrators give the registrar another key. Machines stay members, also one that was away
// and sees only what one administrator has signed since; and others can join.
func TestAnotherRegistrar(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	bob := newKey(t, "bob")
	b.add(bob, document.Person{Admin: true, MaxRisk: 3}, "*")
	away, m := b.machine(""), b.machine("")
	m.start()
	m.trusts(2)
	next, err := b.folder.NextKey()
	if err != nil {
		t.Fatal(err)
	}
	text, err := b.office().Change(t.Context(), b.ann, func(f *document.Fleet) error {
		f.Registrar.Key = next.Public()
		return nil
	})
	if err != nil || text == nil {
		t.Fatalf("one administrator is enough: %q, %v", text, err)
	}
	if err := b.office().Finish(t.Context(), bob, text); err != nil {
		t.Fatal(err)
	}
	b.add(newKey(t, "carol"), document.Person{MaxRisk: 3}, "*")
	m.trusts(3)
	m.eventually("both are members again", func() bool {
		list, err := b.office().Members(t.Context())
		return err == nil && len(list) == 2
	})
	away.start()
	away.trusts(3)
	if o := away.answer(bob, away.published(away.ask(0).ID), true); !o.Approved {
		t.Errorf("%+v", o)
	}
	b.machine("").start()
}

// The administrators say where etcd and the registrar are now. The agent ends, for another one to
// connect there, and the membership has the addresses from then on; what is left out stays.
func TestMoved(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.machine("")
	m.start()
	m.trusts(1)
	was, err := m.folder.Load()
	if err != nil {
		t.Fatal(err)
	}
	move := func(to document.Site, want member.Membership) {
		t.Helper()
		if _, err := b.office().Change(t.Context(), b.ann, func(f *document.Fleet) error {
			f.Site = to
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		m.eventually("the membership has it", func() bool {
			is, err := m.folder.Load()
			return err == nil && is.Registrar == want.Registrar &&
				slices.Equal(is.Endpoints, want.Endpoints)
		})
	}
	want := was
	want.Registrar = "https://fleet.example:7443"
	move(document.Site{Registrar: want.Registrar}, want)
	if m.ended() != nil {
		t.Errorf("the agent ends where etcd has not moved: %v", m.ended())
	}
	want.Endpoints = append(slices.Clone(was.Endpoints), was.Endpoints...) // another list
	move(document.Site{Registrar: want.Registrar, Etcd: want.Endpoints}, want)
	m.eventually("the agent ends", func() bool { return errors.Is(m.ended(), ErrMoved) })
	m.stop()
	m.start()
	m.eventually("connected", func() bool { return m.l.Online(t.Context()) == nil })
	b.add(newKey(t, "bob"), document.Person{MaxRisk: 3}, "*")
	m.trusts(2)
	if e := m.get(m.ask(0).ID); e.State != approval.Pending {
		t.Errorf("%+v", e)
	}
	for _, bad := range []document.Site{{Registrar: "http://x"}, {Registrar: "https://x/y"},
		{Registrar: "https://a@x"}, {Etcd: []string{"http://x"}},
		{Etcd: make([]string, 17)}} {
		if _, err := b.office().Change(t.Context(), b.ann, func(f *document.Fleet) error {
			f.Site = bad
			return nil
		}); err == nil {
			t.Errorf("%+v is signed", bad)
		}
	}
}
