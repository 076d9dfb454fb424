package hook

import "strings"

// values are the words that may be the values of an option: behind a = in its own word, or those up
// to the next option. Some programs read --an-option also as --anOption.
func values(words []string, option string) (list []string) {
	taking := false
	for _, word := range words {
		if name, value, has := strings.Cut(word, "="); strings.HasPrefix(word, "-") {
			if taking = spelled(name) == spelled(option); taking && has {
				list = append(list, value)
			}
		} else if taking {
			list = append(list, word)
		}
	}
	return list
}

func spelled(option string) string {
	return strings.ToLower(strings.ReplaceAll(option, "-", ""))
}
