package member

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/approval/private"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/registrar"
	"github.com/tada-run/tada-run/launcher/state"
)

// The files of the folder.
const (
	membership = "membership.json"
	caFile     = "ca.pem"
	certFile   = "machine.pem"
	keyFile    = "machine.key"
	secretFile = "secret"
	fleetFile  = "fleet"
	trustFile  = "trust"
	freezeFile = "freeze"
	ordersDir  = "freezes"
	pastDir    = "past"

	clusterFile = "cluster"
)

// ErrNotJoined is returned where the machine is in no fleet.
var ErrNotJoined = errors.New("this machine is in no fleet; try: tadactl fleet join URL")

// A Folder is where a machine keeps its membership.
type Folder struct {
	home state.Home
	dir  string
}

// In returns the folder of a state directory. It need not exist.
func In(home state.Home) Folder { return Folder{home, home.Fleet()} }

func (f Folder) path(name string) string { return filepath.Join(f.dir, name) }

// A Membership is what a machine knows of the fleet that it is in.
type Membership struct {
	Fleet     string   `json:"fleet"`
	ID        string   `json:"id"` // what the machine is called in answers
	Name      string   `json:"name"`
	Labels    string   `json:"labels"`
	Endpoints []string `json:"endpoints"` // of etcd
	Registrar string   `json:"registrar"` // URL
}

// at is the membership where the registrar and etcd are somewhere else.
func (m Membership) at(s document.Site) Membership {
	if s.Registrar != "" {
		m.Registrar = strings.TrimSuffix(s.Registrar, "/")
	}
	if len(s.Etcd) > 0 {
		m.Endpoints = s.Etcd
	}
	return m
}

func (m Membership) text() ([]byte, error) {
	text, err := json.MarshalIndent(m, "", "  ")
	return append(text, '\n'), err
}

// Load returns the membership, or ErrNotJoined.
func (f Folder) Load() (Membership, error) {
	text, err := private.Read(f.path(membership), document.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return Membership{}, ErrNotJoined
	}
	var m Membership
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		return Membership{}, fmt.Errorf("%q: %w; %s", f.path(membership), err, again)
	}
	return m, nil
}

// Secret returns what seals the machine's questions and answers.
func (f Folder) Secret() ([]byte, error) { return private.Read(f.path(secretFile), 1<<10) }

// SetSecret replaces it.
func (f Folder) SetSecret(secret []byte) error { return state.Replace(f.path(secretFile), secret) }

// Cluster returns the id of the etcd cluster that has the machine's approvals; 0 before their first
// use.
func (f Folder) Cluster() (uint64, error) {
	text, err := private.Read(f.path(clusterFile), 1<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	id, err := strconv.ParseUint(strings.TrimSpace(string(text)), 16, 64)
	if err != nil || id == 0 {
		return 0, fmt.Errorf("%q: not the id of a cluster; %s", f.path(clusterFile), again)
	}
	return id, nil
}

// Remember stores the id of the cluster after the first use.
func (f Folder) Remember(cluster uint64) error {
	if known, err := f.Cluster(); err != nil || known == cluster {
		return err
	}
	return state.Replace(f.path(clusterFile), fmt.Appendf(nil, "%x\n", cluster))
}

// Access returns how the machine connects to etcd and to the registrar.
func (f Folder) Access() (*tls.Config, error) {
	ca, err := private.Read(f.path(caFile), document.MaxSize)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		return nil, fmt.Errorf("%q: not a certificate; %s", f.path(caFile), again)
	}
	if _, err := f.certificate(); err != nil { // a connection would only say that it failed
		return nil, err
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS13,
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			cert, err := f.certificate() // the newest: it is renewed while connections live
			return &cert, err
		}}, nil
}

// Pin returns the texts by which invitations name the authority of the fleet and the fleet itself,
// as this machine knows it.
func (f Folder) Pin() (registrar.Pins, error) {
	text, err := private.Read(f.path(caFile), document.MaxSize)
	if err != nil {
		return registrar.Pins{}, err
	}
	authority, err := pinOf(text)
	if err != nil {
		return registrar.Pins{}, fmt.Errorf("%q: %w", f.path(caFile), err)
	}
	fleet, err := f.Document()
	return registrar.Pins{Authority: authority, Fleet: fleet.Pin()}, err
}

// pinOf names the authority with a certificate.
func pinOf(text []byte) (string, error) {
	block, rest := pem.Decode(text)
	if block == nil || len(rest) > 0 {
		return "", errors.New("not one certificate")
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return "", err
	}
	return registrar.Pin(cert), nil
}

// certificate returns the newest certificate, with its key.
func (f Folder) certificate() (tls.Certificate, error) {
	c, err := tls.LoadX509KeyPair(f.path(certFile), f.path(keyFile))
	if err != nil {
		err = fmt.Errorf("%q with %q: %w; %s", f.path(certFile), f.path(keyFile), err, again)
	}
	return c, err
}

// again is what helps where a file is damaged that only joining makes.
const again = "restore it, or join again: tadactl fleet leave"

// Text returns the text of the newest fleet document that was seen.
func (f Folder) Text() ([]byte, error) {
	return private.Read(f.path(fleetFile), document.MaxSize)
}

// Document returns the newest fleet document that was seen.
func (f Folder) Document() (document.Fleet, error) {
	text, err := f.Text()
	if err != nil {
		return document.Fleet{}, err
	}
	fleet, err := document.FirstFleet(text)
	if err != nil {
		err = fmt.Errorf("%q: %w; %s", f.path(fleetFile), err, again)
	}
	return fleet, err
}

// store writes a fleet document, and first the trust list that follows from it: if the machine dies
// between the two, the next Learn writes both again.
func (f Folder) store(text []byte, fleet document.Fleet, m Membership) error {
	labels, err := document.ParseLabels(m.Labels)
	if err != nil {
		return err
	}
	list := ""
	if !fleet.IsRevoked(m.ID) {
		for _, k := range fleet.Trust(labels) {
			list += k.Line() + "\n"
		}
	}
	if err := state.Replace(f.path(trustFile), []byte(list)); err != nil {
		return err
	}
	return state.Replace(f.path(fleetFile), text)
}

// Leave ends the membership on this machine. Its questions stay where they are; the registrar's
// side ends by tadactl fleet revoke.
func (f Folder) Leave() error {
	if _, err := f.Load(); err != nil {
		return err
	}
	// what makes it a member goes first: the rest is nothing without it
	if err := os.Remove(f.path(membership)); err != nil {
		return err
	}
	return os.RemoveAll(f.dir)
}
