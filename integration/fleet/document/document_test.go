package document

import (
	"bytes"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
)

func newKey(t testing.TB, name string) approval.Key {
	k, err := approval.NewKey(name, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func selector(t testing.TB, text string) Selector {
	s, err := ParseSelector(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A team is a fleet and the keys of its people.
type team struct {
	Fleet
	ann, bob, eve, registrar approval.Key
}

// newTeam is a fleet that ann and bob administrate, in which bob and eve answer for machines in CI.
func newTeam(t testing.TB) team {
	m := team{ann: newKey(t, "ann"), bob: newKey(t, "bob"), eve: newKey(t, "eve"),
		registrar: newKey(t, "registrar")}
	m.Fleet = Fleet{Name: "acme", Serial: 2, Registrar: Person{Name: "registrar",
		Key: m.registrar.Public()},
		People: []Person{
			{Name: "ann", Key: m.ann.Public(), Admin: true, MaxRisk: 3},
			{Name: "bob", Key: m.bob.Public(), Admin: true, MaxRisk: 3,
				Answers: selector(t, "env=ci")},
			{Name: "eve", Key: m.eve.Public(), MaxRisk: 1, Answers: selector(t, "env=ci,team=web")},
		}}
	return m
}

// signedBy returns the document f with the signatures of administrators of m.
func (m team) signedBy(t testing.TB, f Fleet, keys ...approval.Key) []byte {
	text, err := f.Sign(keys[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys[1:] {
		if text, err = m.Cosign(text, k); err != nil {
			t.Fatal(err)
		}
	}
	return text
}

func TestFleetFollows(t *testing.T) {
	m := newTeam(t)
	first, err := FirstFleet(m.signedBy(t, m.Fleet, m.ann))
	if err != nil || !first.equal(m.Fleet) {
		t.Fatalf("%+v, %v", first, err)
	}
	with := func(change func(*Fleet)) Fleet {
		next := m.Fleet
		next.People = append([]Person{}, m.People...)
		next.Serial++
		change(&next)
		return next
	}
	revoked := with(func(f *Fleet) { f.Revoked = []string{"tada-1"} })
	deposed := with(func(f *Fleet) { f.People[0].Admin = false })
	twice := with(func(f *Fleet) {
		f.People = append(f.People, Person{Name: "ann2", Key: newKey(t, "ann2").Public(),
			Admin: true})
	})
	registrar := with(func(f *Fleet) { f.Registrar.Key = newKey(t, "registrar").Public() })
	gone := with(func(f *Fleet) {
		f.People = []Person{{Name: "carol", Key: newKey(t, "carol").Public(), Admin: true}}
	})
	last := with(func(f *Fleet) { f.Serial = 1<<53 - 1 })
	for _, c := range []struct {
		name string
		text []byte
		want error
	}{
		{"a registrar, by one", m.signedBy(t, registrar, m.ann), ErrUnsigned},
		{"a registrar, by two", m.signedBy(t, registrar, m.ann, m.bob), nil},
		{"the last serial", m.signedBy(t, last, m.ann), ErrOlder},
		{"nobody stays", m.signedBy(t, gone, m.ann, m.bob), ErrUnsigned},
		{"the same again", m.signedBy(t, m.Fleet, m.bob), nil},
		{"a machine revoked", m.signedBy(t, revoked, m.bob), nil},
		{"by one who is no administrator", m.signedBy(t, revoked, m.eve), ErrUnsigned},
		{"by the registrar", m.signedBy(t, revoked, m.registrar), ErrUnsigned},
		{"by a stranger of the same name", m.signedBy(t, revoked, newKey(t, "ann")), ErrUnsigned},
		{"administrators, by one", m.signedBy(t, deposed, m.bob), ErrUnsigned},
		{"another self, by one", m.signedBy(t, twice, m.ann), ErrUnsigned},
		{"administrators, by two", m.signedBy(t, deposed, m.ann, m.bob), nil},
		{"another fleet", m.signedBy(t, with(func(f *Fleet) { f.Name = "other" }), m.ann),
			ErrOlder},
		{"older", m.signedBy(t, with(func(f *Fleet) { f.Serial = 1 }), m.ann), ErrOlder},
		{"a second one", m.signedBy(t, with(func(f *Fleet) {
			f.Serial, f.Revoked = 2, []string{"tada-2"}
		}), m.ann), ErrOlder},
		{"cut off", m.signedBy(t, revoked, m.bob)[:80], approval.ErrMalformed},
		{"empty", nil, approval.ErrMalformed},
		{"changed", bytes.Replace(m.signedBy(t, revoked, m.bob), []byte("tada-1"), []byte("tada-3"),
			1), approval.ErrSignature},
	} {
		_, err := m.Follows(c.text)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, not %v", c.name, err, c.want)
		}
	}
}

// A document of one kind is none of another, whoever signed it.
func TestKinds(t *testing.T) {
	m := newTeam(t)
	machine := Machine{ID: "tada-1", Name: "laptop", Labels: Labels{"env": "ci"},
		Joined: time.Unix(1e9, 0).UTC()}
	record, err := machine.Sign(m.registrar)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Machine(record)
	if err != nil || got.ID != machine.ID || got.Labels.String() != "env=ci" ||
		!got.Joined.Equal(machine.Joined) {
		t.Errorf("%+v, %v", got, err)
	}
	if byAdmin, err := machine.Sign(m.ann); err != nil {
		t.Error(err)
	} else if _, err := m.Machine(byAdmin); !errors.Is(err, ErrUnsigned) {
		t.Errorf("a record that an administrator signed: %v", err)
	}
	freeze, err := Freeze{ID: "f1", Machines: selector(t, "*"), Reason: "leak"}.Sign(m.ann)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Follows(freeze); !errors.Is(err, approval.ErrMalformed) {
		t.Errorf("a freeze as a fleet: %v", err)
	}
	if _, err := m.Thaws(freeze); !errors.Is(err, approval.ErrMalformed) {
		t.Errorf("a freeze as a thaw: %v", err)
	}
	m.Revoked = []string{"tada-1"}
	if _, err := m.Machine(record); !errors.Is(err, ErrRevoked) {
		t.Errorf("a revoked machine: %v", err)
	}
}

func TestThawTakesTwo(t *testing.T) {
	m := newTeam(t)
	one, err := Thaw{ID: "f1"}.Sign(m.ann)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Thaws(one); !errors.Is(err, ErrUnsigned) {
		t.Errorf("one signature: %v", err)
	}
	if _, err := m.Cosign(one, m.ann); err == nil {
		t.Error("the same person signed twice")
	}
	byEve, err := m.Cosign(one, m.eve)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Thaws(byEve); !errors.Is(err, ErrUnsigned) {
		t.Errorf("the second is no administrator: %v", err)
	}
	two, err := m.Cosign(byEve, m.bob)
	if err != nil {
		t.Fatal(err)
	}
	if thaw, err := m.Thaws(two); err != nil || thaw.ID != "f1" || len(thaw.By) != 2 {
		t.Errorf("%+v, %v", thaw, err)
	}
}

// An order is for one fleet: a person may be an administrator of two, and whoever stores the orders
// of one can carry them to the other. Those of earlier versions name none.
func TestOrdersOfAnotherFleet(t *testing.T) {
	m := newTeam(t)
	for fleet, want := range map[string]bool{m.Name: true, "": true, "other": false} {
		text, err := Freeze{ID: "f1", Fleet: fleet, Machines: Everywhere()}.Sign(m.ann)
		if err != nil {
			t.Fatal(err)
		}
		if o, err := m.Freeze(text); (err == nil) != want || want && o.Fleet != fleet {
			t.Errorf("a freeze of %q: %+v, %v", fleet, o, err)
		}
		if text, err = (Thaw{ID: "f1", Fleet: fleet}).Sign(m.ann); err == nil {
			text, err = m.Cosign(text, m.bob)
		}
		if err != nil {
			t.Fatal(err)
		}
		if end, err := m.Thaws(text); (err == nil) != want || want && end.ID != "f1" {
			t.Errorf("an end of %q: %+v, %v", fleet, end, err)
		}
		if _, err := m.CosignThaw(text, "f1", m.bob); fleet == "other" && (err == nil ||
			!strings.Contains(err.Error(), `is of fleet "other", not`)) {
			t.Errorf("an end of %q is signed: %v", fleet, err)
		}
	}
}

func TestTrust(t *testing.T) {
	m := newTeam(t)
	names := func(labels string) string {
		l, err := ParseLabels(labels)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, k := range m.Trust(l) {
			out = append(out, k.Name)
		}
		return strings.Join(out, " ")
	}
	for labels, want := range map[string]string{
		"": "", "env=ci": "bob", "env=ci,team=web": "bob eve", "team=web": "",
	} {
		if got := names(labels); got != want {
			t.Errorf("labels %q: %q, not %q", labels, got, want)
		}
	}
}

func TestLabelsAreRefused(t *testing.T) {
	for _, text := range []string{"a", "a=", "=b", "a=b,", "a=b,a=c", "a=b c", "a=\x1b", "ä=b"} {
		if l, err := ParseLabels(text); err == nil {
			t.Errorf("%q: %v", text, l)
		}
	}
	if s, err := ParseSelector(""); err == nil || s.Selects(Labels{}) {
		t.Errorf("an empty selector: %v, %v", s, err)
	}
}

// What is read is what would be written: no text of another spelling counts.
func FuzzDocument(f *testing.F) {
	m := newTeam(f)
	f.Add(m.signedBy(f, m.Fleet, m.ann))
	thaw, _ := Thaw{ID: "f1"}.Sign(m.ann)
	f.Add(thaw)
	bundle, _ := Bundle{Fleet: "acme", Name: "base", Version: 7, Stage: Force,
		Machines: Everywhere(), Text: "background: end\n"}.Sign(m.ann)
	f.Add(bundle)
	f.Fuzz(func(t *testing.T, text []byte) {
		if g, err := FirstFleet(text); err == nil && g.check() != nil {
			t.Errorf("a fleet was read that could not be written: %v", g.check())
		}
		if _, err := m.Follows(text); err == nil && !bytes.Contains(text, []byte("\n— ")) {
			t.Error("an unsigned document counts")
		}
		_, _ = m.Machine(text)
		_, _ = m.Freeze(text)
		_, _ = m.Thaws(text)
		if b, err := m.Bundle(text); err == nil && b.check() != nil {
			t.Errorf("a bundle was read that could not be written: %v", b.check())
		}
		_ = VersionOf(text)
	})
}

// What is shown to people moves no screen, whoever signed it.
func TestWhatIsShown(t *testing.T) {
	m := newTeam(t)
	for name, machine := range map[string]Machine{
		"name":  {ID: "tada-1", Name: "a\x1b[2J"},
		"id":    {ID: "a\x1b[2J", Name: "a"},
		"owner": {ID: "tada-1", Name: "a", Owner: "a\x1b[2J"},
		"c1":    {ID: "tada-1", Name: "a", Owner: "a\u009b2J"},
		"bidi":  {ID: "tada-1", Name: "a", Owner: "a\u202eb"},
	} {
		if _, err := machine.Sign(m.registrar); err == nil {
			t.Errorf("%s is signed", name)
		}
		text, err := sign(kindMachine, plan.Fields{"id": machine.ID, "name": machine.Name,
			"owner": machine.Owner, "labels": ""}, m.registrar)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Machine(text); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}

// Nobody signs the end of another freeze than the one that was named.
func TestCosignThaw(t *testing.T) {
	m := newTeam(t)
	text, err := Thaw{ID: "other"}.Sign(m.ann)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.CosignThaw(text, "mine", m.bob); err == nil {
		t.Error("signed")
	}
	both, err := m.CosignThaw(text, "other", m.bob)
	if end, bad := m.Thaws(both); err != nil || bad != nil || end.ID != "other" {
		t.Errorf("%+v, %v, %v", end, err, bad)
	}
	for _, id := range []string{"../../trust", "", "a\nb"} {
		if text, err = (Thaw{ID: id}).Sign(m.ann); err != nil {
			t.Fatal(err)
		}
		if _, err := m.CosignThaw(text, id, m.bob); err == nil {
			t.Errorf("id %q", id)
		}
	}
}

// Whoever signs a change too sees all of it.
func TestDifferences(t *testing.T) {
	m := newTeam(t)
	if lines := m.Differences(m.Fleet); len(lines) > 0 {
		t.Errorf("%q", lines)
	}
	next := m.Fleet.Copy()
	next.People[1].Answers = selector(t, "*")
	next.People[2] = Person{Name: "dave", Key: m.eve.Public(), Admin: true}
	next.Registrar.Key = m.eve.Public()
	next.Revoked = []string{"tada-1"}
	got := strings.Join(m.Differences(next), "\n")
	for _, want := range []string{"changes administrator bob", `to administrator bob`,
		`answers "*"`, "adds administrator dave", "removes person eve", "the registrar",
		"revokes machine tada-1"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	if got := next.Differences(m.Fleet); !strings.Contains(strings.Join(got, "\n"),
		"no longer revokes machine tada-1") {
		t.Errorf("%q", got)
	}
	turned := m.Fleet.Copy()
	turned.People[0], turned.People[1] = turned.People[1], turned.People[0]
	if lines := m.Differences(turned); len(lines) != 1 {
		t.Errorf("%q", lines)
	}
}

// Where records go is signed with the rest, and a place that cannot be one is refused.
func TestShipping(t *testing.T) {
	ann, err := approval.NewKey("ann", rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	f := Fleet{Name: "acme", Serial: 1, People: []Person{{Name: "ann", Key: ann.Public(),
		Admin: true}}, Registrar: Person{Name: "ann-2", Key: make([]byte, 32)}}
	good := Shipping{Endpoint: "https://s3.example", Bucket: "records/a/b", Region: "eu",
		Recipients: []string{"age1x"}, Witnesses: []Witness{{"KEY", "https://w.example"}}}
	f.Ship = good
	text, err := f.Sign(ann)
	if err != nil {
		t.Fatal(err)
	}
	got, err := FirstFleet(text)
	if err != nil || !got.Ship.equal(good) {
		t.Errorf("%+v, %v", got.Ship, err)
	}
	if bucket, prefix := got.Ship.Split(); bucket != "records" || prefix != "a/b/" {
		t.Errorf("%q, %q", bucket, prefix)
	}
	other := f.Copy()
	other.Ship.Recipients[0] = "age1y"
	if f.Ship.Recipients[0] != "age1x" {
		t.Error("a copy shares its recipients")
	}
	if text, err = other.Sign(ann); err != nil {
		t.Fatal(err)
	}
	if _, err := got.Follows(text); !errors.Is(err, ErrOlder) {
		t.Errorf("two documents with one serial: %v", err)
	}
	for _, change := range []func(*Shipping){
		func(s *Shipping) { s.Endpoint = "" },
		func(s *Shipping) { s.Endpoint = "ftp://s3.example" },
		func(s *Shipping) { s.Endpoint = "https://s3.example/path" },
		func(s *Shipping) { s.Endpoint = "https://me:secret@s3.example" },
		func(s *Shipping) { s.Bucket = "a" },
		func(s *Shipping) { s.Bucket = "Records" },
		func(s *Shipping) { s.Recipients = nil },
		func(s *Shipping) { s.Witnesses = make([]Witness, 17) },
	} {
		bad := f.Copy()
		change(&bad.Ship)
		if _, err := bad.Sign(ann); err == nil {
			t.Errorf("%+v is signed", bad.Ship)
		}
	}
	f.Ship = Shipping{}
	if text, err = f.Sign(ann); err != nil || bytes.Contains(text, []byte("ship")) {
		t.Errorf("%s, %v", text, err)
	}
}
