package member

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/tada-run/tada-run/approval/private"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/registrar"
	"github.com/tada-run/tada-run/launcher/state"
)

// ErrJoined is returned where the machine is in a fleet already.
var ErrJoined = errors.New("this machine is in a fleet already; try: tadactl fleet leave")

// A Newcomer is a machine that is about to join.
type Newcomer struct {
	ID     string // what its state directory is called in answers
	Name   string
	Secret []byte // of the seals of its approvals, which move to etcd: see etcd.DB.Import
}

// Join makes this machine a member: it makes a key, sends the link's secret to the registrar that
// the link names, and stores what it gets. A failure leaves no membership.
func (f Folder) Join(ctx context.Context, link registrar.Link, n Newcomer) (Membership, error) {
	if _, err := f.Load(); !errors.Is(err, ErrNotJoined) {
		return Membership{}, errors.Join(ErrJoined, err)
	}
	// what an attempt before, or another membership, has left says nothing of this fleet, but the
	// registrar may have let this machine in with that key
	key, err := f.key()
	if err != nil {
		_, key, err = ed25519.GenerateKey(rand.Reader)
	}
	if err != nil {
		return Membership{}, err
	}
	if err := os.RemoveAll(f.dir); err != nil {
		return Membership{}, err
	}
	if err := state.PrivateDir(f.dir); err != nil {
		return Membership{}, err
	}
	if err := state.PrivateDir(f.path(ordersDir)); err != nil {
		return Membership{}, err
	}
	if err := f.keepKey(key); err != nil {
		return Membership{}, err
	}
	request, err := requestFor(key)
	if err != nil {
		return Membership{}, err
	}
	access, err := pinned(link)
	if err != nil {
		return Membership{}, err
	}
	client := clientOf(access)
	defer client.CloseIdleConnections()
	w, err := sendAgain(ctx, client, link.URL+registrar.JoinPath, registrar.Joining{
		Invitation: link.ID, Secret: link.Secret, ID: n.ID, Name: n.Name,
		Request: string(request)})
	if err != nil {
		return Membership{}, err
	}
	return f.enter(w, link, n)
}

// key returns the key of the machine.
func (f Folder) key() (ed25519.PrivateKey, error) {
	text, err := private.Read(f.path(keyFile), document.MaxSize)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("it is not a key")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	own, ok := key.(ed25519.PrivateKey)
	if !ok {
		return nil, errors.New("it is not an Ed25519 key")
	}
	return own, nil
}

// keepKey stores it.
func (f Folder) keepKey(key ed25519.PrivateKey) error {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return private.Create(f.path(keyFile),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// enter checks what the registrar sent and stores it; the membership comes last.
func (f Folder) enter(w registrar.Welcome, link registrar.Link,
	n Newcomer) (Membership, error) {
	if authority, err := pinOf([]byte(w.Authority)); err != nil ||
		authority != link.Pin.Authority {
		return Membership{}, errors.Join(errors.New("the registrar named another authority"), err)
	}
	for _, e := range w.Endpoints {
		if !document.IsEndpoint(e) {
			return Membership{}, fmt.Errorf("the registrar named the etcd server %q", e)
		}
	}
	fleet, err := document.PinnedFleet([]byte(w.Fleet), link.Pin.Fleet)
	if err != nil {
		return Membership{}, err
	}
	machine, err := fleet.Machine([]byte(w.Machine))
	if err != nil {
		return Membership{}, err
	}
	if machine.ID != n.ID {
		return Membership{}, fmt.Errorf("the registrar let in %q, not %q", machine.ID, n.ID)
	}
	m := Membership{Fleet: fleet.Name, ID: n.ID, Name: machine.Name,
		Labels: machine.Labels.String(), Endpoints: w.Endpoints, Registrar: link.URL}
	m = m.at(fleet.Site)
	text, err := m.text()
	if err != nil {
		return Membership{}, err
	}
	for _, file := range []struct {
		name string
		text []byte
	}{
		{caFile, []byte(w.Authority)}, {certFile, []byte(w.Certificate)},
		{secretFile, n.Secret},
	} {
		if err := f.fresh(file.name, file.text); err != nil {
			return Membership{}, err
		}
	}
	if err := f.store([]byte(w.Fleet), fleet, m); err != nil {
		return Membership{}, err
	}
	if err := f.obey(w, fleet, machine.Labels); err != nil {
		return Membership{}, err
	}
	return m, f.fresh(membership, text)
}

// fresh writes a file that an attempt to join before may have left.
func (f Folder) fresh(name string, text []byte) error {
	if err := os.Remove(f.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return private.Create(f.path(name), text)
}

// RenewIfDue gets a new certificate when a third of the time of the present one is left. It reports
// whether it did.
func (f Folder) RenewIfDue(ctx context.Context, now time.Time) (bool, error) {
	cert, err := f.certificate()
	if err != nil {
		return false, err
	}
	if cert.Leaf.NotAfter.Sub(now) > registrar.MachineLife/3 {
		return false, nil
	}
	m, err := f.Load()
	if err != nil {
		return false, err
	}
	access, err := f.Access()
	if err != nil {
		return false, err
	}
	key, ok := cert.PrivateKey.(ed25519.PrivateKey)
	if !ok {
		return false, fmt.Errorf("%q: not an Ed25519 key", f.path(keyFile))
	}
	request, err := requestFor(key)
	if err != nil {
		return false, err
	}
	client := clientOf(access)
	defer client.CloseIdleConnections()
	w, err := send(ctx, client, m.Registrar+registrar.RenewPath,
		registrar.Joining{Request: string(request)})
	if err != nil {
		return false, err
	}
	return true, state.Replace(f.path(certFile), []byte(w.Certificate))
}
