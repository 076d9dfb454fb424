package pathguard

import (
	"cmp"
	"path"
	"slices"
	"strings"

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
		return ""
	}
	return what
}

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
