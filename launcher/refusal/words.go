package refusal

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/tada-run/tada-run/pathguard"
)

// phrases are what a refusal says, in English and in Chinese. Its status, code and retry are for
// programs, and the same in every language.
//
//go:embed phrases.txt
var phrases string

// Phrase is one of them in a language.
func Phrase(in pathguard.Locale, key string, args ...any) string {
	_, entry, _ := strings.Cut(phrases, "\n"+key+"\n\t")
	text, entry, _ := strings.Cut(entry, "\n\t")
	if in == pathguard.Chinese {
		text, _, _ = strings.Cut(entry, "\n")
	}
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}
