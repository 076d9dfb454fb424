package agent

import (
	"errors"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// Garbage over the fleet document is mended by the registrar, which watches; what it does not
// touch, such as the document of another fleet, by an administrator, and by nobody else.
func TestRepair(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	office := b.office()
	m := b.machine("")
	m.start()
	known, err := m.folder.Text()
	if err != nil {
		t.Fatal(err)
	}
	is := func() bool {
		got, err := b.root.Get(t.Context(), keyspace.Fleet)
		return err == nil && len(got.Kvs) == 1 && string(got.Kvs[0].Value) == string(known)
	}
	put := func(text string) {
		t.Helper()
		if _, err := b.root.Put(t.Context(), keyspace.Fleet, text); err != nil {
			t.Fatal(err)
		}
	}
	put("garbage")
	m.eventually("it is mended", is)
	if r, err := office.Damage(t.Context(), known); err != nil || r.Why != nil {
		t.Errorf("%+v, %v", r, err)
	}

	mallory := newKey(t, "mallory")
	other := office.Known.Copy()
	other.Name = "other"
	other.People = []document.Person{{Name: "mallory", Key: mallory.Public(), Admin: true}}
	text, err := other.Sign(mallory)
	if err != nil {
		t.Fatal(err)
	}
	put(string(text))
	m.eventually("it is told", func() bool {
		return strings.Count(m.text(), "the fleet document in etcd is not taken") > 1
	})
	r, err := office.Damage(t.Context(), known)
	if err != nil || !errors.Is(r.Why, document.ErrUnsigned) || r.Serial != 0 ||
		r.Fleet.Serial != office.Known.Serial {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := office.Repair(t.Context(), mallory, r); err == nil || is() {
		t.Errorf("%v: who is no administrator repairs it", err)
	}
	if err := office.Repair(t.Context(), b.ann, r); err != nil || !is() {
		t.Error(err)
	}
	if err := office.Repair(t.Context(), b.ann, r); err == nil {
		t.Error("what was replaced meanwhile is replaced")
	}
}
