package ship

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/audit"
)

// The agent is killed at every request of some shipments, before it is done and after: what the
// bucket has then is proven, up to a point that was shipped, and the next agent ships the rest.
func TestShipKilled(t *testing.T) {
	t.Parallel()
	m := newBed(t).member()
	big := strings.Repeat("0123456789abcdef", 600<<10/16)
	last := audit.Point{}
	const kills = 28
	for i := range kills {
		m.run("one", false)
		if i%7 == 3 {
			for range 8 {
				m.run(big, false) // more than one object
			}
		}
		only := http.MethodPut
		if i%7 == 0 {
			only = "" // a request by which it finds out what the bucket has
		}
		m.faulty.set(only, i/2%4+1, i%2 == 0, false)
		_, _, err := m.shipper().Once(context.Background()) // which is dropped, as if it was killed
		m.faulty.set("", 0, false, false)
		f, verr := m.verify(m.ID)
		if verr != nil && (len(m.Names()) > 0 && f.Manifests > 0) {
			t.Fatalf("after kill %d (%v): %v", i, err, verr)
		}
		if f.Report.Entries < last.Count {
			t.Fatalf("%d entries are proven, it were %d", f.Report.Entries, last.Count)
		}
		last.Count = f.Report.Entries
	}
	m.ship()
	f := m.proven()
	t.Logf("%d manifests, %d stray objects, %d objects", f.Manifests, f.Stray, len(m.objectsOf()))
	if f.Stray == 0 || f.Stray > kills {
		t.Errorf("%d objects without a manifest", f.Stray)
	}
}

// A record that was shipped and is not the same any more is not shipped.
func TestShipFork(t *testing.T) {
	t.Parallel()
	m := newBed(t).member()
	m.run("one", false)
	old := copyOf(t, m.Launcher.Home().Dir)
	m.run("two", false)
	m.ship()
	before := m.Names()
	back := m.bed.memberOf(openPlace(t, old))
	back.Machine.ID, back.Key, back.Record, back.Identity = m.ID, m.Key, m.Record, m.Identity
	for _, text := range []string{"", "three", "four"} { // shorter, other, longer
		if text != "" {
			back.run(text, false)
			back.run(text, false)
		}
		_, _, err := back.shipper().Once(t.Context())
		if err == nil || !strings.Contains(err.Error(), "an old copy was put back") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if after := m.Names(); len(after) != len(before) {
		t.Errorf("%q, %q", before, after)
	}
	m.proven()
}
