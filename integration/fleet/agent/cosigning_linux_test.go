package agent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/zstandard"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/ship"
	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/integration/served"
)

// shipping has the fleet ship records to a bucket, and returns what proves them.
func (b *bed) shipping() (*served.Bucket, ship.Check) {
	b.Helper()
	team, err := age.GenerateX25519Identity()
	if err != nil {
		b.Fatal(err)
	}
	url, bucket := served.StartBucket(b.T, "records")
	to := document.Shipping{Endpoint: url, Bucket: "records/acme",
		Recipients: []string{team.Recipient().String()}}
	if _, err := b.office().Change(b.Context(), b.ann, func(f *document.Fleet) error {
		f.Ship = to
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	from, err := ship.OpenBucket(to, ship.Key{ID: served.S3Key, Secret: served.S3Secret})
	if err != nil {
		b.Fatal(err)
	}
	return bucket, ship.Check{Bucket: from, Fleet: b.office().Known,
		Identities: []age.Identity{team}}
}

// shipper is a machine that can ship.
func (b *bed) shipper() *machine {
	b.Helper()
	m := b.machine("")
	m.l.Unpacking(audit.Codec{Encoder: zstandard.Encoder, Decoder: zstandard.Decoder})
	if err := m.folder.SetShipKey(served.S3Key, served.S3Secret); err != nil {
		b.Fatal(err)
	}
	return m
}

// record adds a run that was denied to the record.
func (m *machine) record() {
	m.Helper()
	log, err := m.l.OpenLog()
	if err != nil {
		m.Fatal(err)
	}
	defer log.Close()
	m.asked++
	sid := fmt.Sprintf("run%d", m.asked)
	for _, kind := range []string{audit.KindIntent, audit.KindDenied} {
		if _, err := log.Append(kind, fmt.Appendf(nil, `{"sid":%q,"verdict":"deny"}`, sid),
			audit.Lazy); err != nil {
			m.Fatal(err)
		}
	}
}

// cosigned waits until so many machines have cosigned the whole record of a machine.
func (m *machine) cosigned(c ship.Check, by int) {
	m.Helper()
	head, err := m.l.Head()
	if err != nil {
		m.Fatal(err)
	}
	m.eventually("its record is cosigned", func() bool {
		f, err := c.Machine(m.Context(), m.own.ID)
		_, _, machines := f.Cosigned()
		return err == nil && f.Report.Entries >= head.Count && machines == by
	})
}

// Machines cosign each other's records. One whose log was cut, and whose bucket was cut with it, is
// refused by the others, and named; it ships all the same.
func TestCosigned(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	bucket, check := b.shipping()
	m := b.shipper()
	m.record()
	old := filepath.Join(t.TempDir(), "old")
	if err := os.CopyFS(old, os.DirFS(m.l.Home().Dir)); err != nil {
		t.Fatal(err)
	}
	m.record()
	others := []*machine{b.shipper(), b.shipper()}
	for _, o := range others {
		o.record()
		o.start()
	}
	m.start()
	m.cosigned(check, 2)
	for _, o := range others { // which were alone when they started
		o.stop()
		o.start()
		o.cosigned(check, 2)
	}
	m.stop()

	for _, name := range bucket.Names() {
		if strings.HasPrefix(name, "acme/"+m.own.ID+"/") {
			bucket.Remove(name)
		}
	}
	home := m.l.Home()
	if err := os.RemoveAll(home.Audit()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.CopyFS(home.Audit(), os.DirFS(filepath.Join(old, "audit"))),
		hermetic.Chmod(home.Audit(), 0o700)); err != nil {
		t.Fatal(err)
	}
	m.start()
	m.cosigned(check, 0)
	for _, o := range others {
		o.eventually("it is named", func() bool {
			return strings.Contains(o.text(), "the log of machine "+m.own.ID+" is not cosigned: ")
		})
	}
	m.eventually("it is told", func() bool {
		return strings.Contains(m.text(), "it refuses to cosign")
	})
	m.eventually("people see it", func() bool {
		all, err := b.office().Members(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		named := 0
		for _, o := range all {
			for _, r := range o.Refuses {
				if r.Machine == m.own.ID {
					named++
				}
			}
		}
		return named == 2
	})
}
