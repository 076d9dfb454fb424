package ship

import (
	"context"
	"errors"

	"filippo.io/age"
)

// met are the records of other machines that this one has stored, so that a reader knows of a
// machine that joined and ships nothing itself.
type met struct {
	stored  map[string]bool
	unnamed []string // of them, those that the next manifest names
}

// meet stores records of other machines, by their ids, below the machine with an id, if it has not
// done so.
func (s *met) meet(ctx context.Context, b *Bucket, id string, to []age.Recipient,
	records map[string][]byte) error {
	if s.stored == nil {
		s.stored = map[string]bool{}
	}
	for other, text := range records {
		name := other + "-" + sum(text)
		if s.stored[name] {
			continue
		}
		sealed, err := seal(text, to)
		if err == nil {
			err = b.put(ctx, metName(id, name), sealed)
		}
		if err != nil && !errors.Is(err, errThere) {
			return err
		}
		s.stored[name], s.unnamed = true, append(s.unnamed, name)
	}
	return nil
}
