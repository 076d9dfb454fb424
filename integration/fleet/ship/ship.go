package ship

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"time"

	"filippo.io/age"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/fleet/cosign"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/upkeep"
)

// A Machine is a member of a fleet that ships its record.
type Machine struct {
	Launcher *launcher.Launcher // which can unpack
	ID       string
	Record   []byte             // of the machine, signed by the registrar
	Key      ed25519.PrivateKey // of its certificate
	Identity string             // of age, with which the machine reads its own manifests again
	Now      func() time.Time
	Others   *cosign.Asking // other machines that cosign; nil for none
	// the file that says what was shipped, so that not all manifests are read at each start; "" for
	// none. It is made again where it is missing or wrong.
	Note string
	// the fleet documents that it has taken, which readers of the bucket need
	Documents [][]byte
}

// A Shipper copies the record of a machine to a bucket. One at a time ships for a machine.
type Shipper struct {
	Machine
	bucket  *Bucket
	ship    document.Shipping
	to      []age.Recipient
	own     *age.X25519Identity
	history *history
	sure    bool // the bucket has no manifest beyond those of history
	published
	met
}

// ErrFork is returned for a record that is not the one that the bucket has the beginning of.
var ErrFork = errors.New("the record of this machine is not the one that was shipped before: it " +
	"was cut, rewritten, or an old copy was put back; nothing is shipped; try: " +
	"tadactl audit verify")

// New returns a shipper for the place that a fleet document names.
func New(m Machine, f document.Fleet, k Key) (*Shipper, error) {
	s := &Shipper{Machine: m, ship: f.Ship}
	var err error
	if s.bucket, err = OpenBucket(f.Ship, k); err != nil {
		return nil, err
	}
	if s.to, err = Recipients(f.Ship.Recipients); err != nil {
		return nil, err
	}
	if s.own, err = own(m.Identity); err != nil {
		return nil, err
	}
	s.history = newHistory(s.bucket, f, m.ID, []age.Identity{s.own})
	s.documents, err = fleetTexts(m.Documents)
	return s, err
}

// sign of life: a machine with nothing to ship says so this often.
const signOfLife = time.Hour

// Once ships what the record has beyond what was shipped, if anything. refused says which witnesses
// did not cosign, and why; that is no reason not to ship. After an error the next call begins with
// what the bucket has.
func (s *Shipper) Once(ctx context.Context) (sent Sent, refused []error, err error) {
	if err := s.catchUp(ctx); err != nil {
		return sent, nil, err
	}
	if err := s.publish(ctx, s.bucket, s.ID, s.to, s.history.last.Fleet); err != nil {
		return sent, nil, err
	}
	head, err := s.Launcher.Head()
	if err != nil {
		return sent, nil, err
	}
	quiet := s.Now().Sub(s.history.last.Time).Abs() < signOfLife
	key, err := s.Launcher.LogKey()
	if err != nil {
		return sent, nil, err
	}
	if quiet && s.history.next > 0 && head == s.history.point {
		if c := s.history.covered; len(c.By) < cosign.Wanted {
			s.Others.Ask(cosign.Want{Signed: []byte(c.Checkpoint), Log: key})
		}
		sent, err = s.Late(ctx)
		return sent, nil, err
	}
	k, err := s.look(key)
	if err != nil {
		return sent, nil, err
	}
	defer k.text.Close()
	s.Others.Ask(cosign.Want{Signed: k.checkpoint, Log: key})
	p := s.packer(key)
	s.sure = false
	if err := k.add(ctx, p); err != nil {
		return p.sent, nil, err
	}
	signed, refused := cosigned(ctx, s.Launcher, s.ship.Witnesses, k.checkpoint, key)
	signed, by, err := s.Others.With(signed, nil)
	if err == nil {
		err = p.store(ctx, covered{string(signed), k.end, by})
	}
	if err != nil {
		return p.sent, refused, err
	}
	s.sure, s.unnamed = true, nil
	s.history.keep(s.Note, s.place())
	return p.sent, refused, nil
}

// Meet stores the records of other machines, by their ids, if the bucket does not have them from
// this one. The registrar has signed them. The next manifest names them.
func (s *Shipper) Meet(ctx context.Context, records map[string][]byte) error {
	return s.meet(ctx, s.bucket, s.ID, s.to, records)
}

// place is what the note is about.
func (s *Shipper) place() string {
	return fmt.Sprintf("%s %s %s", s.ship.Endpoint, s.ship.Bucket, s.ID)
}

// packer begins a shipment.
func (s *Shipper) packer(key upkeep.LogKey) *packer {
	return &packer{history: s.history, to: s.to, own: s.own.Recipient(), key: s.Key,
		form: manifest{Machine: s.ID, Time: s.Now().UTC(), Fleet: s.serial, Met: s.unnamed,
			keys: keys{document.HolderOf(s.Record, s.Key), key.Public}}}
}

// Late ships the cosignatures of other machines that came when the last manifest was stored, if
// any.
func (s *Shipper) Late(ctx context.Context) (Sent, error) {
	c := s.history.covered
	if !s.sure || c.Checkpoint == "" {
		return Sent{}, nil
	}
	signed, by, err := s.Others.With([]byte(c.Checkpoint), c.By)
	if err != nil || len(by) == len(c.By) {
		return Sent{}, err
	}
	key, err := s.Launcher.LogKey()
	if err != nil {
		return Sent{}, err
	}
	p := s.packer(key)
	s.sure = false
	if err := p.store(ctx, covered{string(signed), c.Bytes, by}); err != nil {
		return p.sent, err
	}
	s.sure, s.unnamed = true, nil
	s.history.keep(s.Note, s.place())
	return p.sent, nil
}

// catchUp reads the manifests that the bucket has beyond those that are known.
func (s *Shipper) catchUp(ctx context.Context) error {
	if s.sure {
		return nil
	}
	if s.history.next == 0 && s.Note != "" {
		noted, err := s.history.recall(ctx, s.Note, s.place(), s.Key.Public())
		if err != nil {
			return err
		}
		s.history = noted
	}
	known := s.history.next
	for m, err := range s.history.read(ctx) {
		if err != nil {
			return fmt.Errorf("%w; nothing is shipped to a bucket that is not its own", err)
		}
		if !m.Key.Equal(s.Key.Public()) {
			return fmt.Errorf("the bucket has the record of another machine %q; nothing is "+
				"shipped", s.ID)
		}
	}
	s.sure = true
	if s.history.next > known {
		s.history.keep(s.Note, s.place())
	}
	return nil
}

// look opens the record, and signs a checkpoint of it.
func (s *Shipper) look(key upkeep.LogKey) (*look, error) {
	h, home := s.history, s.Launcher.Home()
	o := audit.VerifyOptions{Mark: home.Mark(), Codec: s.Launcher.Codec}
	if h.point.Count > 0 {
		o.Remember = []audit.Point{h.point}
	}
	signed, err := audit.Checkpoint(home.Audit(), o, key.Signer)
	var bad *audit.BadEntry
	if errors.As(err, &bad) {
		return nil, fmt.Errorf("%w (%w)", ErrFork, err)
	}
	if err != nil {
		return nil, err
	}
	k := &look{l: s.Launcher, checkpoint: signed, over: map[string]bool{},
		plans: map[string]bool{}}
	if k.point, err = (manifest{covered: covered{Checkpoint: string(signed)},
		keys: keys{Log: key.Public}}).point(); err != nil {
		return nil, err
	}
	if k.text, err = audit.OpenText(home.Audit(), s.Launcher.Codec); err != nil {
		return nil, err
	}
	if err := s.compare(k); err != nil {
		return nil, errors.Join(err, k.text.Close())
	}
	return k, nil
}

// compare requires the log to go on from what was shipped, and to be on the disk.
func (s *Shipper) compare(k *look) error {
	h := s.history
	if k.point == h.point || k.point.Count == 0 { // such as a log that has no entry yet
		k.end = h.Bytes
	} else if err := k.entries(h.Bytes); err != nil {
		return err
	}
	if start, _ := k.text.Start(); k.end < h.log && start <= h.log {
		return ErrFork
	}
	for _, p := range h.tail { // what no checkpoint of a manifest has covered yet
		b := make([]byte, p.Size)
		if _, err := k.text.ReadAt(b, p.From); err != nil || sum(b) != p.Sum {
			if start, _ := k.text.Start(); start <= p.From {
				return ErrFork
			}
		}
	}
	return k.text.Sync()
}
