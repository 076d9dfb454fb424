package hook

import (
	"bytes"
	"encoding/json"
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
				return fmt.Sprintf("the user's rule %q in %s is for this command line as a whole; "+
					"run its commands one at a time, or the user types: tadactl shell install %s",
					r.text, r.file, c.Platform)
			}
		}
	}
	return ""
}

// A rule denies or asks: where and how it is written, and what it is compared with.
type rule struct {
	file, text string
	pattern    *regexp.Regexp
}

// rules reads what a fact names: a file, the member with the lists, the tool, and the variable with
// another folder. A file that cannot be read has no rules for the platform either.
func (c Call) rules(env, fact []string) (list []rule) {
	folder := ""
	if len(fact) > 3 {
		folder = valueOf(env, fact[3])
	}
	files := launcher.HookSwitch{File: fact[0]}.Files(valueOf(env, "HOME"), folder, c.Dir,
		launcher.Top(c.Dir))
	for _, file := range files {
		data, _ := launcher.ReadSettings(file)
		var members, lists Object
		_ = json.Unmarshal(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), &members)
		_ = json.Unmarshal(members[fact[1]], &lists)
		for _, kind := range []string{"deny", "ask"} {
			var texts []any
			_ = json.Unmarshal(lists[kind], &texts)
			for _, each := range texts {
				text, _ := each.(string)
				body, is := strings.CutPrefix(strings.TrimSpace(text), fact[2]+"(")
				if body, ends := strings.CutSuffix(body, ")"); is && ends {
					list = append(list, rule{file, text, pattern(body)})
				}
			}
		}
	}
	return list
}

// pattern is what a rule means, and somewhat more: a star is any text, also with the colon or the
// blank before it.
func pattern(rule string) *regexp.Regexp {
	text := regexp.QuoteMeta(bare(rule))
	return regexp.MustCompile(`(?s)\A` + stars.ReplaceAllString(text, `.*`) + `\z`)
}

var stars = regexp.MustCompile(`(?:[: ]?\\\*)+`)

// bare is a text without quotes, and with one blank where there are several.
func bare(text string) string {
	text = strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(text)
	return strings.Join(strings.Fields(text), " ")
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
	for _, one := range []string{text, comment.ReplaceAllString(text, "")} {
		for _, one := range []string{one, redirects.ReplaceAllString(one, "")} {
			one = bare(one)
			list = append(list, one, leading.ReplaceAllString(one, ""))
		}
	}
	return list
}
