package hook

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// A platform compares the user's rules with a command line as a whole, and with each simple command
// in it. In a line that goes through tada-run it still finds the simple commands, but the whole is
// another one: a rule for "curl * | sh" would match nothing. So such rules are looked for here, in
// the files that the facts about agents name. A rule that might match is enough to block: how
// exactly a platform compares differs from release to release.

// ruled says which rule of the user's is for a command line as a whole, "" for none.
func (c Call) ruled(env []string, j *launcher.Judgement, text string) string {
	var parts []string
	for _, each := range j.Script.Commands {
		var words []string
		for _, a := range each.Args {
			words = append(words, a.Text)
		}
		parts = append(parts, bare(strings.Join(words, " ")))
	}
	wholes := wholes(text)
	for f := range agents.Of("rules") {
		if agents.Platform(f.Agent) != c.Platform {
			continue
		}
		for _, r := range c.rules(env, f.Words()) {
			if slices.ContainsFunc(wholes, r.pattern.MatchString) &&
				!slices.ContainsFunc(parts, r.pattern.MatchString) {
				advice := "run its commands one at a time"
				if agents.First(f.Agent, "shell") != "" {
					advice += ", or the user types: tadactl shell install " + c.Platform
				}
				return fmt.Sprintf("the user's rule %q in %s is for this command line as a "+
					"whole; %s", r.text, r.file, advice)
			}
		}
	}
	return ""
}

var (
	comment   = regexp.MustCompile(`(?m)^[ \t]*#.*$`)
	redirects = regexp.MustCompile(`[0-9]*&?[<>]+[&|]?[ \t]*[^ \t\n;&|()]+`)
	leading   = regexp.MustCompile(`\A(?:(?:[A-Za-z_]\w*=\S*|env|nohup|nice|time|command|builtin|` +
		`stdbuf \S+|timeout (?:-\S+ )*\S+) )+`)
)

// wholes are the forms of a command line that a platform may compare with: also without what
// changes how a command runs and not which, and without comments.
func wholes(text string) (list []string) {
	list = append(list, text)
	for _, one := range []string{text, comment.ReplaceAllString(text, "")} {
		for _, one := range []string{one, redirects.ReplaceAllString(one, "")} {
			one = bare(one)
			list = append(list, one, leading.ReplaceAllString(one, ""))
		}
	}
	return list
}
