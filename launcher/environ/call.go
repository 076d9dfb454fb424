package environ

import (
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/shellparse/catalog"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// Bound divides the variables of a command: a plan binds those that may decide what the command
// does, the loose ones only where its text names them. Bound values are without what differs from
// start to start of an agent's program. What the user keeps by name is bound.
func Bound(vars map[string]string, keep []string) (bound, loose map[string]string) {
	bound, loose = map[string]string{}, map[string]string{}
	for name, value := range vars {
		if isLoose(name, value) && !listed(name, keep) {
			loose[name] = value
		} else {
			bound[name] = steady(name, value)
		}
	}
	return bound, loose
}

// isLoose reports whether a variable only says which call, window or terminal it is, by its name
// and by its value.
func isLoose(name, value string) bool {
	if ProgramOf(name) != "" {
		return true
	}
	forms := catalog.Variable(name).Values("call")
	return len(value) <= maxLoose && slices.ContainsFunc(forms, func(form string) bool {
		return callForms[form] != nil && callForms[form](value)
	})
}

// callForms are the forms that a value must have to say only which call, window or terminal it
// is, by the word that the table of variables has for them.
var callForms = map[string]func(value string) bool{
	"number": number, "word": word, "id": id, "temporary": temporaryFolder, "cat": cat,
	"nothing": nothing, "client": client,
}

// maxLoose is longer than any number, name of a terminal, or id.
const maxLoose = 64

// ofSets and ofPaths are facts that are asked for by each variable and each folder of PATH: their
// texts, and with the first whose they are.
var (
	ofSets = sync.OnceValue(func() (sets []struct{ text, agent string }) {
		for f := range agents.Of("sets") {
			sets = append(sets, struct{ text, agent string }{f.Text(), f.Agent})
		}
		return sets
	})
	ofPaths = sync.OnceValue(func() []string { return agents.Texts("path") })
)

// ProgramOf is the agent's program that a variable belongs to, "" for any other variable. What they
// say matters to that program alone, and to a text that has their names.
func ProgramOf(name string) string {
	for _, f := range ofSets() {
		if isNamed(name, f.text) {
			return f.agent
		}
	}
	return ""
}

// steady is the part of a value that does not differ from start to start of an agent's program.
func steady(name, value string) string {
	switch {
	case name == "PATH":
		return strings.Join(slices.DeleteFunc(strings.Split(value, ":"), IsMadeUp), ":")
	case strings.HasSuffix(name, "_PROXY") || strings.HasSuffix(name, "_proxy"):
		return withoutPort(value)
	case name == "npm_config_user_agent":
		return withoutVersions(value)
	}
	return value
}

// IsMadeUp reports whether a folder of PATH is one that an agent's program puts there for some of
// its calls: links to itself, made for each start, and tools that come with it. No plan binds it:
// what a plan starts from there is bound as every program is.
func IsMadeUp(dir string) bool {
	for _, end := range ofPaths() {
		from := len(dir)
		for n := strings.Count(end, "/"); n > 0 && from >= 0; n-- {
			from = strings.LastIndexByte(dir[:from], '/')
		}
		if matches, _ := path.Match(end, "/"+dir[min(from+1, len(dir)):]); matches {
			return true
		}
	}
	return false
}

// withoutPort is the address of a proxy on this machine, which programs open on any port that is
// free.
func withoutPort(value string) string {
	u, err := url.Parse(value)
	if err != nil || u.User != nil {
		return value
	}
	if addr, err := netip.ParseAddr(u.Hostname()); u.Hostname() != "localhost" &&
		(err != nil || !addr.IsLoopback()) {
		return value
	}
	u.Host = u.Hostname()
	return u.String()
}

// client reports whether a user agent is that of an agent's program. OpenCode sets it while it
// looks for its plug-ins, so that some of what it starts has it and some has not. Kilo does so with
// npm's library alone, of which npm's version is unknown.
func client(value string) bool {
	name, version, versioned := strings.Cut(value, "/")
	return versioned && (agents.Platform(name) != "" ||
		name == "npm" && strings.HasPrefix(version, "undefined "))
}

// withoutVersions are the products of a user agent: npm says NAME/VERSION of itself and of what it
// runs in, and scripts of packages look for the name.
func withoutVersions(value string) string {
	words := strings.Fields(value)
	for i, word := range words {
		words[i], _, _ = strings.Cut(word, "/")
	}
	return strings.Join(words, " ")
}
