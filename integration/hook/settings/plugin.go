package settings

import (
	"bytes"
	_ "embed" // the scripts are separate files, for their readers
	"encoding/json"
	"path"
	"strings"

	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

var (
	//go:embed plugin.js
	plugin string
	//go:embed opencode.js
	openCode string
	//go:embed pi.js
	pi string
	//go:embed hook.sh
	script string
)

// isOwn reports whether a file is a plugin or script that any version of this program wrote for the
// platform.
func (p Place) isOwn(data []byte) bool {
	text := p.named(p.template())
	begin, _, _ := strings.Cut(text[strings.Index(text, "Written by"):], "\n")
	return bytes.HasPrefix(data, []byte(text[:strings.Index(text, begin)]+begin+"\n"))
}

// template is what the file of a platform without a list of hooks is made from.
func (p Place) template() string {
	switch path.Dir(p.file) {
	case "plugins":
		return plugin + openCode
	case "extensions":
		return plugin + pi
	}
	return script
}

// named returns a text with the names of the platform in it.
func (p Place) named(text string) string {
	title := agents.First(agents.OfPlatform(p.Platform), "title")
	return strings.NewReplacer("PLATFORM", p.Platform, "TITLE", title).Replace(text)
}

// whole returns the file of a platform without a list of hooks. It asks the hook before each tool
// call, and blocks the call unless the answer is to go on.
func (p Place) whole(h Hook) string {
	words, err := json.Marshal(h.words(p.Platform))
	if err != nil {
		words = []byte("[]") // and then every call is blocked
	}
	limit, err := json.Marshal((h.Wait + h.Each + slack).Milliseconds())
	if err != nil {
		limit = []byte("0")
	}
	return strings.NewReplacer(`["tadactl"]`, string(words), "30000", string(limit),
		"LINE", h.guarded(p.Platform)).Replace(p.named(p.template()))
}
