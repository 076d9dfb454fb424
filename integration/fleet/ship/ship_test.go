package ship

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// What is shipped is proven: first a few runs, then what was added, then one that goes on.
func TestShip(t *testing.T) {
	t.Parallel()
	m := newBed(t).member()
	m.run("one", false)
	m.run("two", false)
	sent := m.ship()
	t.Logf("2 runs: %+v", sent)
	f := m.proven()
	if f.Report.Runs != 2 || f.Plans != 0 || f.Stray != 0 || f.Report.Transcripts != 2 {
		t.Errorf("%+v", f)
	}
	s := m.shipper()
	if sent, _, err := s.Once(t.Context()); err != nil || sent.Manifests != 0 {
		t.Errorf("%+v, %v: nothing is new", sent, err)
	}
	m.run("three", true)
	if _, _, err := s.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f = m.proven(); f.Report.Open != 1 || f.Report.Runs != 3 {
		t.Errorf("%+v", f)
	}
	m.run("more", false)
	m.skew -= time.Hour // a clock that goes back says nothing about the order
	m.run("more", false)
	if _, _, err := s.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f = m.proven(); f.Report.Open != 1 || f.Report.Runs != 5 || f.Manifests != 3 {
		t.Errorf("%+v", f)
	}
	m.skew += 3 * time.Hour
	if sent, _, err := s.Once(t.Context()); err != nil || sent.Manifests != 1 {
		t.Errorf("%+v, %v: a sign of life", sent, err)
	}
	m.proven()
}

// A machine that has recorded nothing yet, such as one at which a person only answers, ships that:
// it is proven, and no machine without a record.
func TestShipNothingYet(t *testing.T) {
	t.Parallel()
	m := newBed(t).member()
	if err := m.open().Close(); err != nil {
		t.Fatal(err)
	}
	m.ship()
	if f := m.proven(); f.Report.Runs != 0 || f.Report.Entries != 0 || f.Manifests != 1 {
		t.Errorf("%+v", f)
	}
	m.run("one", false)
	m.ship()
	if f := m.proven(); f.Report.Runs != 1 || f.Manifests != 2 {
		t.Errorf("%+v", f)
	}
}

// Nothing that leaves the machine can be read there, or named by what is in it.
func TestShipEncrypted(t *testing.T) {
	t.Parallel()
	m := newBed(t).member()
	m.run("a secret text", false)
	m.ship()
	for _, name := range m.Names() {
		b := string(m.Get(name))
		if !strings.HasPrefix(b, "age-encryption.org/v1\n") || strings.Contains(b, "secret") {
			t.Errorf("%s: %.100q", name, b)
		}
	}
}

// A record of many objects, some files in several of them.
func TestShipLarge(t *testing.T) {
	t.Parallel()
	m := newBed(t).member()
	random := rand.NewChaCha8([32]byte{})
	b := make([]byte, 3<<20)
	_, _ = random.Read(b)
	for i := range b {
		b[i] = 'a' + b[i]%16
	}
	for range 3 {
		m.run(string(b), false)
	}
	sent := m.ship()
	t.Logf("%+v", sent)
	if f := m.proven(); f.Manifests < 3 {
		t.Errorf("%+v", f)
	}
}

// A full bucket is an error, and no reason to lose anything.
func TestShipFull(t *testing.T) {
	t.Parallel()
	m := newBed(t).member()
	m.run("one", false)
	s := m.shipper()
	m.faulty.set("", 0, false, true)
	for range 3 {
		if _, _, err := s.Once(context.Background()); err == nil {
			t.Fatal("a full bucket took everything")
		}
		m.run("more", false)
	}
	m.faulty.set("", 0, false, false)
	if _, _, err := s.Once(context.Background()); err != nil {
		t.Fatal(err)
	}
	m.proven()
}
