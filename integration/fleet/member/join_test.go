package member

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/registrar"
	"github.com/tada-run/tada-run/launcher/state"
)

const self = "tada-0000000000000001"

// An operator has the folder of a registrar, and answers as it likes.
type operator struct {
	*testing.T
	dir  string
	ann  approval.Key
	link registrar.Link
	w    registrar.Welcome // what is answered
}

func newOperator(t *testing.T, host string) *operator {
	t.Helper()
	o := &operator{T: t, dir: filepath.Join(t.TempDir(), "acme"), ann: newKey(t, "ann")}
	if err := registrar.Create(o.dir, registrar.Founding{Fleet: "acme", Hosts: []string{host},
		Admin: o.ann, Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	folder, err := registrar.Open(o.dir)
	if err != nil {
		t.Fatal(err)
	}
	pin, err := folder.Pin()
	if err != nil {
		t.Fatal(err)
	}
	o.link = registrar.Link{ID: "1", Secret: "s", Pin: pin}
	own, err := approval.LoadKey(filepath.Join(o.dir, "registrar.key"), nil)
	if err != nil {
		t.Fatal(err)
	}
	record, err := document.Machine{ID: self, Name: "ci"}.Sign(own)
	if err != nil {
		t.Fatal(err)
	}
	o.w = registrar.Welcome{Authority: o.read("ca.pem"), Fleet: o.read("fleet"),
		Machine: string(record), Endpoints: []string{"127.0.0.1:1"}}
	return o
}

func newKey(t *testing.T, name string) approval.Key {
	t.Helper()
	k, err := approval.NewKey(name, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func (o *operator) read(name string) string {
	o.Helper()
	text, err := os.ReadFile(filepath.Join(o.dir, name))
	if err != nil {
		o.Fatal(err)
	}
	return string(text)
}

// fleet is the fleet document, changed and signed.
func (o *operator) fleet(key approval.Key, change func(*document.Fleet)) string {
	o.Helper()
	f, err := document.FirstFleet([]byte(o.read("fleet")))
	if err != nil {
		o.Fatal(err)
	}
	change(&f)
	text, err := f.Sign(key)
	if err != nil {
		o.Fatal(err)
	}
	return string(text)
}

// serve serves with a certificate.
func (o *operator) serve(cert tls.Certificate, h http.Handler) {
	o.Helper()
	s := httptest.NewUnstartedServer(h)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	s.Config.ErrorLog = nil
	s.StartTLS()
	o.Cleanup(s.Close)
	o.link.URL = s.URL
}

func (o *operator) own() tls.Certificate {
	o.Helper()
	cert, err := tls.LoadX509KeyPair(filepath.Join(o.dir, "server.pem"),
		filepath.Join(o.dir, "server.key"))
	if err != nil {
		o.Fatal(err)
	}
	return cert
}

func (o *operator) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	_ = json.NewEncoder(w).Encode(o.w)
}

// join joins from a new state directory, and requires that a failure leaves no membership.
func (o *operator) join() error {
	o.Helper()
	f := In(state.Home{Dir: o.TempDir()})
	_, err := f.Join(o.Context(), o.link, Newcomer{ID: self, Name: "ci", Secret: []byte("x")})
	if _, loaded := f.Load(); err != nil && !errors.Is(loaded, ErrNotJoined) {
		o.Errorf("a membership was left: %v", loaded)
	}
	return err
}

func frozen(t *testing.T, key approval.Key) string {
	t.Helper()
	text, err := document.Freeze{ID: "f", Machines: document.Everywhere()}.Sign(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func bundled(t *testing.T, key approval.Key) string {
	t.Helper()
	text, err := document.Bundle{Fleet: "acme", Name: "base", Version: 1, Stage: document.Force,
		Machines: document.Everywhere(), Text: "background: end\n"}.Sign(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Whoever runs the registrar, or etcd behind it, makes no machine trust a key.
func TestWhatTheRegistrarSays(t *testing.T) {
	t.Parallel()
	o := newOperator(t, "127.0.0.1")
	o.serve(o.own(), o)
	good := o.w
	if err := o.join(); err != nil {
		t.Fatal(err)
	}
	mallory := newKey(t, "mallory")
	more := document.Person{Name: "mallory", Key: mallory.Public(), Admin: true}
	newer := o.fleet(o.ann, func(f *document.Fleet) { f.Serial = 5 })
	other := newOperator(t, "127.0.0.1")
	for name, change := range map[string]func(){
		"a fleet of its own": func() {
			o.w.Fleet = o.fleet(mallory, func(f *document.Fleet) {
				f.People = []document.Person{more}
			})
		},
		"an administrator more": func() {
			o.w.Fleet = o.fleet(mallory, func(f *document.Fleet) {
				f.People = append(f.People, more)
			})
		},
		"another fleet":            func() { o.w.Fleet = other.read("fleet") },
		"another authority":        func() { o.w.Authority = other.read("ca.pem") },
		"two authorities":          func() { o.w.Authority += other.read("ca.pem") },
		"no authority":             func() { o.w.Authority = "" },
		"etcd without TLS":         func() { o.w.Endpoints = []string{"http://127.0.0.1:1"} },
		"etcd that moves a screen": func() { o.w.Endpoints = []string{"a\x1b[2J"} },
		"another machine's record": func() { o.w.Machine = o.w.Fleet },
		"nothing":                  func() { o.w = registrar.Welcome{} },
		"a freeze of nobody":       func() { o.w.Freezes = []string{frozen(t, mallory)} },
		"no freeze":                func() { o.w.Freezes = []string{"x"} },
		"a bundle of nobody":       func() { o.w.Bundles = []string{bundled(t, mallory)} },
	} {
		o.w = good
		if change(); o.join() == nil {
			t.Errorf("%s is taken", name)
		}
	}
	o.w = good
	o.w.Freezes, o.w.Bundles = []string{frozen(t, o.ann)}, []string{bundled(t, o.ann)}
	if o.join() != nil {
		t.Error("orders of an administrator are not taken")
	}
	o.w = good
	if o.w.Fleet = newer; o.join() != nil {
		t.Error("a newer document of the same administrators is not taken")
	}
	f, err := document.FirstFleet([]byte(newer))
	if err != nil {
		t.Fatal(err)
	}
	o.link.Pin.Fleet = f.Pin()
	if o.w = good; !errors.Is(o.join(), document.ErrPin) {
		t.Error("an older document is taken")
	}
}

// The secret goes to the registrar that the invitation names, and to nobody else.
func TestWhereTheSecretGoes(t *testing.T) {
	t.Parallel()
	o := newOperator(t, "127.0.0.1")
	secrets := 0
	taken := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { secrets++ })
	thief := httptest.NewServer(taken)
	defer thief.Close()
	o.serve(o.own(), http.RedirectHandler(thief.URL, http.StatusTemporaryRedirect))
	if err := o.join(); err == nil || secrets > 0 {
		t.Errorf("after a redirection: %v, %d", err, secrets)
	}
	elsewhere := newOperator(t, "192.0.2.1")
	for name, c := range map[string]tls.Certificate{
		"another authority's":                newOperator(t, "127.0.0.1").own(),
		"of another authority, with this ca": withChain(newOperator(t, "127.0.0.1").own(), o.own()),
		"that a machine could have":          o.issued(x509.ExtKeyUsageClientAuth),
	} {
		if o.serve(c, taken); o.join() == nil || secrets > 0 {
			t.Errorf("a certificate %s: %d", name, secrets)
		}
	}
	if elsewhere.serve(elsewhere.own(), taken); elsewhere.join() == nil || secrets > 0 {
		t.Errorf("a certificate for another address: %d", secrets)
	}
	o.serve(o.issued(x509.ExtKeyUsageServerAuth), o)
	if err := o.join(); err != nil {
		t.Errorf("the control: %v", err)
	}
	o.serve(o.own(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range 64 {
			_, _ = w.Write([]byte(strings.Repeat("x", 1<<20)))
		}
	}))
	if err := o.join(); err == nil || len(err.Error()) > 1<<10 {
		t.Error("a long answer")
	}
}

// withChain has the certificates of another one behind its own.
func withChain(c, more tls.Certificate) tls.Certificate {
	c.Certificate = [][]byte{c.Certificate[0], more.Certificate[len(more.Certificate)-1]}
	return c
}

// issued is a certificate for this address by the authority, for a usage.
func (o *operator) issued(usage x509.ExtKeyUsage) tls.Certificate {
	o.Helper()
	ca, err := tls.X509KeyPair([]byte(o.read("ca.pem")), []byte(o.read("ca.key")))
	if err != nil {
		o.Fatal(err)
	}
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		o.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: self},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{usage}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}, ca.Leaf, public, ca.PrivateKey)
	if err != nil {
		o.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der, ca.Certificate[0]}, PrivateKey: key}
}

// A machine that is told to try again does so, with the same invitation, and not for ever.
func TestBusyRegistrar(t *testing.T) {
	t.Parallel()
	o := newOperator(t, "127.0.0.1")
	asked, busy := 0, 1
	o.serve(o.own(), http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		if asked++; asked <= busy {
			http.Error(w, "etcd did not answer in time", http.StatusServiceUnavailable)
			return
		}
		o.ServeHTTP(w, in)
	}))
	if err := o.join(); err != nil || asked != 2 {
		t.Errorf("asked %d times: %v", asked, err)
	}
	asked, busy = 0, joinTries
	if err := o.join(); !errors.Is(err, errBusy) || asked != joinTries ||
		!strings.Contains(err.Error(), "in time") {
		t.Errorf("asked %d times: %v", asked, err)
	}
}

// A machine whose answer was lost has the same key when it tries again: the registrar may have let
// it in. After a membership that has ended it has another one.
func TestKeyOfAnAttempt(t *testing.T) {
	t.Parallel()
	o := newOperator(t, "127.0.0.1")
	var keys []string
	answers := false
	o.serve(o.own(), http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		var j registrar.Joining
		if err := json.NewDecoder(in.Body).Decode(&j); err != nil {
			t.Error(err)
		}
		block, _ := pem.Decode([]byte(j.Request))
		request, err := x509.ParseCertificateRequest(block.Bytes)
		if err != nil {
			t.Error(err)
			return
		}
		keys = append(keys, string(request.PublicKey.(ed25519.PublicKey)))
		if answers {
			o.ServeHTTP(w, in)
			return
		}
		http.Error(w, "lost", http.StatusBadGateway)
	}))
	f := In(state.Home{Dir: t.TempDir()})
	join := func() error {
		_, err := f.Join(t.Context(), o.link, Newcomer{ID: self, Name: "ci", Secret: []byte("x")})
		return err
	}
	if join() == nil {
		t.Fatal("it is a member without an answer")
	}
	answers = true
	if err := join(); err != nil {
		t.Fatal(err)
	}
	if err := f.Leave(); err != nil {
		t.Fatal(err)
	}
	if err := join(); err != nil {
		t.Fatal(err)
	}
	if len(keys) != 3 || keys[0] != keys[1] || keys[1] == keys[2] {
		t.Errorf("%x", keys)
	}
}
