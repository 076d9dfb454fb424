package plan

import (
	"fmt"
	"path"
	"strings"

	"github.com/tada-run/tada-run/approval/canonical"
)

// A Choice is a command that a person may allow until further notice, in the workspace of the plan,
// instead of once.
type Choice struct {
	Dir, Program string
	Words        []string // the arguments; a star stands for what may vary
	Rule         string   // that asks
	Asks         []string // about what
	AtMost       string   // what it could allow
}

// Text returns the command as a person would write it, with the stars.
func (c Choice) Text() string {
	words := []string{path.Base(c.Program)}
	for _, w := range c.Words {
		if w == "" || strings.Trim(w, plainLetters) != "" {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

// plainLetters need no quotes.
const plainLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@%+,-*"

// Choices returns what a plan offers, the narrowest first.
func Choices(payload []byte) (list []Choice) {
	for _, f := range object(payload).Objects("lasting") {
		list = append(list, choiceOf(f))
	}
	return list
}

func choiceOf(f Fields) Choice {
	return Choice{Dir: f.Text("dir"), Program: f.Text("program"), Words: f.Texts("words"),
		Rule: f.Text("rule"), Asks: f.Texts("asks"), AtMost: f.Text("at_most")}
}

// Choose returns the plan of a grant of choice n, from 1 on. It returns ErrPayload if the plan
// offers no such choice.
func Choose(payload []byte, n int) ([]byte, error) {
	top := object(payload)
	list := top.Objects("lasting")
	if n < 1 || n > len(list) || list[n-1].Text("program") == "" {
		return nil, fmt.Errorf("%w: it offers no grant %d", ErrPayload, n)
	}
	delete(top, "lasting")
	top["chosen"] = map[string]any(list[n-1])
	return canonical.Append(nil, map[string]any(top))
}

// Chosen returns what the plan of a grant allows; false if it is not of a choice.
func Chosen(payload []byte) (c Choice, ok bool) {
	f := object(payload).Object("chosen")
	return choiceOf(f), f != nil
}
