package registrar

import (
	"bytes"
	"crypto/x509"
	"errors"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/history"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// change has ann change the fleet document.
func (s site) change(how func(*document.Fleet)) {
	s.Helper()
	now, err := s.fleet(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	next := now.Copy()
	next.Serial++
	how(&next)
	next.Remember(now.Registrar)
	text, err := next.Sign(s.ann)
	if err == nil {
		_, err = s.etcd.Txn(s.Context()).Then(history.Store(now.Fleet, next, text)...).Commit()
	}
	if err != nil {
		s.Fatal(err)
	}
}

// The next key of the registrar counts once the fleet document has it. Then the members stay
// members, whoever was revoked stays out, and the key of before lets nobody in.
func TestAnotherKey(t *testing.T) {
	t.Parallel()
	const revoked = "tada-00000000000000ff"
	s := newSite(t)
	first, key := s.invited(one, Invitation{})
	gone, _ := s.invited(revoked, Invitation{})
	for _, j := range []Joining{first, gone} {
		if _, err := s.Join(t.Context(), j); err != nil {
			t.Fatal(err)
		}
	}
	before := filepath.Join(t.TempDir(), "acme")
	if out, err := exec.Command("cp", "-a", s.folder.path, before).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	next, err := s.folder.NextKey()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.folder.NextKey(); err != nil || !again.Public().Equal(next.Public()) {
		t.Errorf("another one is made: %v", err)
	}
	was := s.folder.own
	if err := s.succeed(t.Context()); err != nil || !s.folder.own.Public().Equal(was.Public()) {
		t.Errorf("before the document says so: %v", err)
	}
	s.change(func(f *document.Fleet) {
		f.Registrar.Key = next.Public()
		f.Revoked = append(f.Revoked, revoked)
	})
	second, _ := s.invited(two, Invitation{})
	if _, err := s.Join(t.Context(), second); !errors.Is(err, errReplaced) {
		t.Errorf("the key of before lets in: %v", err)
	}
	// one that died in the middle begins again: the first record is signed already
	fleet, err := s.fleet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	record, err := get(t.Context(), s.etcd, keyspace.Machines+one)
	if err != nil {
		t.Fatal(err)
	}
	m, err := fleet.Former(record)
	if err == nil {
		record, err = m.Sign(next)
	}
	if err == nil {
		_, err = s.etcd.Put(t.Context(), keyspace.Machines+one, string(record))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !s.folder.own.Public().Equal(next.Public()) {
		t.Error("it goes on with the key of before")
	}
	s.isMember(one, true)
	s.isMember(revoked, false)
	if _, err := s.Renew(t.Context(), one, s.request(key)); err != nil {
		t.Errorf("a member does not get a certificate: %v", err)
	}
	if _, err := s.Join(t.Context(), second); err != nil {
		t.Error(err)
	}
	s.isMember(two, true)
	opened, err := Open(s.folder.path)
	if err != nil || !opened.own.Public().Equal(next.Public()) {
		t.Errorf("after a start: %v", err)
	}
	old, err := Open(before)
	if err != nil {
		t.Fatal(err)
	}
	if err := New(old, s.etcd, s.endpoints, time.Now, new(bytes.Buffer)).Prepare(
		t.Context()); err == nil || !strings.Contains(err.Error(), "another fleet") {
		t.Errorf("the folder of before serves: %v", err)
	}
}

// isMember reports whether etcd has the record of a machine that is a member.
func (s site) isMember(id string, want bool) {
	s.Helper()
	fleet, err := s.fleet(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	record, err := get(s.Context(), s.etcd, keyspace.Machines+id)
	if err != nil {
		s.Fatal(err)
	}
	if m, err := fleet.Machine(record); (err == nil && m.ID == id) != want {
		s.Errorf("%s: %+v, %v", id, m, err)
	}
}

// The certificates of the servers are issued again, for the same hosts or for others, and the keys
// stay: etcd and the registrar take them at their next start.
func TestRenewServers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	read := func() *x509.Certificate {
		t.Helper()
		text, err := s.folder.read(serverCert)
		if err != nil {
			t.Fatal(err)
		}
		c, err := parseCert(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Verify(x509.VerifyOptions{Roots: s.folder.pool()}); err != nil {
			t.Error(err)
		}
		return c
	}
	before := read()
	for _, c := range []struct{ ask, want []string }{
		{nil, []string{"127.0.0.1"}}, {[]string{"fleet.example", "10.0.0.1"},
			[]string{"fleet.example", "10.0.0.1"}}, {nil, []string{"fleet.example", "10.0.0.1"}},
	} {
		if err := s.folder.Renew(c.ask, time.Now()); err != nil {
			t.Fatal(err)
		}
		is := read()
		var hosts []string
		for _, h := range c.want {
			if net.ParseIP(h) == nil {
				hosts = append(hosts, h)
			}
			if err := is.VerifyHostname(h); err != nil {
				t.Error(err)
			}
		}
		if !slices.Equal(is.DNSNames, hosts) || !is.NotAfter.After(before.NotAfter) {
			t.Errorf("%q, until %v", is.DNSNames, is.NotAfter)
		}
		if _, err := s.folder.Access(); err != nil { // key and certificate fit
			t.Error(err)
		}
		if _, err := s.folder.Serving(); err != nil {
			t.Error(err)
		}
	}
}
