package pathguard

import (
	"fmt"
	"slices"
	"strings"
)

// maxWords is how many words an error lists. Of more, it lists those of one group.
const maxWords = 16

// CheckWord returns nil when word is one of those that an option or a key takes, else an error that
// names the option, the word, and what it takes instead.
func CheckWord(option, word string, words []string) error {
	if slices.Contains(words, word) {
		return nil
	}
	text := fmt.Sprintf("%s is %s, not %q", option, orList(listed(word, words)), word)
	if near := nearestOf(word, words); near != "" {
		text += "; did you mean " + near + "?"
	}
	return fmt.Errorf("%s", text)
}

// listed are the words that an error about word names: all if they are few, else the group that it
// was looked for in ("exec.end" is in the group exec), else those that are in none.
func listed(word string, words []string) []string {
	if len(words) <= maxWords {
		return words
	}
	group, _, _ := strings.Cut(word, ".")
	var in, top []string
	for _, w := range words {
		switch first, _, below := strings.Cut(w, "."); {
		case first == group:
			in = append(in, w)
		case !below:
			top = append(top, w)
		}
	}
	if len(in) > 0 {
		return in
	}
	return top
}

func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// nearestOf is the word that is meant, "" when none is near.
func nearestOf(word string, words []string) string {
	best, least := "", min(limitOf(word), len(word))
	for _, w := range words {
		if d := apart(word, w); d < least {
			best, least = w, d
		}
	}
	return best
}

// limitOf is how far apart two names are that have nothing to do with each other.
func limitOf(name string) int { return 1 + max(1, len(name)/3) }

// apart is how far a word is from a name that was typed: registry is near registries.
func apart(name, word string) int {
	d := distance(name, word)
	if len(name) >= 5 && strings.HasPrefix(word, name[:5]) {
		d = min(d, 2)
	}
	return d
}

// distance is how many letters must be added, dropped, replaced or exchanged with their neighbour
// to make b of a.
func distance(a, b string) int {
	prev, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], prev[j-1]+1)
			}
		}
		prev, row, next = row, next, prev
	}
	return row[len(b)]
}
