package shell

import "strings"

// Quote writes words as a command line in which every character is literal. Quotes are left out
// where they are not needed, because a person has to read the line; the first word then has to be a
// path, since any other could be a keyword or an alias.
func Quote(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if w == "" || strings.Trim(w, plainBytes) != "" || i == 0 && !strings.Contains(w, "/") {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

const plainBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+:,./-"

// IsWord reports whether a name reads as one word of plain characters.
func IsWord(name string) bool { return name != "" && strings.Trim(name, plainBytes) == "" }
