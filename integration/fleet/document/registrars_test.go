package document

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"
	"time"
)

// A machine that an earlier registrar has let in is no member, and what it has signed stays proven.
// That takes two administrators, as to forget it does.
func TestEarlierRegistrar(t *testing.T) {
	t.Parallel()
	m := newTeam(t)
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.Sum256(public)
	id := "tada-" + hex.EncodeToString(hash[:8])
	record, err := Machine{ID: id, Name: "ci", Key: hex.EncodeToString(hash[:]),
		Joined: time.Now()}.Sign(m.registrar)
	if err != nil {
		t.Fatal(err)
	}
	holder := HolderOf(record, key)
	text, err := SignNote(id, key, "x\n")
	if err != nil {
		t.Fatal(err)
	}
	next := m.Copy()
	next.Serial++
	next.Registrar.Key = newKey(t, "registrar").Public()
	forgets := next.Copy()
	if next.Remember(m.Registrar); len(next.Earlier) != 1 {
		t.Fatalf("%+v", next.Earlier)
	}
	if _, err := m.Follows(m.signedBy(t, next, m.ann)); !errors.Is(err, ErrTwo) {
		t.Errorf("one administrator: %v", err)
	}
	now, err := m.Follows(m.signedBy(t, next, m.ann, m.bob))
	if err != nil || !now.equal(next) {
		t.Fatalf("%+v, %v", now, err)
	}
	if _, err := now.Machine(record); !errors.Is(err, ErrUnsigned) {
		t.Errorf("it is still a member: %v", err)
	}
	if got, err := now.OpenNote(text, id, holder); err != nil || got.ID != id {
		t.Errorf("%+v, %v", got, err)
	}
	forgets.Serial++
	if _, err := now.Follows(m.signedBy(t, forgets, m.ann)); !errors.Is(err, ErrTwo) {
		t.Errorf("one administrator forgets: %v", err)
	}
	if _, err := forgets.OpenNote(text, id, holder); err == nil {
		t.Error("of a registrar that never was")
	}
	if lines := now.Differences(forgets); len(lines) != 1 {
		t.Errorf("%q", lines)
	}
	for _, key := range []ed25519.PublicKey{m.ann.Public(), now.Registrar.Key,
		now.Earlier[0].Key} {
		bad := now.Copy()
		bad.Earlier = append(bad.Earlier, Person{Name: "registrar", Key: key})
		if err := bad.check(); !errors.Is(err, errEarlier) {
			t.Errorf("%v", err)
		}
	}
}
