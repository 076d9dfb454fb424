package launcher

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
)

// Brief is a question in a few words that may leave this machine, such as "R2 in ~/proj": its risk
// and the name of its folder. The name may be the agent's, so it has only letters, digits and a few
// signs that mean nothing to a shell, in JSON or in a page, and a limited length.
func (l *Launcher) Brief(e approval.Envelope) string {
	risk := fmt.Sprintf("R%d", e.Risk)
	v, err := canonical.Parse(e.Payload)
	dir := plan.AsFields(v).Object("context").Text("cwd")
	if err != nil || !filepath.IsAbs(dir) {
		return risk
	}
	return risk + " in " + shortFolder(filepath.Clean(dir), l.account)
}

// shortFolder is the name of a folder, with a tilde if it is below the home directory.
func shortFolder(dir, home string) string {
	name := plainName(filepath.Base(dir))
	switch {
	case dir == "/":
		return dir
	case dir == home:
		return "~"
	case strings.HasPrefix(dir, home+"/"):
		return "~/" + name
	}
	return name
}

// maxPlainName is the length of a name in characters, from where on it is cut.
const maxPlainName = 40

func plainName(name string) string {
	plain := []rune(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) && r != unicode.ReplacementChar || unicode.IsDigit(r) ||
			strings.ContainsRune("._- ", r) {
			return r
		}
		return '_'
	}, name))
	if len(plain) > maxPlainName {
		return string(plain[:maxPlainName-3]) + "..."
	}
	return string(plain)
}
