package pathguard

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A ruleState is the rule that is being read.
type ruleState struct {
	commandRule CommandRule
	pathRule    PathRule
	hostRule    HostRule
	expected    Case
	verdict     Decision
	given       bool // the verdict was
	message     string
}

// A Key is one key of the configuration. The parser, `policy init`, `policy show` and
// tada-config(5) have no other list of keys than [Keys].
type Key struct {
	Name    string // with its sections: security.protect; a field of a rule is rules.paths[].access
	Type    string
	Values  string // what may be written; "" when Type says it
	Default string // as it is written; "" for a field that must be given or may be left out
	About   string // what it does
	Since   string // the version that knew it first
	Example string // a value that is not the default, as it is written

	form
}

// A form is how a key is read, and shown.
type form struct {
	read  func(*decoder, *yaml.Node) error
	value func(Settings) any   // what is in force; nil for the field of a rule
	limit func(*Limits) *int64 // of a key of limits, which has its form by its type
}

// list is a list as it is shown: an empty one is [], not null.
func list(words []string) []string { return append([]string{}, words...) }

// Unit is what a value of this type counts; "" for what has none.
func (k Key) Unit() string { return units[k.Type] }

var units = map[string]string{"size": "bytes", "duration": "s, m or h, as a suffix"}

// IsField reports whether k is the field of a rule.
func (k Key) IsField() bool { return strings.Contains(k.Name, "[]") }

// isRules reports whether k is a list of rules.
func (k Key) isRules() bool { return k.Type == "list of rules" }

// isList reports whether k is a list of words.
func (k Key) isList() bool { return strings.HasPrefix(k.Type, "list") && !k.isRules() }

// Section is the name of the section that contains k, "" at the top.
func (k Key) Section() string {
	section, _ := cutLast(k.Name)
	return section
}

// cutLast parts the last name of a key from its section.
func cutLast(name string) (section, last string) {
	at := strings.LastIndexByte(name, '.')
	return name[:max(at, 0)], name[at+1:]
}

const (
	first    = "0.1"
	verdicts = "deny, ask, allow"
)

type decoder struct {
	file   ConfigFile
	set    Settings
	keys   []Key             // the keys that there are
	lines  map[string][]int  // where a key is; of a list of rules, where each rule is
	allows map[string][]bool // of a list of rules, which of them allow
	ruleState
}

func (d *decoder) fail(n *yaml.Node, format string, args ...any) error {
	return &ConfigError{File: d.file.Path, Line: n.Line, Msg: fmt.Sprintf(format, args...)}
}

// syntax takes the line out of what the parser says: "yaml: line 3: did not find ...".
func (d *decoder) syntax(err error) error {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	e := &ConfigError{File: d.file.Path, Msg: msg}
	before, rest, ok := strings.Cut(msg, "line ")
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if line, err := strconv.Atoi(rest[:digits]); ok && err == nil {
		e.Line, e.Msg = line, before+strings.TrimPrefix(strings.TrimPrefix(rest[digits:], ":"), " ")
	}
	if strings.Contains(e.Msg, "cannot start any token") {
		// a tab, nearly always, or @ or a backquote
		e.Msg += "; indent with spaces, and quote what begins with @ or `"
	}
	return e
}

// mapping reads the mapping of the section where, each key at most once.
func (d *decoder) mapping(n *yaml.Node, where string) error {
	if n.Kind != yaml.MappingNode {
		return d.fail(n, "%s must be a mapping", cmp.Or(spoken(where), "the configuration"))
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i]
		if name.Kind != yaml.ScalarNode || name.ShortTag() != "!!str" {
			return d.fail(name, "a key must be a plain word")
		}
		if seen[name.Value] {
			return d.fail(name, "duplicate key %q%s", name.Value, in(where))
		}
		seen[name.Value] = true
		if err := d.key(name, n.Content[i+1], where); err != nil {
			return named(err, spoken(where), name.Value)
		}
	}
	return nil
}

// key reads one key of a mapping: a section, or a value.
func (d *decoder) key(name, value *yaml.Node, where string) error {
	full := strings.TrimPrefix(where+"."+name.Value, ".")
	for i := range d.keys {
		k := &d.keys[i]
		switch {
		case k.Name == full:
			if d.lines[full] == nil && !k.IsField() && !k.isRules() {
				d.lines[full] = []int{name.Line}
			}
			return k.read(d, value)
		case strings.HasPrefix(k.Name, full+".") && isNull(value):
			return nil
		case strings.HasPrefix(k.Name, full+"."):
			return d.mapping(value, full)
		}
	}
	return d.fail(name, "unknown key %q%s%s known: %s", name.Value, in(where), d.nearest(full),
		strings.Join(d.known(where), ", "))
}

// named says which key it is that "must be" something else.
func named(err error, where, name string) error {
	if e := (*ConfigError)(nil); errors.As(err, &e) && strings.HasPrefix(e.Msg, "must be ") {
		e.Msg = strings.TrimPrefix(where+".", ".") + name + " " + e.Msg
	}
	return err
}

func in(where string) string {
	if where == "" {
		return ""
	}
	return " in " + spoken(where)
}

// spoken is a section as a message names it.
func spoken(where string) string { return strings.TrimSuffix(where, "[]") }

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// known are the names that a section may hold.
func (d *decoder) known(where string) []string {
	var names []string
	for _, k := range d.keys {
		rest, ok := strings.CutPrefix(k.Name, where)
		if where != "" && ok {
			rest, ok = strings.CutPrefix(rest, ".")
		}
		name, _, _ := strings.Cut(rest, ".")
		if ok && !strings.Contains(name, "[]") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// nearest is a hint at the key that may have been meant: the nearest name of the same section, or a
// key of another section that has this name or a near one; only a semicolon when nothing is near.
func (d *decoder) nearest(full string) string {
	where, name := cutLast(full)
	if instead := foreign[strings.ToLower(name)]; instead != "" {
		return ": " + instead + ";"
	}
	best, least := "", limitOf(name)
	try := func(candidate, word string) {
		if n := apart(name, word); n < least {
			best, least = candidate, n
		}
	}
	for _, word := range d.known(where) {
		try(word, word)
	}
	for _, k := range d.keys {
		if _, last := cutLast(k.Name); !k.IsField() && k.Section() != where {
			try(k.Name, last) // a tie goes to the same section
		}
	}
	if best == "" {
		return ";"
	}
	return "; did you mean " + best + "?"
}

// foreign are keys that designs and other programs have, and that this configuration does not: with
// what to use.
var foreign = map[string]string{
	"nonce_retention_period": "answered questions are kept for 7 days, longer than any question " +
		"is valid; this cannot be set",
	"skew_margin":  "times are compared on one machine; this cannot be set",
	"approval_ttl": "a question expires after an hour; set APPROVAL_TTL_SECONDS for less",
	"approval_ttl_seconds": "a question expires after an hour; set the variable " +
		"APPROVAL_TTL_SECONDS for less",
	"audit_log_path":    "the record is always in the state directory: audit/log.jsonl",
	"approval_key_path": "keys are in the state directory; see tadactl key",
}

// ForeignKeys returns keys that are refused with a sentence that says what to use instead.
func ForeignKeys() map[string]string { return maps.Clone(foreign) }
