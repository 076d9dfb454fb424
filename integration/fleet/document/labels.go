package document

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Labels are what a machine is: env=ci, team=web.
type Labels map[string]string

// maxLabels is the most labels that a machine, or a selector, has.
const maxLabels = 32

// ParseLabels reads labels: NAME=VALUE, with commas between. "" is none.
func ParseLabels(text string) (Labels, error) {
	l := Labels{}
	if text == "" {
		return l, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		if !ok || checkName(name) != nil || checkName(value) != nil {
			return nil, fmt.Errorf("label %q: it must be NAME=VALUE, each of a-z, A-Z, 0-9, "+
				"\".\", \"@\", \"_\" and \"-\"", part)
		}
		if _, twice := l[name]; twice {
			return nil, fmt.Errorf("label %q is given twice", name)
		}
		l[name] = value
	}
	if len(l) > maxLabels {
		return nil, fmt.Errorf("%d labels; at most %d are possible", len(l), maxLabels)
	}
	return l, nil
}

// String returns the labels in order of their names, as [ParseLabels] reads them.
func (l Labels) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(l)) {
		parts = append(parts, name+"="+l[name])
	}
	return strings.Join(parts, ",")
}

// A Selector selects machines by their labels. The zero Selector selects none.
type Selector struct {
	all    bool
	labels Labels
}

// everyMachine is the selector that is written for all machines.
const everyMachine = "*"

// ParseSelector reads a selector: "*" is every machine, NAME=VALUE,... those that have all of these
// labels.
func ParseSelector(text string) (Selector, error) {
	if text == everyMachine {
		return Selector{all: true}, nil
	}
	l, err := ParseLabels(text)
	if err == nil && len(l) == 0 {
		err = fmt.Errorf("no labels; write \"*\" for all machines")
	}
	return Selector{labels: l}, err
}

// Everywhere selects every machine.
func Everywhere() Selector { return Selector{all: true} }

// String returns the selector as [ParseSelector] reads it; "" for the one that selects none.
func (s Selector) String() string {
	if s.all {
		return everyMachine
	}
	return s.labels.String()
}

// Selects reports whether a machine with these labels is selected.
func (s Selector) Selects(l Labels) bool {
	if s.all {
		return true
	}
	for name, value := range s.labels {
		if have, ok := l[name]; !ok || have != value {
			return false
		}
	}
	return len(s.labels) > 0
}
