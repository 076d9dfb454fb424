package ship

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tada-run/tada-run/integration/fleet/document"
)

// met are the records of other machines that this one has stored, so that a reader knows of a
// machine that joined and ships nothing itself.
type met struct {
	stored  map[string]bool
	unnamed []string // of them, those that the next manifest names
}

// metName is the name of the record of a machine below the one that has stored it.
func metName(id, name string) string { return id + metFolder + name }

// metOf reads what is behind the folder in that name: the id of the other machine, and the SHA-256
// of its record.
func metOf(id, name string) (other, hash string, ok bool) {
	text, ok := strings.CutPrefix(name, id+metFolder)
	i := strings.LastIndexByte(text, '-')
	if !ok || i < 0 {
		return "", "", false
	}
	other, hash = text[:i], text[i+1:]
	return other, hash, document.IsMachineID(other) && isSum(hash)
}

// Meet stores the records of other machines, by their ids, if the bucket does not have them from
// this one. The registrar has signed them. The next manifest names them.
func (s *Shipper) Meet(ctx context.Context, records map[string][]byte) error {
	if s.stored == nil {
		s.stored = map[string]bool{}
	}
	for id, text := range records {
		name := id + "-" + sum(text)
		if s.stored[name] {
			continue
		}
		sealed, err := seal(text, s.to)
		if err == nil {
			err = s.bucket.put(ctx, metName(s.ID, name), sealed)
		}
		if err != nil && !errors.Is(err, errThere) {
			return err
		}
		s.stored[name], s.unnamed = true, append(s.unnamed, name)
	}
	return nil
}

// kept requires the records that the manifests of a machine name to be there.
func (c Check) kept(ctx context.Context, h *history, list []manifest) error {
	named := map[string]int64{}
	for _, m := range list {
		for _, name := range m.Met {
			named[metName(h.id, name)] = m.Number
		}
	}
	if len(named) == 0 {
		return nil
	}
	for name, err := range c.Bucket.list(ctx, h.id+metFolder, "") {
		if err != nil {
			return err
		}
		delete(named, name)
	}
	for name, number := range named {
		other, _, _ := metOf(h.id, name)
		return h.broken("manifest %d names the record of machine %q, which was removed", number,
			other)
	}
	return nil
}

// Silent returns the machines that joined and of which the bucket has nothing: others have stored
// their records. there are those of which it has anything. Only those of which no other machine has
// stored the record are not known.
func (c Check) Silent(ctx context.Context, there map[string]bool) ([]document.Machine, error) {
	found := map[string]bool{}
	var list []document.Machine
	for id := range there {
		for name, err := range c.Bucket.list(ctx, id+metFolder, "") {
			if err != nil {
				return nil, err
			}
			other, hash, ok := metOf(id, name)
			if !ok || there[other] || found[other] {
				continue
			}
			m, err := c.metMachine(ctx, name, hash)
			if err != nil {
				return nil, err
			}
			if m.ID == other {
				found[other], list = true, append(list, m)
			}
		}
	}
	return list, nil
}

// metMachine reads the record of a member; the zero Machine for what is none, or is none any more.
func (c Check) metMachine(ctx context.Context, name, hash string) (document.Machine, error) {
	stored, err := c.Bucket.get(ctx, name, maxStored)
	if errors.Is(err, errNone) {
		return document.Machine{}, nil
	}
	if err != nil {
		return document.Machine{}, err
	}
	text, err := unseal(stored, document.MaxSize, c.Identities)
	if err != nil || sum(text) != hash {
		return document.Machine{}, nil
	}
	m, err := c.Fleet.Machine(text)
	if err != nil {
		return document.Machine{}, nil
	}
	return m, nil
}

// readMet checks the names in a manifest.
func readMet(names []string) error {
	for _, name := range names {
		if _, _, ok := metOf("", metFolder+name); !ok {
			return fmt.Errorf("%w: it names a record of a machine %.80q", errManifest, name)
		}
	}
	return nil
}
