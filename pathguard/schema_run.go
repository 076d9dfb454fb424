package pathguard

import "go.yaml.in/yaml/v3"

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
