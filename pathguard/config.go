package pathguard

import (
	"maps"
	"slices"
)

// Load returns the policy of the files, in their order: the first trusted one that exists
// may replace what is built in, every later one can only tighten. An error is a
// *[ConfigError], and then there is no policy: a command is better refused than judged by
// half a file.
func Load(a Account, files ...ConfigFile) (Policy, error) {
	m := merger{set: defaults(), sources: map[string][]Source{}}
	for _, f := range files {
		if err := m.add(f, a.UID, f.Layer != WorkspaceLayer && !m.based); err != nil {
			return Policy{}, err
		}
	}
	return m.policy(a, files)
}

// Tighten returns the policy made stricter by more files: what a workspace says once it is
// known. Nothing in them can loosen.
func (p Policy) Tighten(files ...ConfigFile) (Policy, error) {
	m := merger{set: p.set, notes: slices.Clone(p.notes), sources: maps.Clone(p.sources),
		floored: p.floored}
	for _, f := range files {
		if err := m.add(f, p.account.UID, false); err != nil {
			return Policy{}, err
		}
	}
	if !m.changed {
		return p, nil
	}
	return m.policy(p.account, files)
}
