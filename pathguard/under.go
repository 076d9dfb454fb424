package pathguard

import (
	"maps"
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
		} else if all, err = all.beside(p); err != nil {
			return Policy{}, &ConfigError{File: b.Path, Msg: "cannot be used", Err: err}
		}
	}
	return all.Tighten(slices.DeleteFunc(slices.Clone(files), isFloor)...)
}

// ofFleet is what counts of a bundle: its cases were judged before it was signed, and it starts no
// program.
func (d *decoder) ofFleet(start Settings) *decoder {
	d.set.Expect, d.set.Approval.Notify = start.Expect, start.Approval.Notify
	delete(d.lines, "expect")
	delete(d.lines, "notify")
	return d
}

// beside returns what holds where the bundles of both policies are in force.
func (p Policy) beside(q Policy) (Policy, error) {
	set := p.common(q, "the bundles of the fleet know this program differently")
	set.Undo = p.set.Undo.least(q.set.Undo)
	set.Lowered = set.Lowered.strictest(p.set.Limits.unsetIn(q.set.Limits))
	both, err := compile(p.account, set, union(p.notes, q.notes))
	both.provenance = provenance{sources: map[string][]Source{}, floored: true}
	for _, k := range keys() {
		switch {
		case k.value == nil:
		case k.isRules():
			both.sources[k.Name] = nil // below, each by its own
		case reflect.DeepEqual(k.value(p.set), k.value(q.set)), k.isList():
			both.sources[k.Name] = slices.Concat(p.sources[k.Name], q.sources[k.Name])
		case reflect.DeepEqual(k.value(set), k.value(p.set)):
			both.sources[k.Name] = p.sources[k.Name]
		default:
			both.sources[k.Name] = q.sources[k.Name]
		}
	}
	known := q.ruleSources()
	maps.Copy(known, p.ruleSources())
	for _, r := range both.Rules() {
		both.sources[r.Key] = append(both.sources[r.Key], known[r.Way])
	}
	return both, err
}

// ruleSources returns where each rule of the configuration is written.
func (p Policy) ruleSources() map[Way]Source {
	found, count := map[Way]Source{}, map[string]int{}
	for _, r := range p.Rules() {
		if from := p.sources[r.Key]; count[r.Key] < len(from) {
			found[r.Way] = from[count[r.Key]]
		}
		count[r.Key]++
	}
	return found
}
