package pathguard

import (
	"reflect"
	"slices"
)

// LoadUnder is [Load] for a machine of a fleet. No file can loosen what its bundles say but the
// floor of root, which stands above them. Each bundle alone would stand where the first file does;
// of several, the strictest holds: what one of them allows, all must allow.
func LoadUnder(a Account, bundles []ConfigFile, files ...ConfigFile) (Policy, error) {
	isFloor := func(f ConfigFile) bool { return f.Layer == FloorLayer }
	above := slices.DeleteFunc(slices.Clone(files), func(f ConfigFile) bool { return !isFloor(f) })
	var all Policy
	for i, b := range bundles {
		p, err := Load(a, append(slices.Clip(above), b)...)
		if err != nil {
			return Policy{}, err
		}
		if i == 0 {
			all = p
		} else if all, err = all.beside(&p); err != nil {
			return Policy{}, &ConfigError{File: b.Path, Msg: "cannot be used", Err: err}
		}
	}
	return all.Tighten(slices.DeleteFunc(slices.Clone(files), isFloor)...)
}

// beside returns what holds where the bundles of both policies are in force.
func (p *Policy) beside(q *Policy) (Policy, error) {
	set := p.common(q, "the bundles of the fleet know this program differently")
	set.Undo = p.set.Undo.least(q.set.Undo)
	set.Lowered = set.Lowered.strictest(p.set.Limits.unsetIn(q.set.Limits))
	both, err := compile(p.account, set, union(p.notes, q.notes))
	both.provenance = provenance{sources: map[string][]Source{}, floored: true}
	for _, k := range keys() {
		of, other := p.sources[k.Name], q.sources[k.Name]
		if len(of) == 0 && len(other) == 0 || k.value == nil {
			continue
		}
		first, second, now := k.value(p.set), k.value(q.set), k.value(set)
		switch {
		case k.isRules():
			of = sourcesOf(now, first, second, of, other)
		case k.isList(), reflect.DeepEqual(first, second):
			of = slices.Concat(of, other)
		case !reflect.DeepEqual(now, first):
			of = other
		}
		both.sources[k.Name] = of
	}
	return both, err
}

// sourcesOf returns where the rules are written that are left of two lists of rules.
func sourcesOf(left, first, second any, of, other []Source) (list []Source) {
	all := append(slices.Clip(first.([]any)), second.([]any)...)
	from := append(slices.Clip(of), other...)
	i := 0
	for _, r := range left.([]any) {
		for i < len(all) && !reflect.DeepEqual(all[i], r) {
			i++
		}
		if i < min(len(all), len(from)) {
			list = append(list, from[i])
		}
		i++
	}
	return list
}

// least is what is kept of changes where both u and v hold.
func (u Undo) least(v Undo) Undo {
	u.Except, u.AsksAnyway = union(u.Except, v.Except), u.AsksAnyway || v.AsksAnyway
	is, other := u.inForce(), v.inForce()
	if other.Keep > is.Keep {
		u.Keep = v.Keep
	}
	if other.Quota < is.Quota {
		u.Quota = v.Quota
	}
	if other.File < is.File {
		u.File = v.File
	}
	return u
}
