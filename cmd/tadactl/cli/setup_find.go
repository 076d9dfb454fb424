package cli

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/tada-run/tada-run/integration/hook/settings"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// An agent is an agent program of this account.
type agent struct {
	name     string // of its file of facts
	platform string // its name in commands; "" for one with neither a hook nor a shell to set
	title    string
	program  string // what is typed to start it; "" if it is not in PATH
	at       string // where it was found: its program, or the folder of its settings
}

// session is the command line that starts it in the sandbox.
func (a agent) session() string {
	return "tada-run --session -- " + cmp.Or(a.program, agents.First(a.name, "program"))
}

// knownAgents are all that there are facts about, found or not.
func knownAgents() (list []agent) {
	for f := range agents.Of("program", "settings") {
		if f.Agent == agents.Any || slices.ContainsFunc(list,
			func(a agent) bool { return a.name == f.Agent }) {
			continue
		}
		title := cmp.Or(agents.First(f.Agent, "title"), f.Agent)
		list = append(list, agent{name: f.Agent, platform: agents.Platform(f.Agent), title: title})
	}
	return list
}

// findAgents returns the agent programs of the account with this home: those with a program in PATH
// or in the folder where they install themselves, and those with a folder of settings.
func findAgents(home string) (found []agent) {
	for _, a := range knownAgents() {
		if a.find(home) {
			found = append(found, a)
		}
	}
	return found
}

// find looks for an agent, and says where it is.
func (a *agent) find(home string) bool {
	for f := range agents.Of("program") {
		path, err := exec.LookPath(f.Text())
		if f.Agent == a.name && err == nil && filepath.IsAbs(path) {
			a.program, a.at = f.Text(), path
			return true
		}
	}
	var folders []string
	for f := range agents.Of("installed") {
		if f.Agent == a.name {
			folders = append(folders, expanded(f.Text(), home))
		}
	}
	if place, known := settings.Of(a.platform); known && a.platform != "" {
		folders = append(folders, place.Folder(home, os.Getenv))
	}
	for _, dir := range folders {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			a.at = dir
			return true
		}
	}
	return false
}

// expanded is a path of the facts, in which ~ is the home.
func expanded(path, home string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return path
}

// agentsToSetUp are those that were found, or those of them that are named.
func agentsToSetUp(names []string) ([]agent, error) {
	home, err := ownedHome()
	if err != nil {
		return nil, err
	}
	found := findAgents(home)
	if len(names) == 0 {
		return found, nil
	}
	var list []agent
	for _, name := range names {
		known, err := agentCalled(name)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(found, func(a agent) bool { return a.name == known.name })
		if i < 0 {
			return nil, failf(1, "%s was not found: it is not in PATH, and has no folder of "+
				"settings", known.title)
		}
		if !slices.Contains(list, found[i]) {
			list = append(list, found[i])
		}
	}
	return list, nil
}

// agentCalled returns the agent that a word of --agent means.
func agentCalled(word string) (agent, error) {
	var names []string
	for _, a := range knownAgents() {
		if word != "" && (word == a.name || word == a.platform) {
			return a, nil
		}
		names = append(names, cmp.Or(a.platform, a.name))
	}
	return agent{}, usagef("no agent %q; there are %s", word, strings.Join(names, " "))
}

// ownedHome is the home whose agents are set up. In another account's home, files would get the
// wrong owner.
func ownedHome() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	info, err := os.Stat(home)
	if err != nil {
		return "", err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Getuid() {
		return "", failf(exit.Config, "HOME is %q, which belongs to uid %d, and you are uid %d; "+
			"run this as that account", home, st.Uid, os.Getuid())
	}
	return home, nil
}
