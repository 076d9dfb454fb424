package launcher

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/broker/network"
	"github.com/tada-run/tada-run/launcher/environ"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// A client is the agent program of a session, with what the session opens for it: a folder of its
// own for its files, copies of the person's settings in it, the hosts of its vendor, and its keys.
type client struct {
	agent   string
	program string // as it was found
	sum     string // of its file, where that is bound
	home    string // of the account
	dir     string // the session's own folder, in the place of the home
	env     map[string]string
	needs   []need

	hosts  []string // HOST:PORT
	keys   []string // variables that are set
	logins []string // its own credential files that exist
}

// ownFolder is where the folders of sessions are, below the home of the account. No other sandbox
// reads it.
const ownFolder = ".local/state/tada-run"

// clientOf returns the agent's program that a request begins a session for, nil if it is none that
// is known. A program of the workspace is none: a process that can write there would choose what
// gets the keys. The text of a program among temporary files is bound. On a machine without people
// there is no one to ask.
func (l *Launcher) clientOf(req Request, plan *pathguard.Plan, policy pathguard.Policy) *client {
	if req.Hold == nil || req.Hold.Shell || req.Profile == profileCI || plan.Workspace == "" ||
		l.account == "/" || len(req.Shell.Words) == 0 || len(plan.Programs) == 0 {
		return nil
	}
	p := &plan.Programs[0]
	if p.Command != 0 || p.Path == "" || isWithin(p.Real, plan.Workspace) ||
		isWithin(p.Path, plan.Workspace) {
		return nil
	}
	c := &client{agent: approval.AgentProgram(p.Real, req.Shell.Words), program: p.Path,
		home: l.account, env: map[string]string{}}
	if c.needs = needsOf(c.agent); len(c.needs) == 0 {
		return nil
	}
	if slices.ContainsFunc(environ.SharedTemp,
		func(dir string) bool { return isWithin(p.Real, dir) }) {
		c.sum = p.Sum
	}
	for _, kv := range req.Env {
		if name, value, ok := strings.Cut(kv, "="); ok {
			c.env[name] = value
		}
	}
	hash := sha256.Sum256([]byte(plan.Workspace))
	c.dir = filepath.Join(l.account, ownFolder, c.agent,
		filepath.Base(plan.Workspace)+"-"+hex.EncodeToString(hash[:4]))
	read := func(name string) []byte { return l.settingsFile(policy, name) }
	c.contacts(read)
	for _, n := range c.of("login") {
		if info, err := os.Lstat(c.outer(n.words[0])); err == nil && info.Mode().IsRegular() &&
			l.mayHave(policy, c.outer(n.words[0])) {
			c.logins = append(c.logins, c.outer(n.words[0]))
		}
	}
	return c
}

// of are the needs of a kind.
func (c *client) of(kind string) (list []need) {
	for _, n := range c.needs {
		if n.kind == kind {
			list = append(list, n)
		}
	}
	return list
}

// contacts finds whom the program contacts, and with which keys: from the table, the caller's
// environment, and the person's settings. Of several addresses with a path on one host it is the
// host once.
func (c *client) contacts(read func(name string) []byte) {
	for _, n := range c.of("host") {
		c.hosts = append(c.hosts, n.words[0]+":443")
	}
	for _, n := range c.of("key") {
		if c.env[n.words[0]] == "" {
			continue
		}
		if c.keys = append(c.keys, n.words[0]); n.word(1) != "" {
			c.hosts = append(c.hosts, n.word(1)+":443")
		}
	}
	for _, n := range c.of("base") {
		c.address(c.env[n.words[0]])
	}
	for _, n := range c.of("address") {
		for _, value := range settingsValues(read(c.outer(n.words[0])), n.list(1)) {
			c.address(value)
		}
	}
	for _, n := range c.of("keyname") {
		for _, name := range settingsValues(read(c.outer(n.words[0])), n.list(1)) {
			if environ.IsName(name) && c.env[name] != "" {
				c.keys = append(c.keys, name)
			}
		}
	}
	slices.Sort(c.hosts)
	c.hosts = slices.Compact(c.hosts)
	slices.Sort(c.keys)
	c.keys = slices.Compact(c.keys)
}

// address takes in the host of a URL that the program contacts. What is no address of one host is
// passed over.
func (c *client) address(url string) {
	scheme, rest, ok := strings.Cut(url, "://")
	port := map[string]string{"http": "80", "https": "443"}[strings.ToLower(scheme)]
	if !ok || port == "" {
		return
	}
	rest, _, _ = strings.Cut(rest, "/")
	rest, _, _ = strings.Cut(rest, "?")
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	rule, err := network.ParseRule(rest)
	if err == nil && rule.Port == 0 {
		rule, err = network.ParseRule(rest + ":" + port)
	}
	if err == nil && rule.One() {
		c.hosts = append(c.hosts, rule.String())
	}
}

// outer is the path of a name of the table in the account's home, or where the caller's variable
// has put it.
func (c *client) outer(name string) string {
	for _, n := range c.of("home") {
		if to := c.env[n.words[0]]; filepath.IsAbs(to) {
			if rest, ok := strings.CutPrefix(name+"/", n.words[1]+"/"); ok {
				return filepath.Join(to, rest)
			}
		}
	}
	return filepath.Join(c.home, strings.TrimPrefix(name, "~"))
}

// inner is the path of a name of the table below the session's own folder.
func inner(name string) string { return filepath.Clean("." + strings.TrimPrefix(name, "~")) }

// unpacked is the folder of the session's own for libraries that programs carry with them.
const unpacked = "unpacked"

// variables are those that the program gets beside what every command gets: where its things are,
// and its keys.
func (c *client) variables() (list []string) {
	for _, n := range c.of("home") {
		list = append(list, n.words[0]+"="+filepath.Join(c.dir, inner(n.words[1])))
	}
	for _, n := range c.of("unpacks") {
		list = append(list, n.words[0]+"="+filepath.Join(c.dir, unpacked))
	}
	for _, name := range c.keys {
		list = append(list, name+"="+c.env[name])
	}
	for _, n := range c.of("base") {
		if value := c.env[n.words[0]]; value != "" {
			list = append(list, n.words[0]+"="+value)
		}
	}
	return list
}

// environment is what the program gets of what was kept, with its own variables.
func (c *client) environment(kept []string) []string {
	if c == nil {
		return kept
	}
	own := c.variables()
	out := slices.DeleteFunc(slices.Clone(kept), func(kv string) bool { return setIn(own, kv) })
	return append(out, own...)
}

// arguments are the words that the program is started with. What the table adds comes first, where
// it is called by its own name: behind an interpreter it would be the interpreter's.
func (c *client) arguments(words []string) []string {
	if c == nil {
		return words
	}
	for f := range agents.Of("program") {
		if f.Agent != c.agent || f.Text() != filepath.Base(words[0]) {
			continue
		}
		for _, n := range c.of("words") {
			words = slices.Insert(slices.Clone(words), 1, n.words...)
		}
	}
	return words
}

// advice is what the user should know of the program in a session; "" for nothing, and where the
// user's words or settings say that it is known.
func (c *client) advice(words []string, read func(name string) []byte) string {
	said := strings.Join(words, " ")
	for _, n := range c.of("copy") {
		said += "\n" + string(read(c.outer(n.words[0])))
	}
	for _, n := range c.of("nested") {
		if !slices.ContainsFunc(n.list(0),
			func(word string) bool { return strings.Contains(said, word) }) {
			return strings.Join(n.words[1:], " ")
		}
	}
	return ""
}

// removed are the names that it does not get after all.
func (c *client) removed(names []string) []string {
	if c == nil {
		return names
	}
	own := c.variables()
	return slices.DeleteFunc(slices.Clone(names),
		func(name string) bool { return setIn(own, name+"=") })
}

// setIn reports whether a list of NAME=value has the name of an entry.
func setIn(list []string, kv string) bool {
	name, _, _ := strings.Cut(kv, "=")
	return slices.ContainsFunc(list,
		func(own string) bool { return strings.HasPrefix(own, name+"=") })
}

// effects are what the session opens beside what every command has.
func (c *client) effects() object {
	write := c.writes()
	for i, name := range write { // as a person reads them
		if rest, ok := strings.CutPrefix(name, c.home+"/"); ok {
			write[i] = "~/" + rest
		}
	}
	return trimmed(object{"write": write, "net": c.hosts, "pass on": strings.Join(c.keys, ", ")})
}

// writes are the session's own folder and the credentials.
func (c *client) writes() []string { return append([]string{c.dir}, c.logins...) }

// facts are what the log and the page of another question say about the session.
func (c *client) facts() object {
	return trimmed(object{"agent": c.agent, "program": c.program, "folder": c.dir,
		"logins": c.logins, "hosts": c.hosts, "keys": c.keys})
}
