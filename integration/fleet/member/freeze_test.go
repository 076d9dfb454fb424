package member

import (
	"crypto/rand"
	"os"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/launcher/state"
)

func newFolder(t *testing.T) Folder {
	t.Helper()
	f := In(state.Home{Dir: t.TempDir()})
	for _, dir := range []string{f.dir, f.path(ordersDir)} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func (f Folder) wants(t *testing.T, when string, frozen bool) {
	t.Helper()
	if why, err := f.Frozen(); err != nil || (why != "") != frozen {
		t.Errorf("%s: %q, %v", when, why, err)
	}
}

func order(id string) document.Freeze {
	return document.Freeze{ID: id, By: []string{"ann"}, Time: time.Unix(1, 0), Reason: "a\nb"}
}

// The end of one order ends no other, not even one of which a crash has left half.
func TestThawEndsOneOrder(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	freeze := func(id string, inForce, fresh bool) {
		t.Helper()
		is, new, err := f.Freeze(order(id), []byte(id))
		if err != nil || is != inForce || new != fresh {
			t.Errorf("freeze %q: %v, %v, %v", id, is, new, err)
		}
	}
	thaw := func(id string) {
		t.Helper()
		if _, err := f.Thaw(document.Thaw{ID: id}, []byte(id)); err != nil {
			t.Fatal(err)
		}
	}
	freeze("one", true, true)
	freeze("one", true, false)
	thaw("one")
	f.wants(t, "after its end", false)
	freeze("one", false, false)
	f.wants(t, "an order that has ended", false)

	freeze("two", true, true)
	thaw("one")
	f.wants(t, "an old end, again", true)
	if err := os.Remove(f.order("two")); err != nil { // as if it had not been written yet
		t.Fatal(err)
	}
	thaw("one")
	f.wants(t, "an old end, at the moment of an order", true)
	freeze("two", true, true)
	if err := os.Remove(f.path(freezeFile)); err != nil {
		t.Fatal(err)
	}
	freeze("two", true, false)
	f.wants(t, "an order without the file that stops everything", true)
	freeze("three", true, true)
	thaw("two")
	f.wants(t, "one of two", true)
	thaw("three")
	f.wants(t, "both", false)
}

// What runs is left alive only while every order in force says so and can be read.
func TestOnlyPauses(t *testing.T) {
	t.Parallel()
	ann, err := approval.NewKey("ann", rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	fleet := document.Fleet{Name: "acme", People: []document.Person{{Name: "ann",
		Key: ann.Public(), Admin: true}}}
	f := newFolder(t)
	give := func(id string, pause bool) {
		t.Helper()
		o := order(id)
		o.Machines, o.Pause, o.Reason = document.Everywhere(), pause, ""
		text, err := o.Sign(ann)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := f.Freeze(o, text); err != nil {
			t.Fatal(err)
		}
	}
	wants := func(when string, only bool) {
		t.Helper()
		if got := f.OnlyPauses(fleet); got != only {
			t.Errorf("%s: %v", when, got)
		}
	}
	wants("without an order", false)
	give("one", true)
	wants("one", true)
	if f.OnlyPauses(document.Fleet{Name: "acme"}) {
		t.Error("by one who is no administrator any more")
	}
	give("two", false)
	wants("another one ends what runs", false)
	if _, err := f.Thaw(document.Thaw{ID: "two"}, nil); err != nil {
		t.Fatal(err)
	}
	wants("one is left", true)
	if err := os.Remove(f.order("one")); err != nil {
		t.Fatal(err)
	}
	wants("of which half is left", false)
}
