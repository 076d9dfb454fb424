package preimage

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/launcher/undo"
	"github.com/tada-run/tada-run/pathguard/pathname"
)

// A Selection says which runs are shown or taken back: those that fit all that it names, and the
// undos of those.
type Selection struct {
	Since   string // this run and later ones, in its folder or below
	Session string // this run, which is a session, and those inside of it
	run     string // all parts of this run
	Agent   string // those of the agent, in the workspace of Dir or the folder of Since
	Dir     string
}

// KeptBy returns the runs of a selection of which something is kept, the newest first.
func (h *History) KeptBy(s Selection) ([]string, error) {
	kept, err := h.KeptRuns()
	if err != nil {
		return nil, err
	}
	fits, err := h.fitting(s, kept)
	if err != nil {
		return nil, err
	}
	in := map[string]bool{}
	var ids []string
	for _, k := range kept {
		outside := func(id string) bool { return !in[id] }
		if fits(k.Run) || len(k.Of) > 0 && !slices.ContainsFunc(k.Of, outside) {
			in[k.Run] = true
			ids = append(ids, k.Run)
		}
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("%s: %w; try: tadactl sessions", s, errNothingKept)
	}
	ids = h.withoutRedone(ids, kept)
	slices.Reverse(ids)
	return ids, nil
}

// String names a selection in an error.
func (s Selection) String() string {
	var words []string
	for _, f := range []struct{ name, value string }{
		{"since", s.Since}, {"session", s.Session}, {"agent", s.Agent},
	} {
		if f.value != "" {
			words = append(words, fmt.Sprintf("--%s %q", f.name, f.value))
		}
	}
	return strings.Join(words, " ")
}

// fitting returns what tells whether a kept run is one of a selection.
func (h *History) fitting(s Selection, kept []undo.Info) (func(id string) bool, error) {
	runs := map[string]past.Run{}
	since := h.dir.Now()
	for _, k := range kept {
		if at := past.TimeOf(PartOf(k.Run)); at.Before(since) {
			since = at
		}
	}
	for r, err := range h.past.Newest(since) {
		if err != nil {
			return nil, err
		}
		runs[r.ID] = r
	}
	first, dir := "", ""
	var err error
	if s.Since != "" {
		if first, err = h.KeptRun(s.Since); err != nil {
			return nil, err
		}
		dir = strings.TrimSuffix(runs[first].Dir, "/")
	} else if s.Agent != "" {
		if dir, err = h.workspace(s.Dir); err != nil {
			return nil, err
		}
	}
	if s.Session != "" {
		session, err := h.past.Past(s.Session)
		if err != nil {
			return nil, err
		}
		s.Session = session.ID
	}
	return func(id string) bool {
		r := runs[PartOf(id)]
		return id >= first && (s.run == "" || PartOf(id) == s.run) &&
			(dir == "" || pathname.Within(r.Dir, dir)) &&
			(s.Agent == "" || r.IsOf(s.Agent)) &&
			(s.Session == "" || r.ID == s.Session || r.Within == s.Session)
	}, nil
}

// withoutRedone takes an undo out, with what it undid, where a redo did all of that again: the redo
// stands for it.
func (h *History) withoutRedone(ids []string, kept []undo.Info) []string {
	of := map[string][]string{}
	for _, k := range kept {
		of[k.Run] = k.Of
	}
	for n := 1; n < len(ids); n++ {
		was := ids[n-1]
		begin := n - 1 - len(of[was])
		if len(of[was]) == 0 || !slices.Equal(of[ids[n]], []string{was}) || begin < 0 {
			continue
		}
		undone := slices.Clone(ids[begin : n-1])
		slices.Reverse(undone)
		if slices.Equal(undone, of[was]) && h.undidAll(was, undone) {
			ids = slices.Concat(ids[:begin], ids[n:])
			n = begin
		}
	}
	return ids
}

// undidAll reports whether an undo changed every path that the runs had changed.
func (h *History) undidAll(by string, runs []string) bool {
	all := h.changedPaths(by)
	return !slices.ContainsFunc(runs, func(id string) bool {
		paths := h.changedPaths(id)
		for path := range paths {
			if !all[path] {
				return true
			}
		}
		return len(paths) == 0
	})
}

func (h *History) changedPaths(id string) map[string]bool {
	paths := map[string]bool{}
	if run, err := h.Kept(id); err == nil {
		for _, c := range run.Changes() {
			paths[c.Path] = true
			if c.From != "" {
				paths[c.From] = true
			}
		}
	}
	return paths
}

// KeptRun returns the id of the run that begins with prefix and of which something is kept, or the
// newest for "".
func (h *History) KeptRun(prefix string) (string, error) {
	kept, err := h.KeptRuns()
	if err != nil {
		return "", err
	}
	ids := make([]string, len(kept))
	for i, k := range kept {
		ids[i] = PartOf(k.Run)
	}
	if prefix == "" {
		if len(ids) == 0 {
			return "", errors.New("no run has changed a file yet")
		}
		return ids[len(ids)-1], nil
	}
	slices.Sort(ids)
	id, err := state.Only(slices.Compact(ids), prefix)
	if errors.Is(err, state.ErrNoSuch) {
		if r, known := h.past.Past(prefix); known == nil {
			if r.Session && h.keptInside(kept, r.ID) {
				return r.ID, nil
			}
			return "", fmt.Errorf("run %q: %w; try: tadactl show %[1]s", r.ID, errNothingKept)
		}
	}
	if err != nil {
		return "", fmt.Errorf("run %q: %w; try: tadactl sessions", prefix, err)
	}
	return id, nil
}

// keptInside reports whether something is kept of a command inside of a session.
func (h *History) keptInside(kept []undo.Info, session string) bool {
	return slices.ContainsFunc(kept, func(k undo.Info) bool {
		r, err := h.PastOfPart(k.Run)
		return err == nil && r.Within == session
	})
}

// PastOfPart returns the run that a journal is a part of.
func (h *History) PastOfPart(name string) (past.Run, error) { return h.past.Past(PartOf(name)) }

// LastUndo returns the newest undo that was not itself undone.
func (h *History) LastUndo() (string, error) {
	id, err := h.standing(true, func(string) bool { return true })
	if err == nil && id == "" {
		err = errors.New("there is no undo to take back")
	}
	return id, err
}

// LastRun returns the newest run in the workspace of a folder that changed something and was not
// undone. A redo counts as one.
func (h *History) LastRun(dir string) (string, error) {
	dir, err := h.workspace(dir)
	if err != nil {
		return "", err
	}
	id, err := h.standing(false, func(id string) bool {
		r, err := h.PastOfPart(id)
		return err == nil && pathname.Within(r.Dir, dir)
	})
	if err == nil && id == "" {
		err = fmt.Errorf("nothing is left to take back in %q; try: tadactl sessions", dir)
	}
	return PartOf(id), err
}

// standing returns the newest kept run that fits and that no other undid, of the undos or of what
// is none; "" for none.
func (h *History) standing(undo bool, fits func(id string) bool) (string, error) {
	kept, err := h.KeptRuns()
	if err != nil {
		return "", err
	}
	undoes := undoesOf(kept)
	undone := map[string]bool{}
	for _, k := range slices.Backward(kept) {
		if undone[k.Run] {
			continue
		}
		if undoes[k.Run] == undo && fits(k.Run) {
			return k.Run, nil
		}
		for _, id := range k.Of {
			undone[id] = true
		}
	}
	return "", nil
}

// undoesOf tells which runs are undos. An undo of undos alone does again what they undid.
func undoesOf(kept []undo.Info) map[string]bool {
	undoes := map[string]bool{}
	for _, k := range kept {
		undoes[k.Run] = slices.ContainsFunc(k.Of, func(id string) bool { return !undoes[id] })
	}
	return undoes
}

// IsUndo reports whether a kept run is an undo: to take it back is to do again what it undid.
func (h *History) IsUndo(id string) (bool, error) {
	kept, err := h.KeptRuns()
	return undoesOf(kept)[id], err
}

// Parts returns the parts in which something is kept of a run, the newest first. Those of a session
// are all that changed during it, those of the commands inside of it too, and the undos of those.
func (h *History) Parts(id string) ([]string, error) {
	kept, err := h.KeptRuns()
	if err != nil {
		return nil, err
	}
	s := Selection{run: id}
	fits := func(part string) bool { return PartOf(part) == id }
	if r, err := h.past.Past(id); err == nil && r.Session {
		s = Selection{Session: id}
		if fits, err = h.fitting(s, kept); err != nil {
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
	return h.KeptBy(s)
}
