package registrar

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/private"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/launcher/state"
)

// The files of a folder.
const (
	caCert       = "ca.pem"
	caKey        = "ca.key"
	serverCert   = "server.pem"
	serverKey    = "server.key"
	rootCert     = "root.pem"
	rootKey      = "root.key"
	registrarKey = "registrar.key"
	nextKey      = "registrar.next.key"
	firstFleet   = "fleet"
	newestFleet  = "fleet.newest"
)

// maxFile is far more than any of them has.
const maxFile = document.MaxSize

// A Founding is what a fleet begins with.
type Founding struct {
	Fleet string
	Hosts []string // under which etcd and the registrar are reached
	Admin approval.Key
	Now   time.Time
}

// Create makes the folder of a registrar at path, which must not exist. The founder is the only
// administrator, and answers for every machine.
func Create(path string, f Founding) error {
	if len(f.Hosts) == 0 {
		return errors.New("no host is given under which etcd and the registrar are reached")
	}
	own, err := approval.NewKey("registrar", rand.Reader)
	if err != nil {
		return err
	}
	all, err := document.ParseSelector("*")
	if err != nil {
		return err
	}
	first := document.Fleet{Name: f.Fleet, Serial: 1,
		Registrar: document.Person{Name: own.Name, Key: own.Public()},
		People: []document.Person{{Name: f.Admin.Name, Key: f.Admin.Public(), Admin: true,
			Answers: all, MaxRisk: plan.MaxRisk}}}
	text, err := first.Sign(f.Admin)
	if err != nil {
		return err
	}
	line, err := own.Text("", nil)
	if err != nil {
		return err
	}
	files := map[string][]byte{firstFleet: text, registrarKey: line}
	if err := certificates(files, f); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	for name, text := range files {
		if err := private.Create(filepath.Join(path, name), text); err != nil {
			return err
		}
	}
	return nil
}

// certificates adds the authority, and the keys that it certifies.
func certificates(files map[string][]byte, f Founding) error {
	ca, err := newAuthority(f.Fleet, f.Now)
	if err != nil {
		return err
	}
	files[caCert] = pemCert(ca.cert)
	if files[caKey], err = pemKey(ca.key); err != nil {
		return err
	}
	for _, c := range []struct {
		cert, key string
		issue     func(ed25519.PublicKey) (*x509.Certificate, error)
	}{
		{serverCert, serverKey, func(public ed25519.PublicKey) (*x509.Certificate, error) {
			return ca.server(f.Hosts, public, f.Now)
		}},
		{rootCert, rootKey, func(public ed25519.PublicKey) (*x509.Certificate, error) {
			return ca.client(rootUser, public, f.Now, serverLife)
		}},
	} {
		public, key, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			return err
		}
		cert, err := c.issue(public)
		if err != nil {
			return err
		}
		files[c.cert] = slices.Concat(pemCert(cert), files[caCert]) // who joins knows the hash
		if files[c.key], err = pemKey(key); err != nil {
			return err
		}
	}
	return nil
}

// A Folder is an opened folder.
type Folder struct {
	path string
	ca   *authority
	own  approval.Key

	keeping sync.Mutex // orders
}

// Open opens the folder at path, which must belong to this user alone.
func Open(path string) (*Folder, error) {
	f := &Folder{path: path, ca: &authority{}}
	if err := private.CheckFolder(path); err != nil {
		return nil, err
	}
	text, err := f.read(caCert)
	if err == nil {
		f.ca.cert, err = parseCert(text)
	}
	if err != nil {
		return nil, f.named(caCert, err)
	}
	if text, err = f.read(caKey); err == nil {
		f.ca.key, err = parseKey(text)
	}
	if err != nil {
		return nil, f.named(caKey, err)
	}
	f.own, err = approval.LoadKey(filepath.Join(path, registrarKey), nil)
	return f, err
}

func (f *Folder) read(name string) ([]byte, error) {
	return private.Read(filepath.Join(f.path, name), maxFile)
}

// named adds the name of a file to what is wrong with it.
func (f *Folder) named(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%q is not the folder of a registrar: it has no %q; "+
			"try: tadactl fleet init", f.path, name)
	}
	return fmt.Errorf("%q: %w", filepath.Join(f.path, name), err)
}

// First returns the first fleet document.
func (f *Folder) First() ([]byte, error) { return f.read(firstFleet) }

// Newest returns the newest fleet document that the registrar has seen.
func (f *Folder) Newest() ([]byte, error) {
	text, err := f.read(newestFleet)
	if errors.Is(err, fs.ErrNotExist) {
		return f.First()
	}
	return text, err
}

// see keeps a fleet document as the newest.
func (f *Folder) see(text []byte) error {
	return state.Replace(filepath.Join(f.path, newestFleet), text)
}

// Access returns how the registrar connects to etcd.
func (f *Folder) Access() (*tls.Config, error) {
	cert, err := tls.LoadX509KeyPair(filepath.Join(f.path, rootCert),
		filepath.Join(f.path, rootKey))
	return &tls.Config{Certificates: []tls.Certificate{cert}, RootCAs: f.pool(),
		MinVersion: tls.VersionTLS13}, err
}

// Serving returns how the registrar serves: a machine may show its certificate, and must to renew
// it; [Folder.machine] checks that.
func (f *Folder) Serving() (*tls.Config, error) {
	cert, err := tls.LoadX509KeyPair(filepath.Join(f.path, serverCert),
		filepath.Join(f.path, serverKey))
	return &tls.Config{Certificates: []tls.Certificate{cert}, ClientCAs: f.pool(),
		ClientAuth: tls.RequestClientCert, MinVersion: tls.VersionTLS13}, err
}

// errShown is returned for a client that has not shown the certificate of a machine.
var errShown = errors.New("this needs the certificate of a machine")

// machine returns the id of the machine that has shown these certificates and proven to hold the
// key. A certificate may be too old: a machine that was away is a member until it is revoked.
func (f *Folder) machine(shown []*x509.Certificate, now time.Time) (string, error) {
	if len(shown) == 0 {
		return "", errShown
	}
	if end := shown[0].NotAfter; now.After(end) {
		now = end
	}
	if _, err := shown[0].Verify(x509.VerifyOptions{Roots: f.pool(), CurrentTime: now,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}); err != nil {
		return "", fmt.Errorf("%w: %w", errShown, err)
	}
	if id := shown[0].Subject.CommonName; document.IsMachineID(id) {
		return id, nil
	}
	return "", errShown
}

// Pin returns the texts by which invitations name the authority and the fleet, as the registrar has
// seen it.
func (f *Folder) Pin() (Pins, error) {
	text, err := f.Newest()
	if err != nil {
		return Pins{}, err
	}
	fleet, err := document.FirstFleet(text)
	return Pins{Authority: Pin(f.ca.cert), Fleet: fleet.Pin()}, err
}

func (f *Folder) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(f.ca.cert)
	return pool
}
