package pathguard

import (
	"reflect"
	"slices"
)

// Both returns a policy that allows what both do: the stricter of their verdicts, or a stricter
// one, in the narrower of their sandboxes: what is asked about only because the network is open
// need not be asked about where it is not. A program that they know differently is denied.
func (p Policy) Both(q Policy) (Policy, error) {
	set := p.common(&q, "the configuration before knows this program differently")
	set.Expect = p.set.Expect
	if !reflect.DeepEqual(p.set.Undo, q.set.Undo) {
		set.Undo.AsksAnyway = true
	}
	both, err := compile(p.account, set, p.notes)
	both.provenance = p.provenance
	both.floored = p.floored || q.floored
	return both, err
}

// common is what both policies allow. Programs that they know differently are denied, with a
// message.
func (p *Policy) common(q *Policy, differing string) Settings {
	set, _ := p.set.strictest(q.set)
	set.Commands = inBoth(set.Commands, q.set.Commands,
		func(r CommandRule) bool { return r.Verdict == Allow })
	set.Paths = inBoth(set.Paths, q.set.Paths,
		func(r PathRule) bool { return r.Verdict == Allow })
	set.Hosts = inBoth(set.Hosts, q.set.Hosts,
		func(r HostRule) bool { return r.Verdict == Allow })
	any := func(string) bool { return true }
	set.KeepEnv = inBoth(p.set.KeepEnv, q.set.KeepEnv, any)
	set.Tools = inBoth(p.set.Tools, q.set.Tools, any)
	set.NetworkReach = common(p.set.NetworkReach, q.set.NetworkReach)
	set.Registries = common(p.set.Registries, q.set.Registries)
	for _, name := range p.programs.Differing(q.programs) {
		set.Commands = append(set.Commands, CommandRule{Program: name, Verdict: Deny,
			Message: differing})
	}
	return set
}

// inBoth is list without what loosens and is not in other.
func inBoth[R any](list, other []R, loosens func(R) bool) []R {
	return slices.DeleteFunc(slices.Clone(list), func(r R) bool {
		return loosens(r) && !slices.ContainsFunc(other,
			func(o R) bool { return reflect.DeepEqual(r, o) })
	})
}
