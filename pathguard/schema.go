package pathguard

import (
	"net/netip"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tada-run/tada-run/pathguard/hosts"
	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/shellparse/command"
)

// boolean is the form of a key that is true where the field is what it means.
func boolean(means bool, field func(*Settings) *bool) form {
	return form{func(d *decoder, n *yaml.Node) error {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" ||
			n.Value != "true" && n.Value != "false" {
			return d.fail(n, "must be true or false, not %q", shown(n))
		}
		*field(&d.set) = n.Value == "true" == means
		return nil
	}, func(s Settings) any { return *field(&s) == means }, nil}
}

// either is the form of a key that is one word where the field is false, the other where it is
// true.
func either(no, yes string, field func(*Settings) *bool) form {
	return form{choice(func(s *Settings, at int) { *field(s) = at == 1 }, no, yes),
		func(s Settings) any {
			if *field(&s) {
				return yes
			}
			return no
		}, nil}
}

// choice reads one of several words.
func choice(set func(s *Settings, at int), words ...string) func(*decoder, *yaml.Node) error {
	return func(d *decoder, n *yaml.Node) error {
		at, err := d.word(n, words...)
		set(&d.set, at)
		return err
	}
}

func (d *decoder) word(n *yaml.Node, choices ...string) (int, error) {
	at := -1
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" {
		at = slices.Index(choices, n.Value)
	}
	if at < 0 {
		return 0, d.fail(n, "must be %s, not %q", strings.Join(choices, " or "), shown(n))
	}
	return at, nil
}

// list reads a sequence of non-empty words, each through fix.
func (d *decoder) list(n *yaml.Node, fix func(*decoder, *yaml.Node) (string, error)) ([]string,
	error) {
	if isNull(n) {
		return nil, nil
	}
	if n.Kind != yaml.SequenceNode {
		return nil, d.fail(n, "must be a list")
	}
	out := make([]string, 0, len(n.Content))
	for _, item := range n.Content {
		text, err := d.text(item)
		if err == nil && fix != nil {
			text, err = fix(d, item)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

func (d *decoder) text(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || n.Value == "" ||
		strings.ContainsRune(n.Value, 0) {
		return "", d.fail(n, "must be a word, not %q", shown(n))
	}
	return n.Value, nil
}

// listForm is the form of a list of words, each through fix.
func listForm(fix func(*decoder, *yaml.Node) (string, error),
	field func(*Settings) *[]string) form {
	return form{func(d *decoder, n *yaml.Node) (err error) {
		*field(&d.set), err = d.list(n, fix)
		return err
	}, func(s Settings) any { return list(*field(&s)) }, nil}
}

// readReachable reads network.allow.
func readReachable(d *decoder, n *yaml.Node) (err error) {
	d.set.NetworkAllow, err = d.list(n, (*decoder).reachable)
	d.set.NetworkReach = d.set.NetworkAllow
	return err
}

// reachable reads what the sandbox may let through: a host, or addresses, and a port.
func (d *decoder) reachable(n *yaml.Node) (string, error) {
	text := strings.ToLower(n.Value)
	host, port := hosts.Cut(text)
	if _, err := netip.ParsePrefix(host); err == nil {
		return text, nil
	}
	if addr, err := netip.ParseAddr(host); err == nil && addr.Zone() == "" {
		return text, nil
	}
	name := strings.TrimPrefix(strings.TrimSuffix(host, "."), "*.")
	bad := port == 0 && strings.Contains(text, ":") || port < 0 || port > 65535 || len(name) > 253
	for label := range strings.SplitSeq(name, ".") {
		bad = bad || label == "" || len(label) > 63 ||
			strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != ""
	}
	if bad {
		return "", d.fail(n, "host %q must be a name, *. and a name, or an address, and may have "+
			"a :PORT", n.Value)
	}
	return text, nil
}

func (d *decoder) registry(n *yaml.Node) (string, error) {
	known := hosts.Names()
	if !slices.Contains(known, n.Value) {
		return "", d.fail(n, "registry %q must be one of %s", n.Value, strings.Join(known, ", "))
	}
	return n.Value, nil
}

// path reads the path of a rule: absolute, from the home directory, or at any depth. A relative one
// has a meaning only in a workspace.
func (d *decoder) path(n *yaml.Node) (string, error) {
	text := n.Value
	switch {
	case strings.HasPrefix(text, "/"), text == "~", strings.HasPrefix(text, "~/"):
	case strings.HasPrefix(text, "**/"):
		return "**/" + strings.TrimPrefix(path.Clean("/"+text[3:]), "/"), nil
	case d.file.Layer == WorkspaceLayer && d.file.Root != "":
		text = d.file.Root + "/" + text
	default:
		return "", d.fail(n, "path %q must start with /, ~/ or **/", text)
	}
	if _, err := pathname.Compile(text); err != nil {
		return "", d.fail(n, "path %q is not a pattern: %v", text, err)
	}
	if rest, ok := strings.CutPrefix(text, "~"); ok {
		return strings.TrimSuffix("~"+path.Clean("/"+rest), "/"), nil
	}
	return path.Clean(text), nil
}

func (d *decoder) host(n *yaml.Node) (string, error) {
	text := strings.ToLower(n.Value)
	name := strings.TrimPrefix(text, "*.")
	if name == "" || strings.ContainsAny(name, "/*?@ :") && !strings.HasPrefix(name, "[") {
		return "", d.fail(n, "host %q must be a name, or *. and a name", n.Value)
	}
	return text, nil
}

// rules reads a list of rules, whose fields are the keys below where. Every rule needs a verdict
// and what it is about.
func (d *decoder) rules(n *yaml.Node, where, needs string, done func() (complete bool)) error {
	if isNull(n) {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		return d.fail(n, "%s must be a list", where)
	}
	for _, item := range n.Content {
		d.ruleState = ruleState{}
		if err := d.mapping(item, where+"[]"); err != nil {
			return err
		}
		switch {
		case d.given && d.verdict != Allow && d.commandRule.Answers != nil:
			return d.fail(item, "answers is only for a rule that allows")
		case d.commandRule.Options != nil && !d.commandRule.Exact:
			return d.fail(item, "options needs exact: true; for a rule about some options: flags")
		}
		if !d.given || !done() {
			what, isRule := strings.CutPrefix(where, "rules.")
			if what = "a rule for " + what; !isRule {
				what = "a case"
			}
			return d.fail(item, "%s needs %s and verdict", what, needs)
		}
		d.lines[where] = append(d.lines[where], item.Line)
		d.allows[where] = append(d.allows[where], d.verdict == Allow)
	}
	return nil
}

func readVerdict(d *decoder, n *yaml.Node) error {
	at, err := d.word(n, decisionNames[:]...)
	d.ruleState.verdict, d.given = Decision(at), true
	return err
}

func stringField(fix func(*decoder, *yaml.Node) (string, error),
	to func(*decoder) *string) form {
	return form{read: func(d *decoder, n *yaml.Node) error {
		text, err := d.text(n)
		if err == nil && fix != nil {
			text, err = fix(d, n)
		}
		*to(d) = text
		return err
	}}
}

// says is the field for the message of a rule.
func (d *decoder) says() *string { return &d.message }

func listField(to func(*decoder) *[]string) form {
	return form{read: func(d *decoder, n *yaml.Node) (err error) {
		*to(d), err = d.list(n, nil)
		return err
	}}
}

func readCommands(d *decoder, n *yaml.Node) error {
	return d.rules(n, "rules.commands", "program", func() bool {
		r := d.commandRule
		r.Verdict, r.Message = d.ruleState.verdict, d.message
		d.set.Commands = append(d.set.Commands, r)
		return r.Program != ""
	})
}

func readExact(d *decoder, n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		return d.fail(n, "must be true or false, not %q", shown(n))
	}
	d.commandRule.Exact = n.Value == "true"
	return nil
}

// readAnswers reads the questions that a rule answers, by the rules that ask them.
func readAnswers(d *decoder, n *yaml.Node) (err error) {
	d.commandRule.Answers, err = d.list(n, func(d *decoder, n *yaml.Node) (string, error) {
		_, known := ruleTextOf(n.Value)
		if _, hazard := command.LookupHazard(n.Value); !known && !hazard {
			return "", d.fail(n, "no rule is called %q; see: tadactl policy explain COMMAND",
				shown(n))
		}
		return n.Value, nil
	})
	return err
}

func readPaths(d *decoder, n *yaml.Node) error {
	return d.rules(n, "rules.paths", "path", func() bool {
		r := d.pathRule
		r.Verdict, r.Message = d.ruleState.verdict, d.message
		d.set.Paths = append(d.set.Paths, r)
		return r.Path != ""
	})
}

func readHosts(d *decoder, n *yaml.Node) error {
	return d.rules(n, "rules.hosts", "host", func() bool {
		r := d.hostRule
		r.Verdict, r.Message = d.ruleState.verdict, d.message
		d.set.Hosts = append(d.set.Hosts, r)
		return r.Host != ""
	})
}

// A rightWord is a word of rules.paths[].access.
type rightWord struct {
	word  string
	right command.Right
}

var rightWords = []rightWord{{"read", command.Read}, {"write", command.Write},
	{"delete", command.Delete}, {"execute", command.Exec}}

func readAccess(d *decoder, n *yaml.Node) error {
	words, err := d.list(n, nil)
	for _, w := range words {
		at := slices.IndexFunc(rightWords, func(x rightWord) bool { return x.word == w })
		if at < 0 {
			return d.fail(n, "access must be read, write, delete or execute, not %q", w)
		}
		d.pathRule.Rights = append(d.pathRule.Rights, rightWords[at].right)
	}
	return err
}

// shown is a node as an error message quotes it.
func shown(n *yaml.Node) string {
	switch n.Kind {
	case yaml.ScalarNode:
		return n.Value
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return "an alias"
}
