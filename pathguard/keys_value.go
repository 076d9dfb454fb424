package pathguard

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/tada-run/tada-run/shellparse/command"
)

func noneIf(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func countText(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

func spanText(d time.Duration) any {
	if d == 0 {
		return nil
	}
	text := d.String() // 30m0s
	for _, unit := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, unit) {
			text = text[:len(text)-2]
		}
	}
	return text
}

func sizeText(n int64) any {
	if n == 0 {
		return nil
	}
	for _, unit := range []string{"T", "G", "M", "K"} {
		if n%suffixes[unit] == 0 {
			return strconv.FormatInt(n/suffixes[unit], 10) + unit
		}
	}
	return n
}

// A pathText is a rule about paths as it is written.
type pathText struct {
	Path    string   `json:"path" yaml:"path"`
	Access  []string `json:"access,omitempty" yaml:"access,omitempty"`
	Verdict Decision `json:"verdict" yaml:"verdict"`
	Message string   `json:"message,omitempty" yaml:"message,omitempty"`
}

func pathRules(rules []PathRule) []any {
	out := []any{}
	for _, r := range rules {
		out = append(out, pathText{r.Path, accessWords(r.Rights), r.Verdict, r.Message})
	}
	return out
}

// each is a list whose entries are written as they are.
func each[R any](rules []R) []any {
	out := []any{}
	for _, r := range rules {
		out = append(out, r)
	}
	return out
}

func accessWords(rights []command.Right) []string {
	var words []string
	for _, right := range rights {
		for _, w := range rightWords {
			if w.right == right {
				words = append(words, w.word)
			}
		}
	}
	return words
}

// written is a value as it is written in the configuration, on one line.
func written(v any) string {
	if v == nil {
		return "none"
	}
	if word, ok := v.(string); ok && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz+") == "" {
		return word // off and on, which other readers of YAML take for booleans
	}
	var n yaml.Node
	err := n.Encode(v)
	if err == nil {
		inline(&n)
		var text []byte
		if text, err = yaml.Marshal(&n); err == nil {
			return strings.TrimSuffix(string(text), "\n")
		}
	}
	return fmt.Sprint(v)
}

// inline makes a node one that is written on one line.
func inline(n *yaml.Node) {
	switch n.Kind {
	case yaml.ScalarNode:
		if strings.Contains(n.Value, "\n") {
			n.Style = yaml.DoubleQuotedStyle
		}
	default:
		n.Style = yaml.FlowStyle
	}
	for _, c := range n.Content {
		inline(c)
	}
}

// suffixes are those of systemd.syntax(7) and of docker: powers of 1024.
var suffixes = map[string]int64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
