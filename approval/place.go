package approval

import "context"

// Place returns the place that was last passed to MarkLogged, and the Seq of the newest event.
func (s *Store) Place(ctx context.Context) (place string, seq uint64, err error) {
	err = s.view(ctx, func(t *tx) error {
		if err = t.moved(); err != nil {
			return err
		}
		place, err = t.place()
		seq = t.seq()
		return err
	})
	return place, seq, err
}

// Follow sets the place after a person accepted a record that was changed. It does not compare.
func (s *Store) Follow(ctx context.Context, place string) error {
	return s.db.Update(ctx, func(db Tx) error {
		return begin(db, s.db.Path(), s.o).setPlace(place)
	})
}
