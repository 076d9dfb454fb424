package launcher

import (
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
)

// A plan binds every variable that a command gets, for it may decide what the command does, but for those that only say
// by whom, where and for which time it is called: an agent's program, its conversations and its doors differ in them, and
// the command is the same.

// isLoose reports whether a variable only says which call, window or terminal it is, by its name and by its value.
func isLoose(name, value string) bool {
	return programOf(name) != "" || slices.ContainsFunc(perCall, func(c callVariable) bool {
		return c.name == name && len(value) <= maxLoose && c.shape(value)
	})
}

// maxLoose is longer than any number, name of a terminal, or id.
const maxLoose = 64

// number, word and id are the shapes of values that can say nothing of what runs or where it goes: a word is no path, no
// option and no list, an id is hexadecimal and so no name of a program or host in use.
func number(value string) bool { return strings.Trim(value, "0123456789") == "" }

func word(value string) bool {
	return strings.Trim(value, plainLetters+"0123456789._+%:-") == "" && !strings.HasPrefix(value, "-") && !strings.HasPrefix(value, ".")
}

func id(value string) bool {
	return strings.Trim(value, "0123456789abcdefABCDEF-") == "" && !strings.HasPrefix(value, "-") && strings.ContainsAny(value, "0123456789")
}

const plainLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// programOf is the agent's program that a variable belongs to, "" for any other variable. What they say matters to that
// program alone, and to a text that has their names.
func programOf(name string) string {
	for _, f := range ofPrograms {
		if isNamed(name, f.name) {
			return f.program
		}
	}
	return ""
}

// temporaryFolder is the shape of a folder for temporary files, where every command may write.
func temporaryFolder(value string) bool {
	return path.Clean(value) == strings.TrimSuffix(value, "/") && slices.ContainsFunc(sharedTemp, func(dir string) bool { return isWithin(value, dir) })
}

// nothing and cat are the shapes of variables by which an agent's program keeps others from asking and paging.
func nothing(value string) bool {
	return value == "" || value == "true" || value == ":" || value == "0"
}
func cat(value string) bool { return value == "cat" || value == "" }

// steady is the part of a value that does not differ from start to start of an agent's program.
func steady(name, value string) string {
	switch {
	case name == "PATH":
		return strings.Join(slices.DeleteFunc(strings.Split(value, ":"), madeUp), ":")
	case strings.HasSuffix(name, "_PROXY") || strings.HasSuffix(name, "_proxy"):
		return withoutPort(value)
	}
	return value
}

// ofClients are folders of PATH, by their ends, that an agent's program puts there for some of its calls: links to itself,
// made for each start, and tools that come with it. What a plan starts from there is bound as every program is.
var ofClients = []string{"/arg0*/codex-arg0*", "/vendor/*/codex-path"}

// madeUp reports whether a folder of PATH is such a one.
func madeUp(dir string) bool {
	return slices.ContainsFunc(ofClients, func(end string) bool {
		parts := strings.Split(dir, "/")
		tail := strings.Join(parts[max(0, len(parts)-strings.Count(end, "/")):], "/")
		matches, _ := path.Match(end, "/"+tail)
		return matches
	})
}

// withoutPort is the address of a proxy on this machine, which programs open on any port that is free.
func withoutPort(value string) string {
	u, err := url.Parse(value)
	if err != nil || u.User != nil {
		return value
	}
	if addr, err := netip.ParseAddr(u.Hostname()); u.Hostname() != "localhost" && (err != nil || !addr.IsLoopback()) {
		return value
	}
	u.Host = u.Hostname()
	return u.String()
}

// namedLoose are the loose variables that a text of the plan names, with their values: there they do decide what runs.
func (j *Judgement) namedLoose() object {
	o := object{}
	for name, value := range j.environ.loose {
		if program := programOf(name); j.names(name) || program != "" && j.names(program) {
			o[name] = value
		}
	}
	return o
}

// names reports whether the command line, an argument of it or a script that it executes has the word in it.
func (j *Judgement) names(word string) bool {
	if slices.ContainsFunc(j.Request.Shell.Args, func(arg string) bool { return strings.Contains(arg, word) }) {
		return true
	}
	if j.Plan == nil {
		return strings.Contains(j.Script.Text, word)
	}
	for plan := range plans(j.Plan) {
		if strings.Contains(plan.Script.Text, word) {
			return true
		}
	}
	return false
}
