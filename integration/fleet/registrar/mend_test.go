package registrar

import (
	"bytes"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// The registrar puts the newest document back, whatever was written over it; what an administrator
// has stored meanwhile is not lost, and not an older one taken.
func TestMend(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mallory, err := approval.NewKey("mallory", rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	next := func(serial int64, key approval.Key, revoked string) []byte {
		t.Helper()
		now, err := s.fleet(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		f := now.Copy()
		f.Serial, f.Revoked = serial, []string{revoked}
		if key.Name == "mallory" {
			f.People = []document.Person{{Name: "mallory", Key: key.Public(), Admin: true}}
		}
		text, err := f.Sign(key)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	put := func(text []byte) {
		t.Helper()
		if _, err := s.etcd.Put(t.Context(), keyspace.Fleet, string(text)); err != nil {
			t.Fatal(err)
		}
	}
	is := func(what string, want []byte) {
		t.Helper()
		now, err := s.fleet(t.Context())
		if err != nil || now.refused != nil {
			t.Errorf("%s: %v, %v", what, now.refused, err)
		}
		got, err := get(t.Context(), s.etcd, keyspace.Fleet)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %.300q, %v", what, got, err)
		}
	}
	older, second := next(2, s.ann, "a"), next(3, s.ann, "b")
	put(second)
	is("the second", second)
	for what, text := range map[string][]byte{"garbage": []byte("x"), "nothing": {},
		"an older one": older, "a forged one": next(900, mallory, "c"),
		"another one of the serial": next(3, s.ann, "d")} {
		put(text)
		is(what, second)
	}
	if _, err := s.etcd.Delete(t.Context(), keyspace.Fleet); err != nil {
		t.Fatal(err)
	}
	is("deleted", second)
	third := next(4, s.ann, "e")
	put(third)
	put([]byte("garbage"))
	put(next(900, mallory, "f"))
	is("garbage over what nobody has seen", third)
	if _, err := s.etcd.Delete(t.Context(), keyspace.Fleet); err != nil {
		t.Fatal(err)
	}
	if err := s.Prepare(t.Context()); err != nil {
		t.Error(err)
	}
	is("deleted, and started again", third)
}

// Where etcd has forgotten what was there, nothing that may be newer is replaced, nor the document
// of another fleet.
func TestNotMended(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mallory, err := approval.NewKey("mallory", rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	forged := document.Fleet{Name: "acme", Serial: 7, Registrar: document.Person{
		Name: "registrar", Key: s.folder.own.Public()}, People: []document.Person{
		{Name: "mallory", Key: mallory.Public(), Admin: true}}}
	other := forged
	other.Name = "other"
	for what, f := range map[string]document.Fleet{"newer": forged, "of another fleet": other} {
		text, err := f.Sign(mallory)
		if err != nil {
			t.Fatal(err)
		}
		put, err := s.etcd.Put(t.Context(), keyspace.Fleet, string(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.etcd.Compact(t.Context(), put.Header.Revision,
			clientv3.WithCompactPhysical()); err != nil {
			t.Fatal(err)
		}
		said := new(bytes.Buffer)
		r := New(s.folder, s.etcd, s.endpoints, time.Now, said)
		now, err := r.fleet(t.Context())
		if err != nil || !errors.Is(now.refused, document.ErrUnsigned) ||
			!bytes.Contains(said.Bytes(), []byte("tadactl fleet repair")) {
			t.Errorf("%s: %v, %v, %q", what, now.refused, err, said)
		}
		if got, err := get(t.Context(), s.etcd, keyspace.Fleet); err != nil ||
			!bytes.Equal(got, text) {
			t.Errorf("%s: %.200q, %v", what, got, err)
		}
	}
}
