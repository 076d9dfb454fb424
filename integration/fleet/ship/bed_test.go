package ship

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/plans"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/served"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/state"
)

// A bed is a fleet with a bucket.
type bed struct {
	*testing.T
	store
	faulty    *faulty
	ann       approval.Key // the administrator
	registrar approval.Key
	fleet     document.Fleet
	team      *age.X25519Identity
}

func newBed(t *testing.T) *bed {
	t.Helper()
	url, s := startStore(t)
	return newBedOn(t, url, s)
}

func newBedOn(t *testing.T, url string, s store) *bed {
	t.Helper()
	b := &bed{T: t}
	var err error
	if b.registrar, err = approval.NewKey("registrar", rand.Reader); err != nil {
		t.Fatal(err)
	}
	if b.ann, err = approval.NewKey("ann", rand.Reader); err != nil {
		t.Fatal(err)
	}
	b.team = newIdentity(t)
	b.store = s
	url, b.faulty = front(t, url)
	b.fleet = document.Fleet{Name: "acme", Serial: 1, People: []document.Person{{Name: "ann",
		Key: b.ann.Public(), Admin: true}}, Registrar: document.Person{Name: "registrar",
		Key: b.registrar.Public()}, Ship: document.Shipping{Endpoint: url, Bucket: bucketName,
		Recipients: []string{b.team.Recipient().String()}}}
	text, err := b.fleet.Sign(b.ann)
	if err != nil {
		t.Fatal(err)
	}
	if b.fleet, err = document.FirstFleet(text); err != nil {
		t.Fatal(err)
	}
	return b
}

func newIdentity(t *testing.T) *age.X25519Identity {
	t.Helper()
	i, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// A member is a machine with a record.
type member struct {
	*bed
	Machine
	runs int
	skew time.Duration
}

func (b *bed) member() *member {
	b.Helper()
	l, err := launcher.Place{State: filepath.Join(b.TempDir(), "state")}.Open()
	if err != nil {
		b.Fatal(err)
	}
	return b.memberOf(l)
}

func (b *bed) memberOf(l *launcher.Launcher) *member {
	b.Helper()
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		b.Fatal(err)
	}
	hash := sha256.Sum256(public)
	m := &member{bed: b}
	m.Machine = Machine{Launcher: l.Unpacking(codec), ID: "tada-" + hex.EncodeToString(hash[:8]),
		Key: key, Identity: newIdentity(b.T).String(), Now: m.clock,
		Note: filepath.Join(b.TempDir(), "shipped")}
	record := document.Machine{ID: m.ID, Name: "machine", Key: hex.EncodeToString(hash[:]),
		Joined: time.Now()}
	if m.Record, err = record.Sign(b.registrar); err != nil {
		b.Fatal(err)
	}
	return m
}

func (m *member) clock() time.Time { return time.Now().Add(m.skew) }

// shipper is one as after a start.
func (m *member) shipper() *Shipper {
	m.Helper()
	s, err := New(m.Machine, m.fleet, Key{served.S3Key, served.S3Secret})
	if err != nil {
		m.Fatal(err)
	}
	return s
}

// ship ships everything.
func (m *member) ship() Sent {
	m.Helper()
	sent, refused, err := m.shipper().Once(context.Background())
	if err != nil || len(refused) > 0 {
		m.Fatal(err, refused)
	}
	return sent
}

// verify proves what the bucket has of a machine.
func (b *bed) verify(id string) (Finding, error) {
	b.Helper()
	bucket, err := OpenBucket(b.fleet.Ship, Key{served.S3Key, served.S3Secret})
	if err != nil {
		b.Fatal(err)
	}
	return Check{Bucket: bucket, Fleet: b.fleet,
		Identities: []age.Identity{b.team}}.Machine(context.Background(), id)
}

// proven requires everything that was recorded to be proven.
func (m *member) proven() Finding {
	m.Helper()
	f, err := m.verify(m.ID)
	if err != nil {
		m.Fatal(err)
	}
	head, err := m.Launcher.Head()
	if err != nil {
		m.Fatal(err)
	}
	if got := (audit.Point{Count: f.Report.Entries, Head: f.Report.Head}); got != head {
		m.Fatalf("proven up to %v, and the record has %v", got, head)
	}
	return f
}

// proves requires a proof to fail with a reason.
func (m *member) broken(reason string) {
	m.Helper()
	f, err := m.verify(m.ID)
	if err == nil || !strings.Contains(err.Error(), reason) ||
		!strings.Contains(err.Error(), m.ID) {
		m.Errorf("%v, not %q (%+v)", err, reason, f)
	}
}

// open opens the log of the machine.
func (m *member) open() *audit.Log {
	m.Helper()
	log, err := m.Launcher.OpenLog()
	if err != nil {
		m.Fatal(err)
	}
	m.Cleanup(func() { log.Close() })
	return log
}

// run records a run, which prints a text; not its end if going.
func (m *member) run(text string, going bool) {
	m.Helper()
	log := m.open()
	defer log.Close()
	id, err := state.NewID(time.Now(), rand.Reader)
	if err != nil {
		m.Fatal(err)
	}
	m.runs++
	plan := fmt.Sprintf("plan of %s, %d", m.ID, m.runs)
	name, err := plans.Put(m.Launcher.Home().Plans(), []byte(plan))
	if err != nil {
		m.Fatal(err)
	}
	place, err := log.Begin(id)
	if err != nil {
		m.Fatal(err)
	}
	add := func(kind, body string) {
		if _, err := log.Append(kind, []byte(body), audit.Lazy); err != nil {
			m.Fatal(err)
		}
	}
	add(audit.KindIntent, fmt.Sprintf(`{"plan":%q,"plan_hash":"p","sid":%q,"verdict":"allow"}`,
		name, id))
	add(audit.KindStart, fmt.Sprintf(`{"authority":"policy","envelope_id":"","sid":%q}`, id))
	began := time.Now()
	rec, err := audit.Create(m.Launcher.Home().Cast(id), audit.Header{Command: "c"},
		audit.RecordOptions{Now: func() time.Duration { return time.Since(began) },
			Rand: rand.Reader})
	if err != nil {
		m.Fatal(err)
	}
	for part := range slices.Chunk([]byte(text), 16<<10) {
		if err := rec.Output(audit.CodeOutput, part); err != nil {
			m.Fatal(err)
		}
	}
	sum := rec.Summary()
	body := func(sum audit.Summary) string {
		return fmt.Sprintf(`{"bytes":%d,"count":%d,"head":"%s","sid":%q}`, sum.Bytes, sum.Count,
			sum.Head, id)
	}
	if going {
		add(audit.KindCheckpoint, body(sum))
		m.Cleanup(func() { rec.Close() })
		return
	}
	if sum, err = rec.Close(); err != nil {
		m.Fatal(err)
	}
	add(audit.KindClose, body(sum))
	add(audit.KindEnd, fmt.Sprintf(`{"sid":%q,"status":0}`, id))
	if err := place.End(); err != nil {
		m.Fatal(err)
	}
}

func (m *member) manifest(number int64) string { return manifestName(m.ID, number) }

// objectsOf are the names of the objects of a machine.
func (m *member) objectsOf() []string {
	return slices.DeleteFunc(m.Names(), func(name string) bool { return !isObject(m.ID, name) })
}

// isObject reports whether a name is one of an object of a machine.
func isObject(id, name string) bool {
	s, ok := strings.CutPrefix(name, id+objects)
	return ok && isSum(s)
}
