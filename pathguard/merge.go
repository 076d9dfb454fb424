package pathguard

import (
	"fmt"
	"slices"

	"github.com/tada-run/tada-run/pathguard/hosts"
)

// strictest joins two sets of values so that the result permits nothing that either of them
// does not: lists of what is forbidden are joined, what is allowed must be allowed by both,
// and a rule that allows is taken from the first alone. The notes name what was left out.
func (s Settings) strictest(add Settings) (Settings, []string) { return s.joined(add, false) }

// joined is strictest, but for rules that allow if a person has accepted them.
func (s Settings) joined(add Settings, accepted bool) (Settings, []string) {
	out := s
	out.Level = Level{Always: s.Level.Always || add.Level.Always, Never: s.Level.Never ||
		add.Level.Never}
	out.RestrictedPaths = union(s.RestrictedPaths, add.RestrictedPaths)
	out.ReadOnlyPaths = union(s.ReadOnlyPaths, add.ReadOnlyPaths)
	out.Protect = union(s.Protect, add.Protect)
	out.AllowShell = s.AllowShell && add.AllowShell
	out.AllowTerminalTakeover = s.AllowTerminalTakeover && add.AllowTerminalTakeover
	out.TamperProof = s.TamperProof || add.TamperProof
	out.PrivateTmp = s.PrivateTmp || add.PrivateTmp
	out.KeepBackground = s.KeepBackground && add.KeepBackground
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
	out.Limits, out.Lowered = s.Limits.strictest(add.Limits),
		s.Lowered.strictest(add.Limits.unsetIn(s.Limits.unsetIn(s.Lowered)))
	out.Approval = s.Approval.strictest(add.Approval)
	var notes []string
	if len(add.KeepEnv) > 0 {
		notes = append(notes, "environment.keep has no effect here: this file can only tighten")
	}
	if len(add.Tools) > 0 {
		notes = append(notes, "tools.allow has no effect here: this file can only tighten")
	}
	if len(add.Approval.Notify) > 0 {
		notes = append(notes, "notify has no effect here: this file can only tighten")
	}
	if add.KeepBackground && !s.KeepBackground {
		notes = append(notes, "background: keep has no effect here: this file can only tighten")
	}
	out.Expect = slices.Concat(s.Expect, add.Expect)
	out.Undo.AsksAnyway = s.Undo.AsksAnyway || add.Undo.AsksAnyway
	if u := add.Undo; u.Keep != 0 || u.Quota != 0 || u.File != 0 || u.Except != nil {
		notes = append(notes, "undo has no effect here but for replaces_approval: false: "+
			"this file can only tighten")
	}
	if add.Transcripts != 0 {
		notes = append(notes, "record.quota has no effect here: this file can only tighten")
	}
	if add.Programs != "" {
		notes = append(notes, "programs has no effect here: this file can only tighten")
	}
	out.Commands = tightened(s.Commands, add.Commands, accepted, &notes,
		func(r CommandRule) (Decision, string) { return r.Verdict, r.Program })
	out.Paths = tightened(s.Paths, add.Paths, accepted, &notes,
		func(r PathRule) (Decision, string) { return r.Verdict, r.Path })
	out.Hosts = tightened(s.Hosts, add.Hosts, accepted, &notes,
		func(r HostRule) (Decision, string) { return r.Verdict, r.Host })
	return out, notes
}

// tightened is rules with those of add that allow nothing, or are accepted.
func tightened[R any](rules, add []R, accepted bool, notes *[]string,
	of func(R) (Decision, string)) []R {
	out := slices.Clone(rules)
	for _, r := range add {
		verdict, name := of(r)
		if verdict == Allow && !accepted {
			*notes = append(*notes,
				fmt.Sprintf("the rule that allows %q has no effect here: this file can "+
					"only tighten", name))
			continue
		}
		out = append(out, r)
	}
	return out
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
			if (slices.Contains(pair[1], h) || hosts.CoveredBy(h, pair[1])) &&
				!slices.Contains(out, h) {
				out = append(out, h)
			}
		}
	}
	return out
}
