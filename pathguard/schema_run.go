package pathguard

import (
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// variable reads the name of an environment variable. It may end in one *; a * alone would keep
// everything, secrets included, and is refused.
func (d *decoder) variable(n *yaml.Node) (string, error) {
	if !variable(n.Value) {
		return "", d.fail(n, "must be the name of a variable, with a * at its end or without, "+
			"not %q", shown(n))
	}
	return n.Value, nil
}

func variable(name string) bool {
	for i, c := range []byte(name) {
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		digit := '0' <= c && c <= '9' && i > 0
		star := c == '*' && i > 0 && i == len(name)-1
		if !letter && !digit && !star {
			return false
		}
	}
	return name != ""
}

// tool reads the name of a tool, as platforms spell it. It may end in one *, after something else.
func (d *decoder) tool(n *yaml.Node) (string, error) {
	name := strings.TrimSuffix(n.Value, "*")
	if name == "" || strings.ContainsFunc(name,
		func(r rune) bool { return r == '*' || !unicode.IsGraphic(r) || unicode.IsSpace(r) }) {
		return "", d.fail(n, "must be the name of a tool, with a * at its end or without, "+
			"not %q", shown(n))
	}
	return n.Value, nil
}

// readNotify reads a program with its words. The program is started outside of the sandbox, so that
// its name must not depend on where a command runs.
func readNotify(d *decoder, n *yaml.Node) (err error) {
	if d.set.Approval.Notify, err = d.list(n, nil); err != nil ||
		len(d.set.Approval.Notify) == 0 {
		return err
	}
	name := d.set.Approval.Notify[0]
	if strings.Contains(name, "/") && !strings.HasPrefix(name, "/") {
		return d.fail(n, "must begin with the name of a program, or its absolute path, not %q",
			name)
	}
	return nil
}
