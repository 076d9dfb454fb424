package launcher

import "slices"

// Parts returns the parts in which something is kept of a run, the newest first. Those of a session
// are all that changed during it, those of the commands inside of it too, and the undos of those.
func (l *Launcher) Parts(id string) ([]string, error) {
	kept, err := l.keptRuns()
	if err != nil {
		return nil, err
	}
	s := Selection{run: id}
	fits := func(part string) bool { return partOf(part) == id }
	if r, err := l.Past(id); err == nil && r.Session {
		s = Selection{Session: id}
		if fits, err = l.fitting(s, kept); err != nil {
			return nil, err
		}
	}
	var parts []string
	for _, k := range kept {
		if fits(k.Run) {
			parts = append(parts, k.Run)
		}
	}
	if len(parts) == 0 || slices.Equal(parts, []string{id}) {
		return []string{id}, nil
	}
	return l.KeptBy(s)
}

// runsOfParts are the runs that journals are parts of.
func runsOfParts(parts []string) (runs []string) {
	for _, part := range parts {
		if run := partOf(part); !slices.Contains(runs, run) {
			runs = append(runs, run)
		}
	}
	return runs
}
