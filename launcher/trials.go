package launcher

import (
	"encoding/json"
	"errors"
	"io/fs"
	"slices"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard"
)

// tries is what the record has of the bundles that are tried: what each of them would have decided.
// The list has one member for each, so that the record says that it was tried.
func (l *Launcher) tries(j *Judgement) (list []any) {
	if j = j.subject(); j.frozen == nil {
		return nil
	}
	for _, b := range l.tried {
		v, err := l.wouldBe(j, b)
		if err != nil {
			list = append(list, object{"policy": b.String(), "error": err.Error()})
			continue
		}
		list = append(list, object{"policy": b.String(), "verdict": v.Decision.String()})
	}
	return list
}

// wouldBe is the verdict if a bundle that is tried were in force.
func (l *Launcher) wouldBe(j *Judgement, b state.Bundle) (pathguard.Verdict, error) {
	force := slices.DeleteFunc(slices.Clone(l.force),
		func(f state.Bundle) bool { return f.Name == b.Name })
	p, err := l.policyUnder(append(force, b), pathguard.ConfigFile{})
	if err != nil {
		return pathguard.Verdict{}, err
	}
	return l.verdictUnder(j, p)
}

// A Trial is what a bundle would have decided about the last runs.
type Trial struct {
	Runs   int // that were judged by it
	Differ int // that it would have judged differently
	Denied int // of them, that it would have denied
}

// Trials returns, by the record, what the bundles that are tried would have decided about the last
// runs, by their names there.
func (l *Launcher) Trials(last int) (map[string]Trial, error) {
	all := map[string]Trial{}
	for e, err := range l.Entries(audit.Filter{Kinds: []string{record.KindIntent}, Last: last}) {
		var bad *audit.BadEntry
		var body struct {
			Verdict string `json:"verdict"`
			Trials  []struct {
				Policy  string `json:"policy"`
				Verdict string `json:"verdict"`
			} `json:"trials"`
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return all, nil
		case errors.As(err, &bad): // audit verify names it
			continue
		case err != nil:
			return nil, err
		case json.Unmarshal(e.Body, &body) != nil:
			continue
		}
		for _, one := range body.Trials {
			if one.Verdict != "" {
				all[one.Policy] = all[one.Policy].with(body.Verdict, one.Verdict)
			}
		}
	}
	return all, nil
}

// with counts one more run.
func (t Trial) with(was, would string) Trial {
	t.Runs++
	if was != would {
		t.Differ++
		if would == pathguard.Deny.String() {
			t.Denied++
		}
	}
	return t
}
