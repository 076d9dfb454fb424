package ship

import (
	"context"
	"encoding/hex"

	"github.com/tada-run/tada-run/audit"
)

// A told is what the manifests of a machine say together, as far as they were read and are right.
// Of each it has less than a hundred bytes: the manifests themselves are in a file.
type told struct {
	h       *history
	all     *spool
	whole   int // with so many of them, the record is whole
	points  []audit.Point
	missing []string
	objects map[[hashSize]byte]bool
	fleets  map[int64]int64  // the first that has a fleet document, by its serial
	met     map[string]int64 // the last that has the record of another machine, by its name
}

// hashSize is that of SHA-256.
const hashSize = 32

// tell reads the manifests of a machine. broken is why it did not read all of them.
func (c Check) tell(ctx context.Context, id, dir string) (t *told, broken error) {
	h := newHistory(c.Bucket, c.Fleet, id, c.Identities)
	t = &told{h: h, objects: map[[hashSize]byte]bool{}, fleets: map[int64]int64{},
		met: map[string]int64{}}
	if t.all, broken = newSpool(dir); broken != nil {
		return t, broken
	}
	h.spool = t.all
	for m, err := range h.read(ctx) {
		if err == nil {
			err = t.add(m)
		}
		if err != nil {
			return t, err
		}
	}
	if t.all.n == 0 {
		return t, h.broken("there is no manifest")
	}
	return t, nil
}

func (t *told) add(m manifest) error {
	t.missing = append(t.missing, m.Missing...)
	if m.Object != "" {
		t.objects[hashOf(m.Object)] = true
	}
	if _, ok := t.fleets[m.Fleet]; !ok && m.Fleet > 0 {
		t.fleets[m.Fleet] = m.Number
	}
	for _, name := range m.Met {
		t.met[metName(t.h.id, name)] = m.Number
	}
	if m.Checkpoint == "" {
		return nil
	}
	p, err := m.point()
	t.points, t.whole = append(t.points, p), t.all.n
	return err
}

// hashOf reads what isSum accepts.
func hashOf(sum string) (hash [hashSize]byte) {
	_, _ = hex.Decode(hash[:], []byte(sum))
	return hash
}

// names reports whether a manifest names the object with a name in the bucket.
func (t *told) names(name string) bool {
	sum, ok := objectSum(t.h.id, name)
	return ok && t.objects[hashOf(sum)]
}
