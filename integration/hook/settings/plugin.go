package settings

import (
	"bytes"
	_ "embed" // the plugin is a file of its own, for those who read JavaScript
	"encoding/json"
	"strings"
)

//go:embed opencode.js
var plugin string

// isPlugin reports whether a file is a plugin that this program wrote, whatever version.
func isPlugin(data []byte) bool {
	first, _, _ := strings.Cut(plugin, "\n")
	return bytes.HasPrefix(data, []byte(first+"\n"))
}

// Plugin is the plugin that OpenCode loads: it asks the hook before each tool call, and throws
// unless it is told to go on.
func Plugin(h Hook) string {
	words, err := json.Marshal(h.words("opencode"))
	if err != nil {
		words = []byte("[]") // and then every call is blocked
	}
	limit, err := json.Marshal((h.Wait + h.Each + slack).Milliseconds())
	if err != nil {
		limit = []byte("0")
	}
	return strings.NewReplacer(`["tadactl"]`, string(words), "30000", string(limit)).Replace(plugin)
}
