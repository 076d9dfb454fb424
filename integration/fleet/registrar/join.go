package registrar

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/history"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// A Joining is what a machine sends to join.
type Joining struct {
	Invitation string `json:"invitation"`
	Secret     string `json:"secret"`
	ID         string `json:"id"` // what it is called in answers
	Name       string `json:"name"`
	Request    string `json:"csr"` // PEM
}

// A Welcome is what a machine gets.
type Welcome struct {
	Certificate string   `json:"cert"` // PEM
	Authority   string   `json:"ca"`   // PEM
	Endpoints   []string `json:"endpoints"`
	Fleet       string   `json:"fleet"`             // the fleet document
	Machine     string   `json:"machine"`           // its own record
	Freezes     []string `json:"freezes,omitempty"` // orders in force, for a machine that joins
	Bundles     []string `json:"bundles,omitempty"` // and the policy
}

// Documents are fleet documents, the newest last. Whoever gets them checks that they follow.
type Documents struct {
	Texts []string `json:"documents"`
}

// A Registrar lets machines into one fleet.
type Registrar struct {
	folder    *Folder
	etcd      *clientv3.Client
	endpoints []string // of etcd, as machines reach it
	now       func() time.Time
	seeing    sync.Mutex // the folder's newest document
	joining   chan struct{}
	out       io.Writer // for whoever runs the registrar
}

// New returns the registrar of a folder, connected to etcd as [Folder.Access] says. What fails for
// a reason that machines are not told is written to out.
func New(f *Folder, etcd *clientv3.Client, endpoints []string, now func() time.Time,
	out io.Writer) *Registrar {
	return &Registrar{folder: f, etcd: etcd, endpoints: endpoints, now: now, out: out,
		joining: make(chan struct{}, 1)}
}

// A known is the newest fleet document that follows those that this registrar has seen.
type known struct {
	document.Fleet
	text    []byte
	refused error // why the one in etcd does not follow; nil if this is it
}

// fleet returns the newest fleet document. What every machine at which people answer can write in
// etcd ends no membership, unless administrators have signed it.
func (r *Registrar) fleet(ctx context.Context) (known, error) {
	r.seeing.Lock()
	defer r.seeing.Unlock()
	text, err := r.folder.Newest()
	if err != nil {
		return known{}, err
	}
	seen, err := document.FirstFleet(text)
	if err != nil {
		return known{}, err
	}
	way, err := history.Newest(ctx, r.etcd, seen)
	if err != nil {
		return known{}, err
	}
	lost, err := way.Lost(ctx, r.etcd, text)
	if err != nil {
		return known{}, err
	}
	text = way.Newest(text)
	if way.Fleet.Serial > seen.Serial {
		if err := r.folder.see(text); err != nil {
			return known{}, err
		}
	}
	now := known{Fleet: way.Fleet, text: text, refused: way.Refused}
	if way.Refused != nil {
		err = r.mend(ctx, way, &now, lost)
	}
	return now, err
}

// mend puts the newest document back where it was lost, and says what it did.
func (r *Registrar) mend(ctx context.Context, way history.Way, now *known, lost bool) error {
	if lost {
		back, err := way.PutBack(ctx, r.etcd, now.text)
		if err != nil {
			return err
		}
		if back {
			now.refused = nil
			fmt.Fprintf(r.out, "tada-fleet: the fleet document in etcd was damaged (%v); document "+
				"%d is there again\n", way.Refused, way.Fleet.Serial)
			return nil
		}
	}
	fmt.Fprintf(r.out, "tada-fleet: the fleet document in etcd is not taken: %v; an administrator "+
		"can put the last one back: tadactl fleet repair\n", way.Refused)
	return nil
}

func get(ctx context.Context, c *clientv3.Client, key string) ([]byte, error) {
	got, err := c.Get(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("reading %q from etcd: %w", key, err)
	}
	if len(got.Kvs) == 0 {
		return nil, fmt.Errorf("etcd has no %q", key)
	}
	return got.Kvs[0].Value, nil
}

// errMember is returned for a machine that is a member already.
var errMember = errors.New("this machine, or its key, is a member of the fleet already; " +
	"try: tadactl fleet revoke ID, and join again under another state directory")

// turn is how long it may take to let one machine in where etcd is busy: that is a dozen changes of
// its users and roles.
const turn = time.Minute

// errReplaced is returned where the fleet document names another registrar.
var errReplaced = errors.New("this registrar was replaced by another one; ask an administrator " +
	"for another invitation")

// Join lets a machine in, once for each invitation. Machines come in one after the other: etcd
// computes the rights of all its users again at each change of one, so that many at once would all
// wait too long.
//
// One that is not invited does not wait, nor lets others wait: anyone can ask.
func (r *Registrar) Join(ctx context.Context, j Joining) (Welcome, error) {
	if _, _, err := r.invited(ctx, j); err != nil {
		return Welcome{}, err
	}
	select {
	case r.joining <- struct{}{}:
	case <-ctx.Done():
		return Welcome{}, ctx.Err()
	}
	defer func() { <-r.joining }()
	ctx, cancel := context.WithTimeout(ctx, turn)
	defer cancel()
	return r.join(ctx, j)
}

func (r *Registrar) join(ctx context.Context, j Joining) (Welcome, error) {
	public, err := readRequest([]byte(j.Request))
	if err != nil {
		return Welcome{}, err
	}
	if !document.IsMachineID(j.ID) {
		return Welcome{}, fmt.Errorf("%w: %q is not the id of a machine", errRequest, j.ID)
	}
	invited, at, err := r.invited(ctx, j)
	if err != nil {
		return Welcome{}, err
	}
	fleet, err := r.fleet(ctx)
	if err != nil {
		return Welcome{}, err
	}
	if fleet.IsRevoked(j.ID) {
		return Welcome{}, errMember
	}
	if !fleet.Registrar.Key.Equal(r.folder.own.Public()) {
		return Welcome{}, errReplaced
	}
	m := document.Machine{ID: j.ID, Name: j.Name, Owner: invited.Owner, Labels: invited.Labels,
		Key: keySum(public), Joined: r.now().UTC().Truncate(time.Second)}
	record, err := m.Sign(r.folder.own)
	if err != nil {
		return Welcome{}, fmt.Errorf("%w: %w", errRequest, err)
	}
	// before the invitation is used: this may fail
	all, err := r.folder.orders(ctx, r.etcd, fleet.Fleet)
	if err != nil {
		return Welcome{}, err
	}
	was, err := r.before(ctx, fleet.Fleet, m)
	if err != nil {
		return Welcome{}, err
	}
	// The user comes first: a machine that is a member without one could not be let in again.
	if err := admit(ctx, r.etcd, m.ID, invited.People); err != nil {
		return Welcome{}, err
	}
	done, err := r.etcd.Txn(ctx).If(
		clientv3.Compare(clientv3.ModRevision(keyspace.Tokens+j.Invitation), "=", at),
		clientv3.Compare(clientv3.ModRevision(keyspace.Machines+m.ID), "=", was.record),
		clientv3.Compare(clientv3.ModRevision(keyspace.Keys+m.Key), "=", was.key),
	).Then(
		clientv3.OpDelete(keyspace.Tokens+j.Invitation),
		clientv3.OpPut(keyspace.Machines+m.ID, string(record)),
		clientv3.OpPut(keyspace.Keys+m.Key, m.ID),
	).Commit()
	if err != nil {
		return Welcome{}, err
	}
	if !done.Succeeded {
		return Welcome{}, errNotInvited
	}
	w, err := r.welcome(m.ID, public, record, fleet)
	if err != nil {
		return Welcome{}, err
	}
	w.Freezes, w.Bundles = all.inForce(fleet.Fleet, m.Labels)
	return w, nil
}

// invited returns the invitation of which a machine has the secret, and of which revision it is.
func (r *Registrar) invited(ctx context.Context, j Joining) (i Invitation, at int64, err error) {
	got, err := r.etcd.Get(ctx, keyspace.Tokens+j.Invitation)
	if err != nil {
		return i, 0, err
	}
	if len(got.Kvs) == 0 {
		return i, 0, errNotInvited
	}
	i, err = readInvitation(got.Kvs[0].Value, j.Secret, r.now())
	return i, got.Kvs[0].ModRevision, err
}

// A before is at which revisions etcd has the record and the key of a machine that joins; 0 where
// it is new.
type before struct{ record, key int64 }

// before refuses a machine that is a member, or has the key of one. A machine that never learned
// that it was let in has the same key when it joins again, with another invitation.
func (r *Registrar) before(ctx context.Context, fleet document.Fleet,
	m document.Machine) (was before, err error) {
	got, err := r.etcd.Txn(ctx).Then(clientv3.OpGet(keyspace.Machines+m.ID),
		clientv3.OpGet(keyspace.Keys+m.Key)).Commit()
	if err != nil {
		return was, err
	}
	record := got.Responses[0].GetResponseRange().Kvs
	key := got.Responses[1].GetResponseRange().Kvs
	if len(record)+len(key) == 0 {
		return was, nil
	}
	if len(record) == 0 || len(key) == 0 || string(key[0].Value) != m.ID {
		return was, errMember
	}
	if known, err := fleet.Machine(record[0].Value); err != nil || known.Key != m.Key {
		return was, errMember
	}
	return before{record[0].ModRevision, key[0].ModRevision}, nil
}

// Renew issues a new certificate to a machine that has shown its present one, for the same key or a
// new one.
func (r *Registrar) Renew(ctx context.Context, id, request string) (Welcome, error) {
	public, err := readRequest([]byte(request))
	if err != nil {
		return Welcome{}, err
	}
	fleet, err := r.fleet(ctx)
	if err != nil {
		return Welcome{}, err
	}
	record, err := get(ctx, r.etcd, keyspace.Machines+id)
	if err != nil {
		return Welcome{}, err
	}
	if m, err := fleet.Machine(record); err != nil {
		return Welcome{}, err
	} else if m.Key != keySum(public) {
		return Welcome{}, fmt.Errorf("machine %q: %w: it has another key", m.Name, errRequest)
	}
	return r.welcome(id, public, record, fleet)
}

func (r *Registrar) welcome(id string, public ed25519.PublicKey, record []byte,
	fleet known) (Welcome, error) {
	cert, err := r.folder.ca.client(id, public, r.now(), MachineLife)
	if err != nil {
		return Welcome{}, err
	}
	return Welcome{Certificate: string(pemCert(cert)),
		Authority: string(pemCert(r.folder.ca.cert)), Endpoints: r.endpoints,
		Fleet: string(fleet.text), Machine: string(record)}, err
}

// Documents returns the documents that lead from the one with a serial to the newest. A machine
// that was revoked needs them: etcd answers it no more, perhaps before it has heard why.
func (r *Registrar) Documents(ctx context.Context, serial int64) (Documents, error) {
	fleet, err := r.fleet(ctx)
	if err != nil {
		return Documents{}, err
	}
	var d Documents
	for text, err := range history.Since(ctx, r.etcd, serial) {
		if err != nil {
			return Documents{}, err
		}
		d.Texts = append(d.Texts, string(text))
	}
	d.Texts = append(d.Texts, string(fleet.text))
	return d, nil
}

// Expel ends the access of every machine that the fleet document says is revoked.
func (r *Registrar) Expel(ctx context.Context) error {
	fleet, err := r.fleet(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, id := range fleet.Revoked {
		failed = append(failed, expel(ctx, r.etcd, id))
	}
	return errors.Join(failed...)
}

// jsonLine returns v as JSON and a newline.
func jsonLine(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return append(b, '\n')
}
