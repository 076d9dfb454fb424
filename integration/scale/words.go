package scale

import "strings"

// In the commands of the real runs, these are replaced by what differs from run to run. The
// replacement is as long, so that a plan stays one that can be read.
const (
	Word      = "zzzzzz" // part of what a command names or looks for
	Workspace = "yyyyyy" // the name of the workspace, a folder
)

// letters has neither y nor z: what replaces a word has to be no word that is replaced.
const letters = "abcdefghijklmnopqrstuvwx"

// Nth is the word that replaces [Word] in the commands of run n that no run before it had.
func Nth(n int) string { return spelled(n + usual) }

// usual is how many words are used again and again.
const usual = 20

// spelled writes a number in letters.
func spelled(n int) string {
	b := []byte(Word)
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = letters[n%len(letters)]
		n /= len(letters)
	}
	return string(b)
}

// words replaces both words in everything about one run.
type words struct{ *strings.Replacer }

func wordsOf(word, workspace string) words {
	return words{strings.NewReplacer(Word, word, Workspace, workspace)}
}

func (w words) bytes(b []byte) []byte { return []byte(w.Replace(string(b))) }

// value is a copy of the body of an entry, or of a part of one, with the words replaced.
func (w words) value(v any) any {
	switch v := v.(type) {
	case string:
		return w.Replace(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = w.value(v[i])
		}
		return list
	case map[string]any:
		return w.object(v)
	}
	return v
}

func (w words) object(o map[string]any) map[string]any {
	c := make(map[string]any, len(o)+2)
	for name, v := range o {
		c[name] = w.value(v)
	}
	return c
}
