package pathguard

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/hosts"
	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// person denies the agent the commands that are for a person, and those that end tada-run.
func (j *judgement) person() {
	for i := range j.script.Commands {
		c := &j.script.Commands[i]
		switch name := path.Base(c.Name); {
		case name == "tadactl" && !harmlessTadactl(c):
			j.add(Deny, "tada.person", "", words(c), c.Span, i)
		case slices.Contains(killers, name) && j.aimsAtTada(c):
			j.add(Deny, "tada.kill", "", words(c), c.Span, i)
		case name == "tada-run" && ownState(c, j.plan.Caller.StateDir):
			j.add(Deny, "tada.person", "", words(c), c.Span, i)
		case pathname.WithinAny(c.Name, serviceDirs) && !allReading(c):
			j.hazard("service.control", c.Span, i)
		}
	}
}

// ownState reports whether a command gives tada-run another state or profile than the person's: it
// would then be judged by rules that it chose itself. have is the state of this judgement.
func ownState(c *shellparse.Command, have string) bool {
	for _, a := range c.Assign {
		if strings.HasPrefix(a.Name, "TADA_") {
			return true
		}
	}
	for _, w := range c.Args[min(1, len(c.Args)):] {
		name, value, _ := strings.Cut(w.Text, "=")
		switch {
		case name == "--home" && w.Static && value != "" && path.Clean(value) == have:
		case name == "--home" || name == "--profile" || name == "-home" || name == "-profile":
			return true
		case !strings.HasPrefix(w.Text, "-"):
			return false
		}
	}
	return false
}

// serviceDirs hold the scripts that start and stop what the machine offers; telling are their
// words that only tell.
var (
	serviceDirs = []string{"/etc/init.d", "/etc/rc.d"}
	telling     = []string{"status", "help", "--help", "check", "configtest"}
)

func allReading(c *shellparse.Command) bool {
	for _, w := range c.Args[min(1, len(c.Args)):] {
		if !slices.Contains(telling, w.Text) {
			return false
		}
	}
	return true
}

// harmlessTadactl are the verbs of the person's door that decide nothing.
func harmlessTadactl(c *shellparse.Command) bool {
	for i, w := range c.Args {
		if i == 0 || !w.Static {
			continue
		}
		if strings.HasPrefix(w.Text, "-") {
			return w.Text == "--help" || w.Text == "-h" || w.Text == "--version"
		}
		return w.Text == "check" || w.Text == "doctor" || w.Text == "help" ||
			w.Text == "hook" && i+1 < len(c.Args) && c.Args[i+1].Text == "run"
	}
	return true
}

// killers end processes; finders say which.
var (
	killers = []string{"kill", "pkill", "killall", "skill", "xkill", "fuser", "slay"}
	finders = []string{"pgrep", "pidof", "ps", "grep", "egrep", "rg", "awk", "sed",
		"lsof", "pstree", "ls", "cat"}
)

// aimsAtTada reports whether a command that ends processes means tada-run: by one of its words, or
// by the name that the line searched for if its own words are not known.
func (j *judgement) aimsAtTada(c *shellparse.Command) bool {
	if namesTada(c) {
		return true
	}
	if len(c.Args) > 1 && allStatic(c.Args) && !slices.Contains(c.Via, "xargs") {
		return false
	}
	return slices.ContainsFunc(j.script.Commands,
		func(f shellparse.Command) bool {
			return slices.Contains(finders, path.Base(f.Name)) && namesTada(&f)
		})
}

// namesTada looks through the brackets of "ps | grep [t]ada-run", which keep grep itself out.
func namesTada(c *shellparse.Command) bool {
	for _, w := range c.Args[min(1, len(c.Args)):] {
		if strings.Contains(without(w.Text, "[]"), "tada") {
			return true
		}
	}
	return false
}

// listed judges words that reach a place without being a name of any effect: a pattern that
// echo prints lists its directory, what ssh runs on this very machine reads its files, and
// an unknown program is given a secret by its name for some purpose.
func (j *judgement) listed() {
	for i := range j.script.Commands {
		c := &j.script.Commands[i]
		here := slices.Contains(c.Via, "ssh") && j.comesBack()
		for _, w := range c.Args[min(1, len(c.Args)):] {
			full := w.Text
			if !strings.HasPrefix(full, "/") {
				if c.Dir == "" {
					continue
				}
				full = pathname.Join(c.Dir, full)
			}
			if w.Static {
				full = path.Clean(full)
				if name, ok := behindRoot(full); ok {
					full = name
				}
			}
			switch {
			case w.Glob:
				full = path.Dir(full)
			case w.Static && !c.Known && !c.Builtin && !strings.Contains(w.Text, "/") &&
				j.marked(full, markSecret):
				j.add(Ask, "read.secret", full, w.Text, c.Span, i)
				continue
			case !here || !w.Static:
				continue
			}
			j.p.tree.matches(full, func(m mark) {
				if (m.kind == markRestricted || m.kind == markState) && !m.swept {
					j.add(Deny, denials[m.kind], m.path, "", c.Span, i)
				}
			})
		}
	}
}

// comesBack reports whether the script contacts this machine by way of the network.
func (j *judgement) comesBack() bool {
	return slices.ContainsFunc(j.script.Effects, func(e shellparse.Effect) bool {
		return e.Right == command.Net && e.Net != nil &&
			hosts.IsLoopback(strings.ToLower(e.Net.Host))
	})
}
