package pathguard

import (
	"regexp"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"
)

// limit reads one limit.
func limit(kind string, field func(*Limits) *int64) func(*decoder, *yaml.Node) error {
	return func(d *decoder, n *yaml.Node) error {
		v, err := int64(0), error(nil)
		switch {
		case n.Kind == yaml.ScalarNode && n.Value == "none":
			v = Unlimited
		case n.Kind == yaml.ScalarNode && n.Value == "auto":
		case kind == "duration":
			v, err = d.span(n)
		case kind == "number":
			v, err = d.count(n)
		default:
			v, err = d.size(n)
		}
		if err == nil {
			*field(&d.set.Limits) = v
		}
		return err
	}
}

func (d *decoder) span(n *yaml.Node) (int64, error) {
	v, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || v < time.Second {
		return 0, d.fail(n, "must be a time of at least 1s, such as 90s, 10m or 2h, not %q",
			shown(n))
	}
	return int64(v), nil
}

func (d *decoder) count(n *yaml.Node) (int64, error) {
	v, err := strconv.ParseInt(n.Value, 10, 32)
	if n.Kind != yaml.ScalarNode || err != nil || v < 1 {
		return 0, d.fail(n, "must be a number above 0, not %q", shown(n))
	}
	return v, nil
}

func (d *decoder) size(n *yaml.Node) (int64, error) {
	parts := regexp.MustCompile(`^([0-9]{1,12})([KMGT]?)$`).FindStringSubmatch(n.Value)
	if n.Kind != yaml.ScalarNode || parts == nil {
		return 0, d.fail(n, "must be a number of bytes, such as 500M or 4G, not %q", shown(n))
	}
	v, _ := strconv.ParseInt(parts[1], 10, 64)
	if v *= suffixes[parts[2]]; v < 1 || v > 1<<50 {
		return 0, d.fail(n, "must be between 1 and 1024T bytes, not %q", shown(n))
	}
	return v, nil
}

// limitText is the value of a limit; nil for one that is unset.
func limitText(kind string, value int64) any {
	switch {
	case value == Unlimited:
		return nil
	case kind == "duration":
		return spanText(time.Duration(value))
	case kind == "size":
		return sizeText(value)
	}
	return countText(int(value))
}

// bind gives the key of a limit the form of its type.
func (k *Key) bind() {
	k.Values = map[string]string{"duration": "1s or more: 90s, 10m, 2h",
		"size": "1 to 1024T; K, M, G, T are powers of 1024", "number": "1 or more"}[k.Type]
	kind, def, field := k.Type, k.Default, k.limit
	if def == "auto" {
		k.Values += "; none; auto"
	}
	k.read, k.value = limit(kind, field), func(s Settings) any {
		v := *field(&s.Limits)
		if v == 0 && def != "none" {
			return def
		}
		return limitText(kind, v)
	}
}
