package settings

import (
	"bytes"
	_ "embed" // the plugin is a separate file, for readers of JavaScript
	"encoding/json"
	"strings"
)

//go:embed plugin.js
var script string

// isPlugin reports whether a file is a plugin that any version of this program wrote.
func isPlugin(data []byte) bool {
	first, _, _ := strings.Cut(script, "\n")
	return bytes.HasPrefix(data, []byte(first+"\n"))
}

// plugin returns the plugin for a platform without a list of hooks: it asks the hook before each
// tool call, and throws unless the answer is to go on.
func (p Place) plugin(h Hook) string {
	words, err := json.Marshal(h.words(p.Platform))
	if err != nil {
		words = []byte("[]") // and then every call is blocked
	}
	limit, err := json.Marshal((h.Wait + h.Each + slack).Milliseconds())
	if err != nil {
		limit = []byte("0")
	}
	return strings.NewReplacer(`["tadactl"]`, string(words), "30000", string(limit)).Replace(script)
}
