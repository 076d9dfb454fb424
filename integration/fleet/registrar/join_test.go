package registrar

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
	"github.com/tada-run/tada-run/integration/served"
)

// A site is a registrar beside a real etcd.
type site struct {
	testing.TB
	*Registrar
	ann approval.Key
}

func newSite(t testing.TB) site {
	ann, err := approval.NewKey("ann", rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "acme")
	err = Create(dir, Founding{Fleet: "acme", Hosts: []string{"127.0.0.1"}, Admin: ann,
		Now: time.Now().Add(-3 * MachineLife)})
	if err != nil {
		t.Fatal(err)
	}
	folder, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	access, err := folder.Access()
	if err != nil {
		t.Fatal(err)
	}
	etcd := served.StartSecureEtcd(t, 1, dir)
	s := site{TB: t, ann: ann, Registrar: New(folder, connected(t, etcd, access),
		etcd.Endpoints(), time.Now, new(bytes.Buffer))}
	if err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func connected(t testing.TB, etcd *served.Etcd, access *tls.Config) *clientv3.Client {
	c, err := clientv3.New(clientv3.Config{Endpoints: etcd.Endpoints(), TLS: access,
		Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// invited returns the joining of a machine with a new invitation and a new key.
func (s site) invited(id string, i Invitation) (Joining, ed25519.PrivateKey) {
	s.Helper()
	pin, err := s.folder.Pin()
	if err != nil {
		s.Fatal(err)
	}
	link, err := Invite(s.Context(), s.etcd, i, Link{URL: "https://127.0.0.1", Pin: pin}, time.Hour)
	if err != nil {
		s.Fatal(err)
	}
	if link, err = ParseLink(link.String()); err != nil {
		s.Fatal(err)
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		s.Fatal(err)
	}
	return Joining{Invitation: link.ID, Secret: link.Secret, ID: id, Name: "ci",
		Request: s.request(key)}, key
}

func (s site) request(key ed25519.PrivateKey) string {
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, key)
	if err != nil {
		s.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}

// member connects to etcd as a machine that was let in.
func (s site) member(w Welcome, key ed25519.PrivateKey) *clientv3.Client {
	s.Helper()
	text, err := pemKey(key)
	if err != nil {
		s.Fatal(err)
	}
	cert, err := tls.X509KeyPair([]byte(w.Certificate), text)
	if err != nil {
		s.Fatal(err)
	}
	c, err := clientv3.New(clientv3.Config{Endpoints: s.endpoints, Logger: zap.NewNop(),
		TLS: &tls.Config{Certificates: []tls.Certificate{cert}, RootCAs: s.folder.pool()}})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { c.Close() })
	return c
}

const (
	one = "tada-0000000000000001"
	two = "tada-0000000000000002"
)

// Machines come in one after the other. One that waits too long is told to try again, with the same
// invitation.
func TestJoinInTurns(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const id = "tada-00000000000000aa"
	j, _ := s.invited(id, Invitation{})
	s.joining <- struct{}{} // another one's turn
	uninvited := j
	uninvited.Secret += "x"
	if _, err := s.Join(t.Context(), uninvited); !errors.Is(err, errNotInvited) {
		t.Errorf("one that is not invited waits: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, late := s.Join(ctx, j)
	for _, err := range []error{late, rpctypes.ErrTimeout, rpctypes.ErrNoLeader} {
		said := httptest.NewRecorder()
		s.answer(said, nil, fmt.Errorf("making user %q: %w", id, err))
		if text := said.Body.String(); said.Code != http.StatusServiceUnavailable ||
			!strings.Contains(text, "try the same again") {
			t.Errorf("%v: %d, %q", err, said.Code, text)
		}
	}
	<-s.joining
	var all sync.WaitGroup
	for i := range 8 {
		if i > 0 {
			j, _ = s.invited(fmt.Sprintf("tada-00000000000000b%d", i), Invitation{})
		}
		mine := j
		all.Go(func() {
			if _, err := s.Join(t.Context(), mine); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// An invitation lets in one machine, however many use it at the same time.
func TestInvitationIsForOne(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	j, _ := s.invited(one, Invitation{})
	var wg sync.WaitGroup
	results := make([]error, 8)
	for i := range results {
		mine := j
		mine.ID = "tada-000000000000001" + string("01234567"[i])
		_, key, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		mine.Request = s.request(key)
		wg.Go(func() { _, results[i] = s.Join(t.Context(), mine) })
	}
	wg.Wait()
	in := 0
	for _, err := range results {
		if err == nil {
			in++
		} else if !errors.Is(err, errNotInvited) {
			t.Error(err)
		}
	}
	if in != 1 {
		t.Errorf("%d machines were let in", in)
	}
}

func TestNotInvited(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	first, key := s.invited(one, Invitation{})
	if _, err := s.Join(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]struct {
		do   func(*Joining)
		want error
	}{
		"a wrong secret": {func(j *Joining) { j.Secret = first.Secret }, errNotInvited},
		"no invitation":  {func(j *Joining) { j.Invitation = "" }, errNotInvited},
		"another prefix": {func(j *Joining) { j.Invitation = "../machines/" + one }, errNotInvited},
		"used":           {func(j *Joining) { *j = first; j.ID = two }, errNotInvited},
		"a member again": {func(j *Joining) { j.ID = one }, errMember},
		"a key of a member": {func(j *Joining) { j.Request = s.request(key) },
			errMember},
		"the user of etcd":   {func(j *Joining) { j.ID = rootUser }, errRequest},
		"a role of etcd":     {func(j *Joining) { j.ID = peopleRole }, errRequest},
		"a path":             {func(j *Joining) { j.ID = "tada-00/../../fleet" }, errRequest},
		"a name of an order": {func(j *Joining) { j.Name = "x\ntada-fleet/v1" }, errRequest},
		"no request":         {func(j *Joining) { j.Request = "" }, errRequest},
		"a request of another kind": {func(j *Joining) {
			j.Request = strings.ReplaceAll(j.Request, "CERTIFICATE REQUEST", "CERTIFICATE")
		}, errRequest},
		"a request that its key did not sign": {func(j *Joining) {
			block, _ := pem.Decode([]byte(j.Request))
			block.Bytes[len(block.Bytes)-1] ^= 1
			j.Request = string(pem.EncodeToMemory(block))
		}, errRequest},
	} {
		j, _ := s.invited(two, Invitation{})
		change.do(&j)
		if _, err := s.Join(t.Context(), j); !errors.Is(err, change.want) {
			t.Errorf("%s: %v, not %v", name, err, change.want)
		}
	}
	j, _ := s.invited(two, Invitation{})
	s.now = func() time.Time { return time.Now().Add(2 * time.Hour) } // a lease that was kept alive
	if _, err := s.Join(t.Context(), j); !errors.Is(err, errNotInvited) {
		t.Errorf("too late: %v", err)
	}
	if got, err := s.etcd.Get(t.Context(), keyspace.Machines+two); err != nil || len(got.Kvs) > 0 {
		t.Errorf("a machine was let in: %v", err)
	}
}

// A machine that was let in, and never learned it, joins with the same key and another invitation:
// it is what that says. Nobody without the key does.
func TestJoinAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	j, key := s.invited(one, Invitation{People: true})
	if _, err := s.Join(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Join(t.Context(), j); !errors.Is(err, errNotInvited) {
		t.Errorf("the same invitation: %v", err)
	}
	again, _ := s.invited(one, Invitation{Labels: document.Labels{"env": "ci"}})
	if _, err := s.Join(t.Context(), again); !errors.Is(err, errMember) {
		t.Errorf("another key: %v", err)
	}
	again.Request = s.request(key)
	w, err := s.Join(t.Context(), again)
	if err != nil {
		t.Fatal(err)
	}
	fleet, err := document.FirstFleet([]byte(w.Fleet))
	if err != nil {
		t.Fatal(err)
	}
	if m, err := fleet.Machine([]byte(w.Machine)); err != nil || m.Labels.String() != "env=ci" {
		t.Errorf("%+v, %v", m, err)
	}
	machine := s.member(w, key)
	if _, err := machine.Get(t.Context(), keyspace.Below(keyspace.Seen, one)); err != nil {
		t.Error(err)
	}
	if _, err := machine.Get(t.Context(), keyspace.Questions); err == nil {
		t.Error("it kept the rights of the first invitation")
	}
}

// A link whose end was damaged on the way is refused before it is used up.
func TestDamagedLink(t *testing.T) {
	good := Link{URL: "https://h:7443", ID: "a", Secret: "b", Pin: Pins{"c",
		"7-bBmMQDHQyKT1aB3yOrsTkFCDyFXTbh0G8TtTkbmmB1M"}}.String()
	if _, err := ParseLink(good); err != nil {
		t.Error(err)
	}
	for _, text := range []string{good + "'", good + ")", good[:len(good)-1], good + "x",
		strings.Replace(good, ".7-", ".-", 1), strings.Replace(good, ".7-", ".7", 1)} {
		if l, err := ParseLink(text); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%q: %+v, %v", text, l, err)
		}
	}
}

// A machine reaches its own keys, and no others; one that is revoked reaches nothing.
func TestAMachineReachesItsOwn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	j, key := s.invited(one, Invitation{Labels: document.Labels{"env": "ci"}})
	w, err := s.Join(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	j, peopleKey := s.invited(two, Invitation{People: true})
	people, err := s.Join(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	machine, person := s.member(w, key), s.member(people, peopleKey)
	may := func(c *clientv3.Client, write bool, at string) bool {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var err error
		if write {
			_, err = c.Put(ctx, at, "x")
		} else {
			_, err = c.Get(ctx, at)
		}
		if errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		return err == nil
	}
	for _, c := range []struct {
		at                                    string
		reads, writes, personReads, personMay bool
	}{
		{keyspace.States + one + "/x", true, true, false, false},
		{keyspace.States + two + "/x", false, false, true, true},
		{keyspace.States + one + "0/x", false, false, false, false},
		{keyspace.Questions + one + "/x", true, true, true, false},
		{keyspace.Answers + one + "/x/y", true, true, false, true},
		{keyspace.Answers + two + "/x/y", false, false, true, true},
		{keyspace.Outcomes + one + "/x/y", true, true, true, false},
		{keyspace.Checkpoints + one + "/" + two, true, true, false, true},
		{keyspace.Checkpoints + two + "/" + one, false, true, true, true},
		{keyspace.Cosigned + one + "/" + two, true, true, true, false},
		{keyspace.Cosigned + two + "/" + one, true, false, true, true},
		{keyspace.Agents + two + "/place", true, false, true, true},
		{keyspace.Machines + one, true, false, true, false},
		{keyspace.Keys + "x", false, false, false, false},
		{keyspace.Tokens + "x", false, false, false, true},
		{keyspace.Freezes + "x", true, false, true, true},
		{"elsewhere", false, false, false, false},
	} {
		for _, got := range []struct {
			who         string
			c           *clientv3.Client
			write, want bool
		}{
			{"machine", machine, false, c.reads}, {"machine", machine, true, c.writes},
			{"person", person, false, c.personReads}, {"person", person, true, c.personMay},
		} {
			if may(got.c, got.write, c.at) != got.want {
				t.Errorf("%s, write %t: %q: want %t", got.who, got.write, c.at, got.want)
			}
		}
	}
	// as an earlier version has let it in
	at := keyspace.Below(keyspace.Cosigned, one)
	if _, err := s.etcd.RoleRevokePermission(t.Context(), one, at,
		clientv3.GetPrefixRangeEnd(at)); err != nil {
		t.Fatal(err)
	}
	if may(machine, true, at+two) {
		t.Error("a right that was taken away is there")
	}
	if err := widen(t.Context(), s.etcd); err != nil || !may(machine, true, at+two) {
		t.Errorf("%v: a member of before does not get the rights of now", err)
	}
	if err := expel(t.Context(), s.etcd, one); err != nil {
		t.Fatal(err)
	}
	if may(machine, false, keyspace.States+one+"/x") {
		t.Error("a machine that was expelled still reads")
	}
	if _, err := s.member(w, key).Get(t.Context(), keyspace.Fleet); err == nil {
		t.Error("and connects again")
	}
}

// Another registrar's fleet is not taken over, and the same one may start again.
func TestPrepareAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if err := s.Prepare(t.Context()); err != nil {
		t.Error(err)
	}
	dir := filepath.Join(t.TempDir(), "other")
	if err := Create(dir, Founding{Fleet: "acme", Hosts: []string{"127.0.0.1"}, Admin: s.ann,
		Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	folder, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	other := New(folder, s.etcd, s.endpoints, time.Now, new(bytes.Buffer))
	if err := other.Prepare(t.Context()); err == nil {
		t.Error("etcd has two fleets")
	}
}

// A machine renews its certificate, also one that was away for longer than that is good for; one
// that was revoked, and whoever has no key of a machine, renews nothing.
func TestRenew(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	then := time.Now().Add(-2 * MachineLife)
	s.now = func() time.Time { return then }
	j, key := s.invited(one, Invitation{})
	w, err := s.Join(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	s.now = time.Now
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l) }()
	defer func() { stop(); <-served }()
	renew := func(cert []byte, key ed25519.PrivateKey) int {
		t.Helper()
		text, err := pemKey(key)
		if err != nil {
			t.Fatal(err)
		}
		access := &tls.Config{RootCAs: s.folder.pool()}
		if cert != nil {
			pair, err := tls.X509KeyPair(cert, text)
			if err != nil {
				t.Fatal(err)
			}
			access.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate,
				error) {
				return &pair, nil
			}
		}
		c := http.Client{Transport: &http.Transport{TLSClientConfig: access}}
		defer c.CloseIdleConnections()
		got, err := c.Post("https://"+l.Addr().String()+RenewPath, "application/json",
			bytes.NewReader(jsonLine(Joining{Request: s.request(key)})))
		if err != nil {
			t.Fatal(err)
		}
		got.Body.Close()
		return got.StatusCode
	}
	public, other, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	strange, err := newAuthority("acme", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	issued := func(a *authority, id string) []byte {
		c, err := a.client(id, public, time.Now(), MachineLife)
		if err != nil {
			t.Fatal(err)
		}
		return pemCert(c)
	}
	for name, c := range map[string]struct {
		cert []byte
		key  ed25519.PrivateKey
		want int
	}{
		"long ago":             {[]byte(w.Certificate), key, http.StatusOK},
		"no certificate":       {nil, key, http.StatusForbidden},
		"of another authority": {issued(strange, one), other, http.StatusForbidden},
		"of the user of etcd":  {issued(s.folder.ca, rootUser), other, http.StatusForbidden},
		"with another key":     {issued(s.folder.ca, one), other, http.StatusBadRequest},
	} {
		if got := renew(c.cert, c.key); got != c.want {
			t.Errorf("%s: %d, not %d", name, got, c.want)
		}
	}
	now, err := s.fleet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	next := now.Copy()
	next.Serial, next.Revoked = 2, []string{one}
	text, err := next.Sign(s.ann)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.etcd.Put(t.Context(), keyspace.Fleet, string(text)); err != nil {
		t.Fatal(err)
	}
	if got := renew([]byte(w.Certificate), key); got != http.StatusForbidden {
		t.Errorf("revoked: %d", got)
	}
}

// What any machine at which people answer can write ends no membership.
func TestExpelTakesAnAdministrator(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	j, _ := s.invited(one, Invitation{})
	if _, err := s.Join(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	mallory, err := approval.NewKey("mallory", rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	is := func(what string, user string, want bool) {
		t.Helper()
		_ = s.Expel(t.Context())
		_, err := s.etcd.UserGet(t.Context(), user)
		if _, role := s.etcd.RoleGet(t.Context(), memberRole); role != nil {
			t.Errorf("%s: the role of all is gone: %v", what, role)
		}
		if (err == nil) != want {
			t.Errorf("%s: %v", what, err)
		}
	}
	put := func(key approval.Key, change func(*document.Fleet)) {
		t.Helper()
		now, err := s.fleet(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		next := now.Copy()
		next.Serial++
		change(&next)
		text, err := next.Sign(key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.etcd.Put(t.Context(), keyspace.Fleet, string(text)); err != nil {
			t.Fatal(err)
		}
	}
	put(mallory, func(f *document.Fleet) {
		f.People = []document.Person{{Name: "mallory", Key: mallory.Public(), Admin: true}}
		f.Revoked = []string{one}
	})
	is("forged", one, true)
	j, _ = s.invited(two, Invitation{})
	if w, err := s.Join(t.Context(), j); err != nil || strings.Contains(w.Fleet, "mallory") {
		t.Errorf("a newcomer gets the forged document: %v", err)
	}
	put(s.ann, func(f *document.Fleet) { f.Revoked = []string{memberRole, rootUser} })
	is("roles", rootUser, true)
	put(s.ann, func(f *document.Fleet) { f.Revoked = append(f.Revoked, one) })
	is("revoked", one, false)
	put(mallory, func(f *document.Fleet) {})
	s.Registrar = New(s.folder, s.etcd, s.endpoints, time.Now, new(bytes.Buffer))
	is("after a start, with a forged document", two, true)
}

func FuzzParseLink(f *testing.F) {
	f.Add(Link{URL: "https://h:7443", ID: "a", Secret: "b", Pin: Pins{"c",
		"7-bBmMQDHQyKT1aB3yOrsTkFCDyFXTbh0G8TtTkbmmB1M"}}.String())
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ParseLink(text)
		if err != nil {
			return
		}
		if again, err := ParseLink(l.String()); err != nil || again != l {
			t.Errorf("%q: %+v, then %+v, %v", text, l, again, err)
		}
	})
}
