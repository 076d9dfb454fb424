package pathguard

import (
	"maps"
	"net/netip"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tada-run/tada-run/shellparse/command"
)

// The keys of config.yaml. The names of the source document are kept.
var (
	sections = []key{
		{"security", section("security", securityKeys)},
		{"network", section("network", networkKeys)},
		{"sandbox", section("sandbox", sandboxKeys)},
		{"environment", section("environment", environmentKeys)},
		{"limits", section("limits", limitsKeys)},
		{"approval", section("approval", approvalKeys)},
		{"rules", section("rules", rulesKeys)},
		{"programs", readPrograms},
		{"private_tmp", boolean(func(s *Settings) *bool { return &s.PrivateTmp })},
		{"ai", func(*decoder, *yaml.Node) error { return nil }}, // another program's section of the shared file
	}
	securityKeys = []key{
		{"command_level", readLevel},
		{"restricted_paths", paths(func(s *Settings) *[]string { return &s.RestrictedPaths })},
		{"readonly_paths", paths(func(s *Settings) *[]string { return &s.ReadOnlyPaths })},
		{"allow_shell", boolean(func(s *Settings) *bool { return &s.AllowShell })},
		{"allow_terminal_takeover", boolean(func(s *Settings) *bool { return &s.AllowTerminalTakeover })},
		{"tamper_proof", boolean(func(s *Settings) *bool { return &s.TamperProof })},
		{"protect", wordList(func(s *Settings) *[]string { return &s.Protect })},
	}
	networkKeys = []key{
		{"default", readNetMode},
		{"allow", readReachable},
		{"localhost", func(d *decoder, n *yaml.Node) error {
			local := true
			err := boolean(func(*Settings) *bool { return &local })(d, n)
			d.set.NoLocalhost = !local
			return err
		}},
		{"registries", readRegistries},
	}
	sandboxKeys = []key{{"require", readRequire}}
	rulesKeys   = []key{{"commands", readCommands}, {"paths", readPaths}, {"hosts", readHosts}}
)

func section(name string, keys []key) func(*decoder, *yaml.Node) error {
	return func(d *decoder, n *yaml.Node) error {
		if isNull(n) {
			return nil
		}
		return d.mapping(n, name, keys)
	}
}

func boolean(field func(*Settings) *bool) func(*decoder, *yaml.Node) error {
	return func(d *decoder, n *yaml.Node) error {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" || n.Value != "true" && n.Value != "false" {
			return d.fail(n, "must be true or false, not %q", shown(n))
		}
		*field(&d.set) = n.Value == "true"
		return nil
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

func readLevel(d *decoder, n *yaml.Node) error {
	at, err := d.word(n, "always", "dangerous", "never")
	d.set.Level = Level{Always: at == 0, Never: at == 2}
	return err
}

func readNetMode(d *decoder, n *yaml.Node) error {
	at, err := d.word(n, netModes[:]...)
	d.set.Network = NetMode(at)
	return err
}

func readRequire(d *decoder, n *yaml.Node) error {
	at, err := d.word(n, Strong.String(), Base.String())
	d.set.Require = Require(at)
	return err
}

// list reads a sequence of non-empty words, each through fix.
func (d *decoder) list(n *yaml.Node, fix func(*yaml.Node) (string, error)) ([]string, error) {
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
			text, err = fix(item)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

func (d *decoder) text(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || n.Value == "" || strings.ContainsRune(n.Value, 0) {
		return "", d.fail(n, "must be a word, not %q", shown(n))
	}
	return n.Value, nil
}

func wordList(field func(*Settings) *[]string) func(*decoder, *yaml.Node) error {
	return func(d *decoder, n *yaml.Node) (err error) {
		*field(&d.set), err = d.list(n, nil)
		return err
	}
}

func paths(field func(*Settings) *[]string) func(*decoder, *yaml.Node) error {
	return func(d *decoder, n *yaml.Node) (err error) {
		*field(&d.set), err = d.list(n, d.path)
		return err
	}
}

// readReachable reads network.allow.
func readReachable(d *decoder, n *yaml.Node) (err error) {
	d.set.NetworkAllow, err = d.list(n, d.reachable)
	d.set.NetworkReach = d.set.NetworkAllow
	return err
}

// reachable reads whom the fence may let through: a host, or addresses, and a port.
func (d *decoder) reachable(n *yaml.Node) (string, error) {
	text := strings.ToLower(n.Value)
	host, port := cutPort(text)
	if _, err := netip.ParsePrefix(host); err == nil {
		return text, nil
	}
	if addr, err := netip.ParseAddr(host); err == nil && addr.Zone() == "" {
		return text, nil
	}
	name := strings.TrimPrefix(strings.TrimSuffix(host, "."), "*.")
	bad := port == 0 && strings.Contains(text, ":") || port < 0 || port > 65535 || len(name) > 253
	for label := range strings.SplitSeq(name, ".") {
		bad = bad || label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != ""
	}
	if bad {
		return "", d.fail(n, "host %q must be a name, *. and a name, or an address, and may have a :PORT", n.Value)
	}
	return text, nil
}

func readRegistries(d *decoder, n *yaml.Node) (err error) {
	known := slices.Sorted(maps.Keys(registries))
	d.set.Registries, err = d.list(n, func(item *yaml.Node) (string, error) {
		if !slices.Contains(known, item.Value) {
			return "", d.fail(item, "registry %q must be one of %s", item.Value, strings.Join(known, ", "))
		}
		return item.Value, nil
	})
	return err
}

// path reads a path that a rule stands under: absolute, from the home directory, or at any
// depth. A relative one has a meaning only in a workspace.
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
	if _, err := newWild(text); err != nil {
		return "", d.fail(n, "path %q is no pattern: %v", text, err)
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

// rule reads one mapping of a list of rules. Every rule needs a verdict.
func (d *decoder) rules(n *yaml.Node, where string, keys []key, done func(*yaml.Node) error) error {
	if isNull(n) {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		return d.fail(n, "%s must be a list", where)
	}
	for _, item := range n.Content {
		if err := d.mapping(item, where, keys); err != nil {
			return err
		}
		if err := done(item); err != nil {
			return err
		}
	}
	return nil
}

func verdict(to *Decision, given *bool) func(*decoder, *yaml.Node) error {
	return func(d *decoder, n *yaml.Node) error {
		at, err := d.word(n, decisionNames[:]...)
		*to, *given = Decision(at), true
		return err
	}
}

func stringKey(to *string, fix func(*decoder, *yaml.Node) (string, error)) func(*decoder, *yaml.Node) error {
	return func(d *decoder, n *yaml.Node) (err error) {
		if *to, err = d.text(n); err == nil && fix != nil {
			*to, err = fix(d, n)
		}
		return err
	}
}

func listKey(to *[]string) func(*decoder, *yaml.Node) error {
	return func(d *decoder, n *yaml.Node) (err error) {
		*to, err = d.list(n, nil)
		return err
	}
}

func readCommands(d *decoder, n *yaml.Node) error {
	var r CommandRule
	var given bool
	keys := []key{{"program", stringKey(&r.Program, nil)}, {"args", listKey(&r.Args)}, {"flags", listKey(&r.Flags)},
		{"verdict", verdict(&r.Verdict, &given)}, {"message", stringKey(&r.Message, nil)}}
	return d.rules(n, "rules.commands", keys, func(item *yaml.Node) error {
		if r.Program == "" || !given {
			return d.fail(item, "a rule for commands needs program and verdict")
		}
		d.set.Commands = append(slices.Clip(d.set.Commands), r)
		r, given = CommandRule{}, false
		return nil
	})
}

// rightWords are the words of rules.paths.access.
var rightWords = []struct {
	word  string
	right command.Right
}{{"read", command.Read}, {"write", command.Write}, {"delete", command.Delete}, {"execute", command.Exec}}

func readPaths(d *decoder, n *yaml.Node) error {
	var r PathRule
	var given bool
	access := func(d *decoder, n *yaml.Node) error {
		words, err := d.list(n, nil)
		for _, w := range words {
			at := slices.IndexFunc(rightWords, func(x struct {
				word  string
				right command.Right
			}) bool {
				return x.word == w
			})
			if at < 0 {
				return d.fail(n, "access must be read, write, delete or execute, not %q", w)
			}
			r.Rights = append(r.Rights, rightWords[at].right)
		}
		return err
	}
	keys := []key{{"path", stringKey(&r.Path, (*decoder).path)}, {"access", access},
		{"verdict", verdict(&r.Verdict, &given)}, {"message", stringKey(&r.Message, nil)}}
	return d.rules(n, "rules.paths", keys, func(item *yaml.Node) error {
		if r.Path == "" || !given {
			return d.fail(item, "a rule for paths needs path and verdict")
		}
		d.set.Paths = append(slices.Clip(d.set.Paths), r)
		r, given = PathRule{}, false
		return nil
	})
}

func readHosts(d *decoder, n *yaml.Node) error {
	var r HostRule
	var given bool
	keys := []key{{"host", stringKey(&r.Host, (*decoder).host)}, {"verdict", verdict(&r.Verdict, &given)}, {"message", stringKey(&r.Message, nil)}}
	return d.rules(n, "rules.hosts", keys, func(item *yaml.Node) error {
		if r.Host == "" || !given {
			return d.fail(item, "a rule for hosts needs host and verdict")
		}
		d.set.Hosts = append(slices.Clip(d.set.Hosts), r)
		r, given = HostRule{}, false
		return nil
	})
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
