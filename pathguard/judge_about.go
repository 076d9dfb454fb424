package pathguard

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/tada-run/tada-run/pathguard/hosts"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// aboutOptions are the options that say on what a command works, by the kind of hazard; nil for a
// kind without one.
func aboutOptions(kind string) []string {
	switch kind {
	case "remote":
		return []string{"-R", "--repo"}
	case "cluster":
		return []string{"--context", "--kube-context"}
	case "cloud":
		return []string{"--profile", "--project", "--subscription"}
	}
	return nil
}

// maxAbout bounds what a message names: a longer word is no name of a repository or a machine.
const maxAbout = 60

// about names what a hazard is done to, as far as the command tells: the repository, the machine,
// the database; "" if it does not tell.
func (j *judgement) about(h shellparse.Hazard) string {
	if h.Command < 0 || h.Command >= len(j.script.Commands) {
		return ""
	}
	c := &j.script.Commands[h.Command]
	kind, _, _ := strings.Cut(h.Rule, ".")
	what := ""
	switch {
	case slices.Contains(aboutRules, h.Rule):
		what = j.contacted(h.Command)
	case kind == "db":
		what = cmp.Or(j.contacted(h.Command), j.database(h.Command))
	case aboutOptions(kind) != nil:
		to, _ := remoteOf(j.plan, h.Command)
		what = cmp.Or(optionOf(c, aboutOptions(kind)), resolve.RepositoryOf(to.Address),
			j.contacted(h.Command))
	}
	if len(what) > maxAbout || strings.ContainsAny(what, " \t\n") {
		what = ""
	}
	if what == "" && slices.Contains(resourceKinds, kind) {
		what = resource(c)
		if len(what) > maxAbout ||
			strings.ContainsFunc(what, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return ""
		}
	}
	return what
}

// resourceKinds are the kinds of hazards that change what only another machine has.
var resourceKinds = []string{"cloud", "cluster", "db"}

// onlyKnows says that the line does not name what a hazard is done to; "" if it is of no such kind.
func (j *judgement) onlyKnows(h shellparse.Hazard) string {
	kind, _, _ := strings.Cut(h.Rule, ".")
	if program := j.programOf(h.Command); program != "" && slices.Contains(resourceKinds, kind) {
		return "; only " + program + " knows which"
	}
	return ""
}

// resource names what a command of a cloud, a cluster or a database is about: the words behind the
// one that says what is done, the database, or the value of an option for ids and names.
func resource(c *shellparse.Command) string {
	var words []string // behind what is done
	done := false
	for i, w := range c.Args {
		option := strings.HasPrefix(w.Text, "-")
		name, _, _ := strings.Cut(w.Text, "=")
		switch {
		case !w.Static:
			return ""
		case i == 0 || done && option && len(words) > 0:
		case option && slices.ContainsFunc(idOptions,
			func(end string) bool { return strings.HasSuffix(name, end) }):
			return optionOf(c, []string{name})
		case i == 1 && !option && slices.Contains(clients, path.Base(c.Name)):
			return w.Text
		case slices.Contains(deeds, w.Text):
			words, done = nil, true
		case done && !option && !strings.HasPrefix(c.Args[i-1].Text, "-"):
			words = append(words, w.Text)
		}
	}
	return strings.Join(words, " ")
}

// deeds are the words by which programs are told to take something away; what follows is what.
var deeds = []string{"delete", "destroy", "rm", "remove", "uninstall", "terminate", "drop", "rb",
	"purge"}

// clients are programs whose first word is a database.
var clients = []string{"psql", "mysql", "mariadb"}

// idOptions are the ends of options that name one thing.
var idOptions = []string{"-id", "-ids", "-name", "-names", "--name", "-identifier", "--bucket"}

// aboutRules are hazards of git that are done to where it pushes.
var aboutRules = []string{"git.force-push", "git.delete-remote-branch", "pkg.publish",
	"container.push"}

// contacted is the only machine that a command contacts, or the repository there.
func (j *judgement) contacted(cmd int) (name string) {
	for i := range j.script.Effects {
		e := &j.script.Effects[i]
		if e.Right != command.Net || e.Command != cmd || e.Net == nil {
			continue
		}
		one := cmp.Or(e.Net.Repository, e.Net.Host)
		if !e.Net.Static || e.Net.Scheme == hosts.RemoteScheme || name != "" && name != one {
			return ""
		}
		name = one
	}
	return name
}

// database is the file that a command writes, if that is one.
func (j *judgement) database(cmd int) (name string) {
	for i := range j.script.Effects {
		e := &j.script.Effects[i]
		if e.Right != command.Write || e.Command != cmd || !e.Name.Static {
			continue
		}
		if name != "" && name != path.Base(e.Name.Text) {
			return ""
		}
		name = path.Base(e.Name.Text)
	}
	return name
}

// optionOf is the value of one of these options.
func optionOf(c *shellparse.Command, names []string) string {
	for i, w := range c.Args {
		if !w.Static {
			continue
		}
		name, value, joined := strings.Cut(w.Text, "=")
		switch {
		case !slices.Contains(names, name):
		case joined:
			return value
		case i+1 < len(c.Args) && c.Args[i+1].Static:
			return c.Args[i+1].Text
		}
	}
	return ""
}
