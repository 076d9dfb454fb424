package agent

import (
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/zstandard"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/ship"
	"github.com/tada-run/tada-run/integration/served"
)

// The agent ships the record to where the fleet document says, as soon as it says so and has the
// key of the bucket, and says once why it cannot.
func TestRecordIsShipped(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m, silent := b.machine(""), b.machine("")
	m.l.Unpacking(audit.Codec{Encoder: zstandard.Encoder, Decoder: zstandard.Decoder})
	team, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	url, bucket := served.StartBucket(t, "records")
	to := document.Shipping{Endpoint: url, Bucket: "records/acme",
		Recipients: []string{team.Recipient().String()}}
	if _, err := b.office().Change(t.Context(), b.ann, func(f *document.Fleet) error {
		f.Ship = to
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := m.folder.SetShipKey("wrong", "wrong"); err != nil {
		t.Fatal(err)
	}
	m.start()
	m.eventually("it says why", func() bool { return strings.Contains(m.text(), "Access Denied") })
	if err := m.folder.SetShipKey(served.S3Key, served.S3Secret); err != nil {
		t.Fatal(err)
	}
	m.ask(1)
	m.eventually("it is shipped", func() bool { return len(bucket.Names()) > 3 })
	for _, name := range bucket.Names() {
		if !strings.HasPrefix(name, "acme/"+m.own.ID+"/") {
			t.Errorf("%q", name)
		}
	}
	from, err := ship.OpenBucket(to, ship.Key{ID: served.S3Key, Secret: served.S3Secret})
	if err != nil {
		t.Fatal(err)
	}
	// with the key alone: the agent ships the fleet document too
	check, err := ship.Check{Bucket: from, Identities: []age.Identity{team}}.Newest(t.Context(),
		b.office().Known.Pin())
	if err != nil {
		t.Fatal(err)
	}
	f, err := check.Machine(t.Context(), m.own.ID)
	if err != nil || f.Report.Entries == 0 || f.Machine.ID != m.own.ID {
		t.Errorf("%+v, %v", f, err)
	}
	// and what another machine is called, which has never shipped
	list, err := check.Silent(t.Context(), map[string]bool{m.own.ID: true})
	if err != nil || len(list) != 1 || list[0].ID != silent.own.ID {
		t.Errorf("%+v, %v", list, err)
	}
}
