//go:build linux || darwin

package undo

// Held returns how many bytes all runs together hold, as the quota counts.
func (s *Store) Held() (int64, error) {
	l, err := openLedger(s.dir)
	if err != nil {
		return 0, err
	}
	defer l.close()
	total, _, err := l.sum()
	return total, err
}

// Place returns the folder to which links lead from the files of a tree, so that what is removed
// costs nothing to keep. It is "" where all has to be copied.
func (s *Store) Place(tree string) (string, error) {
	j, err := s.Begin(Start{Run: "place", Trees: []string{tree}})
	if err != nil {
		return "", err
	}
	defer j.release()
	for _, p := range j.places {
		if p.mount == j.index.trees[0].mount {
			return p.path, nil
		}
	}
	return "", nil
}
