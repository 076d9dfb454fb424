package registrar

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/private"
	"github.com/tada-run/tada-run/launcher/state"
)

// Renew issues the certificates of the servers, and of the registrar's access to etcd, again. The
// servers' is for hosts, or for those of before. The keys stay.
func (f *Folder) Renew(hosts []string, now time.Time) error {
	if len(hosts) == 0 {
		text, err := f.read(serverCert)
		if err != nil {
			return f.named(serverCert, err)
		}
		if hosts, err = hostsOf(text); err != nil {
			return f.named(serverCert, err)
		}
	}
	return errors.Join(
		f.reissue(serverCert, serverKey, func(key ed25519.PublicKey) (*x509.Certificate, error) {
			return f.ca.server(hosts, key, now)
		}),
		f.reissue(rootCert, rootKey, func(key ed25519.PublicKey) (*x509.Certificate, error) {
			return f.ca.client(rootUser, key, now, serverLife)
		}))
}

// reissue replaces the certificate of a key.
func (f *Folder) reissue(cert, key string,
	issue func(ed25519.PublicKey) (*x509.Certificate, error)) error {
	text, err := f.read(key)
	if err != nil {
		return f.named(key, err)
	}
	private, err := parseKey(text)
	if err != nil {
		return f.named(key, err)
	}
	c, err := issue(private.Public().(ed25519.PublicKey))
	if err != nil {
		return err
	}
	return state.Replace(filepath.Join(f.path, cert), slices.Concat(pemCert(c), pemCert(f.ca.cert)))
}

// hostsOf are the hosts that a certificate is for.
func hostsOf(text []byte) ([]string, error) {
	cert, err := parseCert(text)
	if err != nil {
		return nil, err
	}
	hosts := slices.Clone(cert.DNSNames)
	for _, ip := range cert.IPAddresses {
		hosts = append(hosts, ip.String())
	}
	return hosts, nil
}

// NextKey returns the key that is to replace the registrar's own. It is made once.
func (f *Folder) NextKey() (approval.Key, error) {
	key, err := f.next()
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if key, err = approval.NewKey(f.own.Name, rand.Reader); err != nil {
		return key, err
	}
	line, err := key.Text("", nil)
	if err != nil {
		return key, err
	}
	return key, private.Create(filepath.Join(f.path, nextKey), line)
}

func (f *Folder) next() (approval.Key, error) {
	return approval.LoadKey(filepath.Join(f.path, nextKey), nil)
}

// promote makes the next key the registrar's own.
func (f *Folder) promote(next approval.Key) error {
	if err := os.Rename(filepath.Join(f.path, nextKey),
		filepath.Join(f.path, registrarKey)); err != nil {
		return err
	}
	f.own = next
	return nil
}
