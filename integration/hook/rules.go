package hook

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// A platform compares the user's rules with a command line as a whole, and with each simple command
// in it. In a line that goes through tada-run it still finds the simple commands, but the whole is
// another one: a rule for "curl * | sh" would match nothing. So such rules are looked for here, in
// the files and the words of the platform's own command line that the facts about agents name. A
// rule that might match is enough: how exactly a platform compares differs from release to release.
// What cannot be read might match every line.

// ruled returns the rule of the user's that the platform cannot apply to what it gets in place of a
// command line, one that denies before one that asks; nil if there is none.
func (s ruleSources) ruled(text string) (found *rule, err error) {
	if s.Wrapped || simple(text) {
		return nil, nil
	}
	rules, err := s.rules()
	if err != nil {
		return nil, err
	}
	wholes, parts := wholes(text), parts(text)
	for _, r := range rules {
		itself := r.asks && !s.asks() && slices.ContainsFunc(parts, r.part)
		if !itself && (found == nil || !r.asks) && slices.ContainsFunc(wholes, r.whole) {
			if found = &r; !r.asks {
				break
			}
		}
	}
	return found, nil
}

// blocks says why a line is blocked by a rule.
func (s ruleSources) blocks(r *rule) string {
	advice := "run its commands one at a time"
	if agents.First(agents.OfPlatform(s.Platform), "shell") != "" {
		advice += ", or the user types: tadactl shell install " + s.Platform
	}
	if r.text == "" {
		return fmt.Sprintf("tada-run: blocked: %s cannot be read, and may have the user's rule "+
			"for this command line as a whole; %s", r.from, advice)
	}
	return fmt.Sprintf("tada-run: blocked: the user's rule %q in %s is for this command line as a "+
		"whole; %s", r.text, r.from, advice)
}

// simple reports whether a platform certainly finds the whole line as a command in what it gets.
func simple(text string) bool { return !strings.ContainsAny(text, "\n;&|<>()$`#{}") }

// parts are the simple commands in a line, as they are written.
func parts(text string) (list []string) {
	for _, each := range shellparse.Parse(text, shellparse.Options{}).Commands {
		if s := each.Span; 0 <= s.Start && s.Start < s.End && s.End <= len(text) {
			list = append(list, text[s.Start:s.End])
		}
	}
	return list
}

var (
	comment   = expression(`(?m)^[ \t]*#.*$`)
	redirects = expression(`[0-9]*&?[<>]+[&|]?[ \t]*[^ \t\n;&|()]+`)
	leading   = expression(`\A(?:(?:[A-Za-z_]\w*=\S*|env|nohup|nice|time|command|builtin|` +
		`stdbuf \S+|timeout (?:-\S+ )*\S+) )+`)
)

// wholes are the forms of a command line that a platform may compare with: also without what
// changes how a command runs and not which, and without comments.
func wholes(text string) (list []string) {
	list = append(list, text)
	for _, one := range []string{text, comment().ReplaceAllString(text, "")} {
		for _, one := range []string{one, redirects().ReplaceAllString(one, "")} {
			one = bare(one)
			list = append(list, one, leading().ReplaceAllString(one, ""))
		}
	}
	return list
}
