package settings

import (
	"bytes"
	_ "embed" // the plugin is a separate file, for readers of JavaScript
	"encoding/json"
	"strings"

	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

//go:embed plugin.js
var script string

// isPlugin reports whether a file is a plugin that any version of this program wrote for the
// platform.
func (p Place) isPlugin(data []byte) bool {
	first, _, _ := strings.Cut(p.named(script), "\n")
	return bytes.HasPrefix(data, []byte(first+"\n"))
}

// named returns a text with the names of the platform in it.
func (p Place) named(text string) string {
	title := agents.First(agents.OfPlatform(p.Platform), "title")
	return strings.NewReplacer("PLATFORM", p.Platform, "TITLE", title).Replace(text)
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
	return strings.NewReplacer(`["tadactl"]`, string(words), "30000", string(limit)).Replace(
		p.named(script))
}
