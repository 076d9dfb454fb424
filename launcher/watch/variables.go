package watch

import (
	"io"
	"strings"

	"github.com/tada-run/tada-run/launcher/environ"
)

// missedVariables tells a command that failed which of the variables in its error messages it did
// not receive. The others are in the log, and in tadactl doctor.
func missedVariables(b Before, a After, out io.Writer) Found {
	if a.Status.Shell() == 0 {
		return nil
	}
	var named []string
	for _, name := range environ.Missable(b.Removed) {
		if hasWord(a.Complaints, name) {
			named = append(named, name)
		}
	}
	if len(named) > 0 {
		a.Once(out, environ.NotReceived(named)+" (shown once)")
	}
	return nil
}

// hasWord reports whether a name is in a text, and not only as a part of another one.
func hasWord(text, name string) bool {
	for {
		i := strings.Index(text, name)
		if i < 0 {
			return false
		}
		before, after := text[:i], text[i+len(name):]
		if (before == "" || !environ.IsName("_"+before[len(before)-1:])) &&
			(after == "" || !environ.IsName("_"+after[:1])) {
			return true
		}
		text = after
	}
}
