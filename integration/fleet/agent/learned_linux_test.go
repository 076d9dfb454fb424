package agent

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
)

// What an administrator signs holds also on a machine that learns only later that this is one: the
// fleet document and the order come over different watches, or someone held the document back.
func TestSignedBeforeItIsKnown(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	bob, eve := newKey(t, "bob"), newKey(t, "eve")
	b.add(eve, document.Person{Admin: true, MaxRisk: 3}, "*")
	m := b.machine("env=ci")
	m.start()
	m.trusts(2)
	order := document.Freeze{ID: "0011223344556677", Machines: document.Everywhere(),
		Time: time.Now()}
	text, err := order.Sign(bob)
	if err != nil {
		t.Fatal(err)
	}
	b.write("freezes/"+order.ID, text)
	rules := document.Bundle{Fleet: "acme", Name: "base", Version: 1, Stage: document.Force,
		Machines: document.Everywhere(), Text: noMake}
	if text, err = rules.Sign(bob); err != nil {
		t.Fatal(err)
	}
	b.write("bundles/base/force", text)
	m.eventually("neither counts", func() bool {
		return strings.Contains(m.text(), "is not obeyed") &&
			strings.Contains(m.text(), "is not taken")
	})
	b.administrator(bob, eve)
	m.eventually("frozen", func() bool {
		why, err := m.folder.Frozen()
		return err == nil && strings.Contains(why, "by bob")
	})
	m.holds("base@1")

	// and so does an end, with the signature of another new one
	carl := newKey(t, "carl")
	half, err := document.Thaw{ID: order.ID}.Sign(eve)
	if err != nil {
		t.Fatal(err)
	}
	with := b.office().Known.Copy()
	with.People = append(with.People, document.Person{Name: "carl", Key: carl.Public(),
		Admin: true})
	if text, err = with.CosignThaw(half, order.ID, carl); err != nil {
		t.Fatal(err)
	}
	b.write("thaws/"+order.ID, text)
	time.Sleep(300 * time.Millisecond)
	if why, err := m.folder.Frozen(); err != nil || why == "" {
		t.Errorf("one administrator ended it: %v", err)
	}
	b.administrator(carl, eve)
	m.eventually("ended", func() bool {
		why, err := m.folder.Frozen()
		return err == nil && why == ""
	})
}

// A freeze goes on when the administrator who gave it is none any more: others see it, and end it.
func TestFreezeOfOneWhoLeft(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	eve := newKey(t, "eve")
	b.add(eve, document.Person{Admin: true, MaxRisk: 3}, "*")
	bob := newKey(t, "bob")
	b.administrator(bob, eve)
	m := b.machine("env=ci")
	m.start()
	order, err := b.office().Freeze(t.Context(), bob, document.Freeze{
		Machines: document.Everywhere(), Time: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	frozen := func() bool {
		why, err := m.folder.Frozen()
		return err == nil && why != ""
	}
	m.eventually("frozen", frozen)
	text, err := b.office().Change(t.Context(), b.ann, func(f *document.Fleet) error {
		f.People = slices.DeleteFunc(f.People, func(p document.Person) bool {
			return p.Name == "bob"
		})
		return nil
	})
	if err == nil {
		err = b.office().Finish(t.Context(), eve, text)
	}
	if err != nil {
		t.Fatal(err)
	}
	list, err := b.office().Freezes(t.Context())
	if err != nil || len(list) != 1 || list[0].ID != order.ID || !list[0].Lapsed || list[0].Ended {
		t.Errorf("%+v, %v", list, err)
	}
	m.stop()
	m.start()
	if time.Sleep(300 * time.Millisecond); !frozen() {
		t.Error("it ended with its administrator")
	}
	for i, key := range []approval.Key{b.ann, eve} {
		if by, err := b.office().Thaw(t.Context(), key, order.ID); err != nil || len(by) != i+1 {
			t.Errorf("%q, %v", by, err)
		}
	}
	m.eventually("ended", func() bool { return !frozen() })
	if list, err = b.office().Freezes(t.Context()); err != nil || !list[0].Ended {
		t.Errorf("%+v, %v", list, err)
	}
}

// write stores what is below a key of the fleet, as its operator can.
func (b *bed) write(key string, text []byte) {
	b.Helper()
	if _, err := b.root.Put(b.Context(), "tada/1/"+key, string(text)); err != nil {
		b.Fatal(err)
	}
}

// administrator makes a key's person one, as ann and eve sign.
func (b *bed) administrator(key, eve approval.Key) {
	b.Helper()
	text, err := b.office().Change(b.Context(), b.ann, func(f *document.Fleet) error {
		f.People = append(f.People, document.Person{Name: key.Name, Key: key.Public(), Admin: true})
		return nil
	})
	if err == nil {
		err = b.office().Finish(b.Context(), eve, text)
	}
	if err != nil {
		b.Fatal(err)
	}
}
