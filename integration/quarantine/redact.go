package quarantine

import (
	"regexp"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/audit"
)

// maxLogged bounds each text of an event: who chooses a tool's name must not choose how large
// the log is.
const maxLogged = 1024

// redact hides what could be a credential in a text that goes into the security log. What an agent
// under quarantine names itself, its tools and its files is chosen by what it has read, so it is
// hidden by shape and rather too much than too little: credentials of known makers, what stands
// behind a telling word, and runs that no word of a language looks like.
func redact(text string) string {
	if len(text) > maxLogged {
		text = text[:maxLogged] + "..."
	}
	text, _ = audit.HideSecrets(text)
	text = behindWord().ReplaceAllString(text, "${1}***")
	return longRun().ReplaceAllStringFunc(text, func(run string) string {
		if isUUID(run) || strings.Trim(run, "*") == "" || !mixed(run) {
			return run
		}
		return "***"
	})
}

var (
	behindWord = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)((?:passwd|password|passphrase|pwd|secret|token|api[_-]?key|apikey|access[_-]?key|private[_-]?key|client[_-]?secret|credential|authorization|bearer|basic|cookie|session[_-]?id|hmac|sig|signature)(?:["']?\s*[=:]\s*|\s+|%3[DA]|%20)["']?(?:bearer\s+|basic\s+)?)[^\s"'&,;]+`)
	})
	longRun = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[A-Za-z0-9_+=*-]{20,}`)
	})
)

// mixed reports whether a run has digits, or both cases, as keys have and words have not.
func mixed(run string) bool {
	var digit, upper, lower bool
	for _, c := range run {
		digit = digit || c >= '0' && c <= '9'
		upper = upper || c >= 'A' && c <= 'Z'
		lower = lower || c >= 'a' && c <= 'z'
	}
	return digit || upper && lower
}
