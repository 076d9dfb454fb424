package ship

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"

	"filippo.io/age"
)

// A packer gathers pieces, and stores each full object with its manifest. A crash between the two
// leaves an object that no manifest names: nothing else is left behind, because each shipment is
// complete by itself.
type packer struct {
	*history
	to    []age.Recipient // of objects; manifests are for the machine itself too
	own   age.Recipient
	key   ed25519.PrivateKey
	form  manifest // what each manifest of this shipment says besides
	plain []byte
	list  []piece
	sent  Sent
}

// Sent is what went to the bucket.
type Sent struct {
	Manifests int
	Bytes     int64 // as stored
}

// file adds a file, which has size bytes from an offset on.
func (p *packer) file(ctx context.Context, name string, r io.Reader, from, size int64) error {
	for first := true; first || size > 0; first = false {
		if err := p.room(ctx); err != nil {
			return err
		}
		n := min(size, int64(maxObject-len(p.plain)))
		at := len(p.plain)
		p.plain = append(p.plain, make([]byte, n)...)
		if _, err := io.ReadFull(r, p.plain[at:]); err != nil {
			return fmt.Errorf("reading %q: %w", name, err)
		}
		p.list = append(p.list, piece{File: name, From: from, Size: n, Sum: sum(p.plain[at:]),
			Last: name != logFile && n == size})
		from, size = from+n, size-n
	}
	return nil
}

// missing notes a file that the record names and does not have any more.
func (p *packer) missing(ctx context.Context, name string) error {
	if err := p.room(ctx); err != nil {
		return err
	}
	p.form.Missing = append(p.form.Missing, name)
	return nil
}

// room stores what was gathered if there is no room for more.
func (p *packer) room(ctx context.Context) error {
	if len(p.plain) < maxObject && len(p.list)+len(p.form.Missing) < maxPieces {
		return nil
	}
	return p.store(ctx, covered{})
}

// store stores what was gathered: first the object, then the manifest that names it.
func (p *packer) store(ctx context.Context, c covered) error {
	m := p.form
	m.Number, m.Before, m.covered, m.Pieces = p.next, p.before, c, p.list
	var object []byte
	if len(p.list) > 0 {
		var err error
		if object, err = seal(p.plain, p.to); err != nil {
			return err
		}
		m.Object = sum(object)
	}
	text, err := m.sign(p.key)
	if err == nil { // what no reader would take must not be in the chain
		_, _, err = openManifest(text, p.fleet)
	}
	if err != nil {
		return fmt.Errorf("manifest %d: %w", m.Number, err)
	}
	stored, err := seal(text, append(append([]age.Recipient{}, p.to...), p.own))
	if err != nil {
		return err
	}
	if object != nil {
		if err := p.bucket.put(ctx, objectName(p.id, m.Object), object); err != nil &&
			!errors.Is(err, errThere) { // it has that name because it has these bytes
			return err
		}
	}
	if err := p.bucket.put(ctx, manifestName(p.id, m.Number), stored); err != nil {
		return err
	}
	// what the next manifest builds on is what a reader will take this one for
	if _, err := p.take(m.Number, stored); err != nil {
		return err
	}
	p.sent.Bytes += int64(len(object) + len(stored))
	p.sent.Manifests++
	p.plain, p.list, p.form.Missing, p.form.Met = p.plain[:0], nil, nil, nil
	return nil
}
