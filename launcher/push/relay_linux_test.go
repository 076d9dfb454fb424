package push

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/passkey"
	"github.com/tada-run/tada-run/approval/passkey/passkeytest"
	"github.com/tada-run/tada-run/launcher/state"
)

// A post is what a relay has received.
type post struct {
	header http.Header
	path   string
	body   []byte
	at     time.Time
}

// A world is a state directory with one paired passkey, and a relay on loopback with a certificate
// of its own authority. Its sender may connect there, by the one seam that there is for tests.
type world struct {
	testing.TB
	dir    *state.Directory
	keys   passkey.List
	sender *Sender
	posts  chan post
	base   string

	mu     sync.Mutex
	answer http.HandlerFunc
	lines  []string
}

func newWorld(t testing.TB) *world {
	t.Helper()
	home, err := state.OpenHome(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, dir: home.Use(), posts: make(chan post, 256)}
	for _, name := range []string{"ada", "bob"} {
		d := passkeytest.New(t, false)
		w.keys = append(w.keys, passkey.Known{Credential: approval.Credential{ID: d.ID, Key: d.Key,
			Name: name, RP: "localhost"}, Added: time.Now().UTC()})
	}
	w.pair(w.keys)
	server, trust := w.listen(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.posts <- post{r.Header, r.URL.Path, body, time.Now()}
		w.mu.Lock()
		answer := w.answer
		w.mu.Unlock()
		answer(rw, r)
	})
	w.base = server
	w.answers(status(http.StatusCreated))
	w.sender = NewSender(Open(w.dir), func(line string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.lines = append(w.lines, line)
	})
	w.sender.client = newClient(func(netip.AddrPort) error { return nil }, trust)
	w.sender.pause, w.sender.settle = 10*time.Millisecond, 0
	return w
}

// listen starts a relay at https://localhost:PORT, and returns whom its clients must trust.
func (w *world) listen(handle http.HandlerFunc) (base string, trust *tls.Config) {
	w.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		w.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		w.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(signed)
	if err != nil {
		w.Fatal(err)
	}
	s := httptest.NewUnstartedServer(handle)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{signed},
		PrivateKey: key}}}
	s.StartTLS()
	w.Cleanup(s.Close)
	trust = &tls.Config{RootCAs: x509.NewCertPool()}
	trust.RootCAs.AddCert(leaf)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	return "https://localhost:" + port, trust
}

func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, line := range header {
			name, value, _ := strings.Cut(line, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(code)
	}
}

func (w *world) answers(h http.HandlerFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answer = h
}

// asked is an open question.
func asked(id, text string, until time.Time) Question {
	return Question{ID: id, Until: until, Text: func() string { return text }}
}

// pair makes these the passkeys that are paired.
func (w *world) pair(list passkey.List) {
	w.Helper()
	text, err := list.Text()
	if err == nil {
		err = state.Replace(w.dir.Passkeys(), text)
	}
	if err != nil {
		w.Fatal(err)
	}
}

// subscribe adds a new device of a passkey.
func (w *world) subscribe(path string, key int) *device {
	w.Helper()
	d := newDevice(w)
	s, err := Read(d.subscription(w.base + path))
	if err != nil {
		w.Fatal(err)
	}
	s.Passkey = w.keys[key].ID
	if err := w.sender.book.Add(s); err != nil {
		w.Fatal(err)
	}
	return d
}

// said returns what was printed for the person.
func (w *world) said() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.lines, "\n")
}

// next is the next message that the relay receives.
func (w *world) next() post {
	w.Helper()
	select {
	case p := <-w.posts:
		return p
	case <-time.After(time.Minute):
		w.Fatal("nothing was sent")
		return post{}
	}
}

// none requires that no message waits at the relay.
func (w *world) none() {
	w.Helper()
	if len(w.posts) > 0 {
		w.Errorf("%d more were sent", len(w.posts))
	}
}

// counts returns how many devices are notified.
func (w *world) counts() int {
	w.Helper()
	list, err := w.sender.book.List()
	if err != nil {
		w.Fatal(err)
	}
	return len(list)
}
