package ship

import (
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/fleet/document"
)

// A machine that joined and never shipped is known from what others have stored of it, until it is
// revoked; whoever takes that away is noticed, and who puts something else there says nothing.
func TestSilentMachines(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	pin := b.fleet.Pin()
	m, silent, gone, ships := b.member(), b.member(), b.member(), b.member()
	m.Documents = [][]byte{b.signed(b.ann, func(f *document.Fleet) {
		f.Revoked = []string{gone.ID}
	})}
	ships.Documents = m.Documents
	m.run("one", false)
	s := m.shipper()
	records := map[string][]byte{silent.ID: silent.Record, gone.ID: gone.Record,
		ships.ID: ships.Record}
	for range 2 { // again as after a crash
		s.stored = nil
		if err := s.Meet(t.Context(), records); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := s.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	ships.run("one", false)
	ships.ship()
	m.run("two", false)
	if _, _, err := s.Once(t.Context()); err != nil || len(s.unnamed) > 0 {
		t.Fatal(s.unnamed, err)
	}
	// not of the fleet, or not what its name says
	stranger := newBed(t).member()
	for name, text := range map[string][]byte{
		stranger.ID + "-" + sum(stranger.Record): stranger.Record,
		stranger.ID + "-" + sum(silent.Record):   silent.Record,
		stranger.ID + "-" + sum([]byte("x")):     []byte("y"),
	} {
		b.Put(metName(m.ID, name), sealed(t, text, b.team))
	}
	c, err := b.reader(document.Fleet{}, pin)
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{m.ID: true, ships.ID: true}
	list, err := c.Silent(t.Context(), there)
	if err != nil || len(list) != 1 || list[0].ID != silent.ID || list[0].Joined.IsZero() {
		t.Errorf("%+v, %v", list, err)
	}
	for id := range there {
		if f, err := c.Machine(t.Context(), id); err != nil || f.Stray != 0 {
			t.Errorf("%+v, %v", f, err)
		}
	}
	b.Remove(metName(m.ID, silent.ID+"-"+sum(silent.Record)))
	if _, err := c.Machine(t.Context(), m.ID); err == nil || !strings.Contains(err.Error(),
		"the record of machine \""+silent.ID+"\", which manifest 0 has, was removed") {
		t.Error(err)
	}
}

func TestMetOf(t *testing.T) {
	t.Parallel()
	const id = "tada-0123456789abcdef"
	hash := strings.Repeat("0", 64)
	for name, want := range map[string]bool{
		id + "-" + hash: true, id: false, id + "-": false, "-" + hash: false, "": false,
		id + "/-" + hash: false, id + "-" + hash + "-": false, "../" + id + "-" + hash: false,
	} {
		if other, sum, ok := metOf(id, metName(id, name)); ok != want || ok && (other != id ||
			sum != hash) {
			t.Errorf("%q: %q, %q, %v", name, other, sum, ok)
		}
	}
}
