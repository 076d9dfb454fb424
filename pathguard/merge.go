package pathguard

import (
	"fmt"
	"slices"
)

// strictest joins two sets of values so that the result permits nothing that either of them
// does not: lists of what is forbidden are joined, what is allowed must be allowed by both,
// and a rule that allows is taken from the first alone. The notes name what was left out.
func (s Settings) strictest(add Settings) (Settings, []string) {
	out := s
	out.Level = Level{Always: s.Level.Always || add.Level.Always, Never: s.Level.Never || add.Level.Never}
	out.RestrictedPaths = union(s.RestrictedPaths, add.RestrictedPaths)
	out.ReadOnlyPaths = union(s.ReadOnlyPaths, add.ReadOnlyPaths)
	out.Protect = union(s.Protect, add.Protect)
	out.AllowShell = s.AllowShell && add.AllowShell
	out.AllowTerminalTakeover = s.AllowTerminalTakeover && add.AllowTerminalTakeover
	out.TamperProof = s.TamperProof || add.TamperProof
	out.PrivateTmp = s.PrivateTmp || add.PrivateTmp
	out.Require = min(s.Require, add.Require)
	out.Network = min(s.Network, add.Network)
	switch {
	case s.Network == NetList && add.Network == NetList:
		out.NetworkAllow = common(s.NetworkAllow, add.NetworkAllow)
	case add.Network == NetList:
		out.NetworkAllow = add.NetworkAllow
	}
	out.NetworkReach, out.Registries = s.NetworkReach, s.Registries
	if add.Network == NetList {
		out.NetworkReach = common(s.NetworkReach, add.NetworkAllow)
	}
	if add.Registries != nil {
		out.Registries = common(s.Registries, add.Registries)
	}
	out.NoLocalhost = s.NoLocalhost || add.NoLocalhost
	out.Limits = s.Limits.strictest(add.Limits)
	out.Approval = s.Approval.strictest(add.Approval)
	var notes []string
	if len(add.KeepEnv) > 0 {
		notes = append(notes, "environment.keep has no effect here: this file can only tighten")
	}
	if add.Programs != "" {
		notes = append(notes, "programs has no effect here: this file can only tighten")
	}
	out.Commands = slices.Clone(s.Commands)
	for _, r := range add.Commands {
		if r.Verdict == Allow {
			notes = append(notes, fmt.Sprintf("the rule that allows %q has no effect here: this file can only tighten", r.Program))
			continue
		}
		out.Commands = append(out.Commands, r)
	}
	out.Paths = slices.Clone(s.Paths)
	for _, r := range add.Paths {
		if r.Verdict == Allow {
			notes = append(notes, fmt.Sprintf("the rule that allows %q has no effect here: this file can only tighten", r.Path))
			continue
		}
		out.Paths = append(out.Paths, r)
	}
	out.Hosts = slices.Clone(s.Hosts)
	for _, r := range add.Hosts {
		if r.Verdict == Allow {
			notes = append(notes, fmt.Sprintf("the rule that allows %q has no effect here: this file can only tighten", r.Host))
			continue
		}
		out.Hosts = append(out.Hosts, r)
	}
	return out, notes
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	seen := make(map[string]bool, len(a)+len(b))
	for _, s := range a {
		seen[s] = true
	}
	for _, s := range b {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// common keeps the hosts that both lists allow.
func common(a, b []string) []string {
	var out []string
	for _, pair := range [][2][]string{{a, b}, {b, a}} {
		for _, h := range pair[0] {
			if (slices.Contains(pair[1], h) || coveredBy(h, pair[1])) && !slices.Contains(out, h) {
				out = append(out, h)
			}
		}
	}
	return out
}
