package pathguard

import (
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A merger joins files, one after the other.
type merger struct {
	set     Settings
	notes   []string
	sources map[string][]Source
	changed bool // a file was there
	based   bool // a trusted one was
	floored bool // and that was a floor
}

func (m *merger) policy(a Account, files []ConfigFile) (Policy, error) {
	p, err := compile(a, m.set, m.notes)
	if err != nil {
		return Policy{}, &ConfigError{File: lastPath(files), Msg: "cannot be used", Err: err}
	}
	p.sources, p.floored = m.sources, m.floored
	return p, nil
}

// add joins one file. As the base it replaces what is built in; else it can only tighten.
func (m *merger) add(f ConfigFile, uid int, base bool) error {
	text, err := f.read(uid)
	if err != nil || text == nil {
		return err
	}
	m.changed = true
	if !base {
		return m.tighten(f, text)
	}
	d, err := parse(f, text, m.set)
	if err != nil {
		return err
	}
	if f.Layer == FleetLayer {
		d = d.ofFleet(m.set)
	}
	m.set, m.based, m.floored = d.set, true, f.Layer >= FleetLayer
	for name, lines := range d.lines {
		m.sources[name] = d.sources(lines)
	}
	return nil
}

func (m *merger) tighten(f ConfigFile, text []byte) error {
	blank := m.set
	blank.RestrictedPaths, blank.ReadOnlyPaths, blank.Protect = nil, nil, nil
	blank.Commands, blank.Paths, blank.Hosts, blank.Programs = nil, nil, nil, ""
	blank.KeepEnv, blank.Tools, blank.Limits = nil, nil, Limits{}
	blank.Approval.Notify, blank.Expect = nil, nil
	d, err := parse(f, text, blank)
	if err != nil {
		return err
	}
	if f.Layer == FleetLayer {
		d = d.ofFleet(blank)
	}
	accepted := f.Accepted && !m.floored
	out, notes := m.set.joined(d.set, accepted)
	for _, n := range notes {
		m.notes = append(m.notes, f.Path+": "+n)
	}
	m.trace(d, out, accepted)
	m.set = out
	return nil
}

func lastPath(files []ConfigFile) string {
	if len(files) == 0 {
		return ""
	}
	return files[len(files)-1].Path
}

func (d *decoder) sources(lines []int) []Source {
	out := make([]Source, len(lines))
	for i, line := range lines {
		out[i] = Source{d.file.Path, line}
	}
	return out
}

// ofFleet is what counts of a bundle: its cases were judged before it was signed, and it starts no
// program.
func (d *decoder) ofFleet(start Settings) *decoder {
	d.set.Expect, d.set.Approval.Notify = start.Expect, start.Approval.Notify
	delete(d.lines, "expect")
	delete(d.lines, "notify")
	return d
}

// trace notes for every key of a file that was joined whether it took part in the value. A scalar
// has one source, the file that decided; a list has all; a list of rules has one for each rule.
func (m *merger) trace(d *decoder, out Settings, accepted bool) {
	for i := range d.keys {
		k := &d.keys[i]
		lines := d.lines[k.Name]
		if len(lines) == 0 || k.value == nil {
			continue
		}
		before, after := k.value(m.set), k.value(out)
		switch more := d.sources(lines); {
		case k.isRules():
			counted := slices.Clip(m.sources[k.Name])
			for i, allows := range d.allows[k.Name] {
				if !allows || accepted {
					counted = append(counted, more[i])
				}
			}
			m.sources[k.Name] = counted
		case reflect.DeepEqual(before, after):
		case strings.HasPrefix(k.Type, "list"):
			m.sources[k.Name] = append(slices.Clip(m.sources[k.Name]), more...)
		default:
			m.sources[k.Name] = more
		}
	}
}

// parse reads a configuration over the values that it starts from.
func parse(f ConfigFile, text []byte, start Settings) (*decoder, error) {
	d := &decoder{file: f, set: start, keys: keys(), lines: map[string][]int{},
		allows: map[string][]bool{}}
	d.set.Commands, d.set.Paths = slices.Clip(start.Commands), slices.Clip(start.Paths)
	d.set.Hosts, d.set.Expect = slices.Clip(start.Hosts), slices.Clip(start.Expect)
	dec := yaml.NewDecoder(strings.NewReader(string(text)))
	var doc, more yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return d, nil
	case err != nil:
		return d, d.syntax(err)
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		if err != nil {
			return d, d.syntax(err)
		}
		return d, d.fail(&more, "a second document")
	}
	if len(doc.Content) == 0 || isNull(doc.Content[0]) {
		return d, nil
	}
	return d, d.mapping(doc.Content[0], "")
}
