package quarantine

import (
	"regexp"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/audit"
)

// maxLogged is the maximum length of each text of an event: an agent that chooses a tool's name
// must not choose the size of the log.
const maxLogged = 1024

// redact hides what could be a credential in a text for the security log. A quarantined agent
// chooses its name, its tools and its files by what it has read. So credentials are hidden by
// shape, and rather too much than too little: credentials of known makers, what follows a word such
// as password, and runs that look like no word of any language.
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

// mixed reports whether a run has digits, or both cases, as keys do and words do not.
func mixed(run string) bool {
	var digit, upper, lower bool
	for _, c := range run {
		digit = digit || c >= '0' && c <= '9'
		upper = upper || c >= 'A' && c <= 'Z'
		lower = lower || c >= 'a' && c <= 'z'
	}
	return digit || upper && lower
}
