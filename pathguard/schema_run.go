package pathguard

import (
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// readKeep reads names of environment variables. One * may stand at the end of a name; alone
// it would keep everything, secrets included, and is refused.
func readKeep(d *decoder, n *yaml.Node) (err error) {
	d.set.KeepEnv, err = d.list(n, func(item *yaml.Node) (string, error) {
		if !variable(item.Value) {
			return "", d.fail(item, "must be the name of a variable, with a * at its end or without, not %q", shown(item))
		}
		return item.Value, nil
	})
	return err
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

// readBackground reads what becomes of processes that a command leaves running.
func readBackground(d *decoder, n *yaml.Node) error {
	at, err := d.word(n, backgroundEnd, backgroundKeep)
	d.set.KeepBackground = err == nil && at == 1
	return err
}

const backgroundEnd, backgroundKeep = "end", "keep"

// background is the value as it is written.
func (s Settings) background() string {
	if s.KeepBackground {
		return backgroundKeep
	}
	return backgroundEnd
}

// readTools reads names of tools, as platforms spell them. One * may stand at the end of a name,
// behind something.
func readTools(d *decoder, n *yaml.Node) (err error) {
	d.set.Tools, err = d.list(n, func(item *yaml.Node) (string, error) {
		name := strings.TrimSuffix(item.Value, "*")
		if name == "" || strings.ContainsFunc(name,
			func(r rune) bool { return r == '*' || !unicode.IsGraphic(r) || unicode.IsSpace(r) }) {
			return "", d.fail(item, "must be the name of a tool, with a * at its end or without, not %q", shown(item))
		}
		return item.Value, nil
	})
	return err
}
