package eval

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// checkouts are the commands of git that put into the working tree what was fetched.
var checkouts = []string{"checkout", "switch", "merge", "rebase", "reset", "cherry-pick", "restore",
	"worktree", "read-tree", "checkout-index", "pull"}

// fetched finds what git fetches from an address of the text and a later command checks out. It is
// what "git pull ADDRESS" does at once.
func (s *Script) fetched() {
	foreign := false
	for i := range s.Commands {
		c := &s.Commands[i]
		if c.Name != "git" || c.Remote {
			continue
		}
		verb, rest := gitVerb(c.Args)
		switch {
		case foreign && (slices.Contains(checkouts, verb) || slices.ContainsFunc(rest,
			func(w Word) bool { return strings.Contains(w.Text, "FETCH_HEAD") })):
			h, _ := command.LookupHazard("pkg.foreign-source")
			s.Hazards = append(s.Hazards, Hazard{Rule: h.Rule, Risk: h.Risk, Message: h.Message,
				Span: c.Span, Command: i})
			return
		case verb == "fetch":
			foreign = foreign || s.named(i)
		case verb == "remote" && len(rest) > 2 && slices.Contains([]string{"add", "set-url"},
			rest[0].Text):
			foreign = foreign || slices.ContainsFunc(rest[1:],
				func(w Word) bool { return !w.Static || strings.Contains(w.Text, ":") })
		}
	}
}

// named reports whether a command contacts a host that it names itself.
func (s *Script) named(i int) bool {
	return slices.ContainsFunc(s.Effects, func(e Effect) bool {
		return e.Command == i && e.Right == command.Net && e.Net != nil &&
			e.Net.Scheme != "remote"
	})
}

// gitVerb is the subcommand of git, and the words behind it.
func gitVerb(args []Word) (verb string, rest []Word) {
	for i := 1; i < len(args); i++ {
		switch text := args[i].Text; {
		case text == "-C" || text == "-c" || text == "--git-dir" || text == "--work-tree" ||
			text == "--namespace" || text == "--exec-path" || text == "--config-env":
			i++
		case !strings.HasPrefix(text, "-"):
			return text, args[i+1:]
		}
	}
	return "", nil
}
