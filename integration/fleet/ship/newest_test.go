package ship

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/served"
)

// signed is a document that follows the one of the bed, which it then is.
func (b *bed) signed(key approval.Key, change func(*document.Fleet)) []byte {
	b.Helper()
	next := b.fleet
	next.Serial++
	change(&next)
	text, err := next.Sign(key)
	if err != nil {
		b.Fatal(err)
	}
	if b.fleet, err = document.FirstFleet(text); err != nil {
		b.Fatal(err)
	}
	return text
}

// reader is one who has the key of the team and a pin, or a fleet document.
func (b *bed) reader(known document.Fleet, pin string) (Check, error) {
	b.Helper()
	bucket, err := OpenBucket(b.fleet.Ship, Key{served.S3Key, served.S3Secret})
	if err != nil {
		b.Fatal(err)
	}
	return Check{Bucket: bucket, Fleet: known, Identities: []age.Identity{b.team}}.Newest(
		b.Context(), pin)
}

func nothing(*document.Fleet) {}

// The bucket, the key of the team and the line in its file are enough: the reader comes to the
// newest document also where the administrators have changed, and knows who is revoked.
func TestNewest(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.member()
	first := b.fleet
	pin := first.Pin()
	bob, err := approval.NewKey("bob", rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	m.Documents = [][]byte{b.signed(b.ann, nothing),
		b.signed(b.ann, func(f *document.Fleet) {
			f.People = append(f.People, document.Person{Name: "bob", Key: bob.Public(),
				Admin: true})
		}),
		b.signed(bob, func(f *document.Fleet) { f.Revoked = []string{m.ID} })}
	m.run("one", false)
	m.ship()
	c, err := b.reader(document.Fleet{}, pin)
	if err != nil || c.Fleet.Serial != 4 {
		t.Fatalf("document %d, %v", c.Fleet.Serial, err)
	}
	f, err := c.Machine(t.Context(), m.ID)
	if err != nil || !f.Revoked || f.Stray != 0 || f.Report.Runs != 1 {
		t.Errorf("%+v, %v", f, err)
	}
	if in, behind := c.Behind(); behind {
		t.Errorf("behind %d", in)
	}
	for _, test := range []struct {
		known document.Fleet
		pin   string
		want  string
	}{
		{document.Fleet{}, "", "add this line to the file of the key: # fleet: 4-"},
		{document.Fleet{}, strings.Replace(pin, "1-", "9-", 1), "older than the line"},
		{document.Fleet{}, "1-x", "of another fleet"},
	} {
		if c, err := b.reader(test.known, test.pin); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %d, %v, not %q", test.pin, c.Fleet.Serial, err, test.want)
		}
	}
	// without the document by which bob became an administrator, what he signed is nobody's
	b.Remove(documentName(m.ID, 3))
	if c, err = b.reader(first, ""); err != nil || c.Fleet.Serial != 2 {
		t.Errorf("document %d, %v", c.Fleet.Serial, err)
	}
	if _, err := c.Machine(t.Context(), m.ID); err == nil ||
		!strings.Contains(err.Error(), "fleet document 4: ") {
		t.Error(err)
	}
	for serial := range int64(5) {
		b.Remove(documentName(m.ID, serial))
	}
	if _, err := b.reader(document.Fleet{}, pin); !errors.Is(err, ErrNoDocument) {
		t.Error(err)
	}
	if c, err = b.reader(first, ""); err != nil || c.Fleet.Serial != 1 {
		t.Errorf("document %d, %v", c.Fleet.Serial, err)
	}
	if in, behind := c.Behind(); !behind || in != 0 {
		t.Error(in, behind)
	}
}

// The line may be of a later document than the first that machines ship: administrators are added
// before anyone thinks of shipping. What is older than the line is no reason to doubt a machine.
func TestNewestOfALaterLine(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.member()
	first, err := b.fleet.Sign(b.ann)
	if err != nil {
		t.Fatal(err)
	}
	bob, err := approval.NewKey("bob", rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	m.Documents = [][]byte{first, b.signed(b.ann, func(f *document.Fleet) {
		f.People = append(f.People, document.Person{Name: "bob", Key: bob.Public(), Admin: true})
	})}
	pin := b.fleet.Pin()
	m.Documents = append(m.Documents, b.signed(bob, nothing))
	m.run("one", false)
	m.ship()
	c, err := b.reader(document.Fleet{}, pin)
	if err != nil || c.Fleet.Serial != 3 {
		t.Fatalf("document %d, %v", c.Fleet.Serial, err)
	}
	if f, err := c.Machine(t.Context(), m.ID); err != nil || f.Report.Runs != 1 {
		t.Errorf("%+v, %v", f, err)
	}
}

// Whoever can write the bucket can take a document away, or put another one in its place; the
// machine below which that is done is named, and the others are proven.
func TestOtherDocuments(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	first := b.signed(b.ann, nothing)
	pin := b.fleet.Pin()
	revoked := b.signed(b.ann, func(f *document.Fleet) {
		f.Revoked = []string{"tada-0000000000000000"}
	})
	two := b.fleet
	m, other := b.member(), b.member()
	for _, one := range []*member{m, other} {
		one.Documents = [][]byte{first, revoked}
		one.run("one", false)
		one.ship()
	}
	two.Serial, two.Revoked = 3, nil
	fork, err := two.Sign(b.ann)
	if err != nil {
		t.Fatal(err)
	}
	stranger := newBed(t)
	theirs := stranger.signed(stranger.ann, func(f *document.Fleet) {
		f.Name, f.Serial = "other", 3
	})
	newest := documentName(m.ID, 3)
	for _, test := range []struct {
		name string
		do   func()
		want string
	}{
		{"it is removed", func() { b.Remove(newest) }, "fleet document 3, which was removed"},
		{"it is an older one", func() { b.Put(newest, b.Get(documentName(m.ID, 2))) },
			`it is document 2 of fleet "acme"`},
		{"it is cut", func() { b.Put(newest, b.Get(newest)[:200]) }, "it was changed"},
		{"it is another with its serial", func() { b.Put(newest, sealed(t, fork, b.team)) },
			"there are two with serial 3"},
		{"it is of another fleet", func() { b.Put(newest, sealed(t, theirs, b.team)) },
			`it is document 3 of fleet "other"`},
		{"it is text", func() { b.Put(newest, sealed(t, []byte("x"), b.team)) },
			"fleet document 3: "},
		{"a later one is of another fleet", func() {
			b.Put(documentName(m.ID, 9), sealed(t, theirs, b.team))
		}, "fleet document 9: "},
	} {
		was := bytes.Clone(b.Get(newest))
		test.do()
		c, err := b.reader(document.Fleet{}, pin)
		if err != nil || c.Fleet.Serial != 3 {
			t.Errorf("%s: document %d, %v", test.name, c.Fleet.Serial, err)
			continue
		}
		named := m
		if strings.Contains(test.want, "two with") && m.ID < other.ID {
			named = other // a reader takes the first of two
		}
		var broken *BrokenError
		if _, err := c.Machine(t.Context(), named.ID); !errors.As(err, &broken) ||
			broken.Machine != named.ID || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, not %q", test.name, err, test.want)
		}
		b.Put(newest, was)
		b.Remove(documentName(m.ID, 9))
	}
	c, err := b.reader(document.Fleet{}, pin)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []*member{m, other} {
		if _, err := c.Machine(t.Context(), one.ID); err != nil {
			t.Error(err)
		}
	}
}

// A machine does not ship with an older fleet document than before, and a reader does not take that
// of one that did.
func TestOlderDocument(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.member()
	old := b.signed(b.ann, nothing)
	m.Documents = [][]byte{b.signed(b.ann, nothing)}
	m.run("one", false)
	m.ship()
	m.Documents = [][]byte{old}
	m.run("two", false)
	if _, _, err := m.shipper().Once(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "an older one was put back here") {
		t.Error(err)
	}
	m.Documents = nil
	s := m.shipper()
	s.serial = 2 // as a program would that does not look
	if _, _, err := s.Once(context.Background()); err == nil ||
		!strings.Contains(err.Error(), "went back from fleet document 3") {
		t.Error(err)
	}
}

// The line is in the file of the key, where age reads a comment.
func TestPinOf(t *testing.T) {
	t.Parallel()
	f := document.Fleet{Name: "acme", Serial: 3}
	for text, want := range map[string]string{
		"AGE-SECRET-KEY-1\n":                          "",
		"# created: now\r\n" + PinLine(f) + "  \r\nA": f.Pin(),
		PinLine(f):              f.Pin(),
		" " + PinLine(f):        "",
		"# fleet: \n# fleet: x": "",
		strings.Repeat("x", 1<<20) + "\n" + PinLine(f): "",
	} {
		if got := PinOf([]byte(text)); got != want {
			t.Errorf("%.40q: %q", text, got)
		}
	}
}
