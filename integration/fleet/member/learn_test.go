package member

import (
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/launcher/state"
)

// A machine keeps the documents by which the administrators or the registrar changed: a reader of
// the bucket who knows the first ones comes by them to the newest.
func TestDocuments(t *testing.T) {
	t.Parallel()
	o := newOperator(t, "127.0.0.1")
	o.serve(o.own(), o)
	f := In(state.Home{Dir: t.TempDir()})
	if _, err := f.Join(t.Context(), o.link, Newcomer{ID: self, Name: "ci",
		Secret: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	first, err := f.Document()
	if err != nil {
		t.Fatal(err)
	}
	bob := newKey(t, "bob")
	learn := func(change func(*document.Fleet), second ...approval.Key) {
		t.Helper()
		known, err := f.Document()
		if err != nil {
			t.Fatal(err)
		}
		next := known.Copy()
		next.Serial++
		change(&next)
		next.Remember(known.Registrar)
		text, err := next.Sign(o.ann)
		for _, key := range second {
			if err == nil {
				text, err = known.Cosign(text, key)
			}
		}
		if err == nil {
			_, err = f.Learn(text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	learn(func(*document.Fleet) {})
	learn(func(next *document.Fleet) {
		next.People = append(next.People, document.Person{Name: "bob", Key: bob.Public(),
			Admin: true})
	})
	for range 3 {
		learn(func(*document.Fleet) {})
	}
	learn(func(next *document.Fleet) {
		next.Registrar.Key = newKey(t, "registrar").Public()
	}, bob)
	learn(func(*document.Fleet) {})
	list, err := f.Documents()
	if err != nil {
		t.Fatal(err)
	}
	var serials []string
	now := first
	for _, text := range list {
		next, err := document.FirstFleet(text)
		if err != nil {
			t.Fatal(err)
		}
		serials = append(serials, strings.SplitN(next.Pin(), "-", 2)[0])
		if now, err = now.Follows(text); err != nil {
			t.Errorf("document %d: %v", next.Serial, err)
		}
	}
	// what follows from the first: the last of ann alone, the one that has bob, the last of the
	// first registrar, the one that has another, the newest
	if got := strings.Join(serials, " "); got != "2 3 6 7 8" {
		t.Errorf("documents %s", got)
	}
	// whoever can put an older document here changes nothing
	if known, err := f.Learn(list[0]); err == nil || known.Serial != 8 {
		t.Errorf("document %d, %v", known.Serial, err)
	}
}
