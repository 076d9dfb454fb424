package client

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
	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// A Client is the agent program of a session, with what the session opens for it: a folder of its
// own for its files, copies of the person's settings in it, the hosts of its vendor, and its keys.
type Client struct {
	Agent   string
	Program string // as it was found
	Sum     string // of its file, where that is bound
	files   Files
	dir     string // the session's own folder, in the place of the home
	env     map[string]string
	needs   []need

	Hosts  []string // HOST:PORT
	Keys   []string // variables that are set
	Logins []string // its own credential files that exist
}

// ownFolder is where the folders of sessions are, below the home of the account. No other sandbox
// reads it.
const ownFolder = ".local/state/tada-run"

// Of returns the agent's program that a plan begins a session for with these words, nil if it is
// none that is known. A program of the workspace is none: a process that can write there would
// choose what gets the keys. The text of a program among temporary files is bound.
func Of(files Files, plan *pathguard.Plan, words, env []string) *Client {
	if plan.Workspace == "" || files.Home == "/" || len(words) == 0 || len(plan.Programs) == 0 {
		return nil
	}
	p := &plan.Programs[0]
	if p.Command != 0 || p.Path == "" || pathname.Within(p.Real, plan.Workspace) ||
		pathname.Within(p.Path, plan.Workspace) {
		return nil
	}
	c := &Client{Agent: approval.AgentProgram(p.Real, words), Program: p.Path, files: files,
		env: map[string]string{}}
	if c.needs = needsOf(c.Agent); len(c.needs) == 0 {
		return nil
	}
	if pathname.WithinAny(p.Real, environ.SharedTemp) {
		c.Sum = p.Sum
	}
	for _, kv := range env {
		if name, value, ok := strings.Cut(kv, "="); ok {
			c.env[name] = value
		}
	}
	hash := sha256.Sum256([]byte(plan.Workspace))
	c.dir = filepath.Join(files.Home, ownFolder, c.Agent,
		filepath.Base(plan.Workspace)+"-"+hex.EncodeToString(hash[:4]))
	c.contacts()
	for _, n := range c.of("login") {
		name := c.outer(n.words[0])
		if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() && files.may(name) {
			c.Logins = append(c.Logins, name)
		}
	}
	return c
}

// Place returns where a name of the table is that belongs to an agent: in a home, or where a
// variable has put it.
func Place(agent, home string, env map[string]string) func(name string) string {
	c := &Client{files: Files{Home: home}, env: env, needs: needsOf(agent)}
	return c.outer
}

// of are the needs of a kind.
func (c *Client) of(kind string) (list []need) {
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
func (c *Client) contacts() {
	for _, n := range c.of("host") {
		c.Hosts = append(c.Hosts, n.words[0]+":443")
	}
	for _, n := range c.of("key") {
		if c.env[n.words[0]] == "" {
			continue
		}
		if c.Keys = append(c.Keys, n.words[0]); n.word(1) != "" {
			c.Hosts = append(c.Hosts, n.word(1)+":443")
		}
	}
	for _, n := range c.of("base") {
		c.address(c.env[n.words[0]])
	}
	for _, n := range c.of("address") {
		for _, value := range settingsValues(c.files.read(c.outer(n.words[0])), n.list(1)) {
			c.address(value)
		}
	}
	for _, n := range c.of("keyname") {
		for _, name := range settingsValues(c.files.read(c.outer(n.words[0])), n.list(1)) {
			if environ.IsName(name) && c.env[name] != "" {
				c.Keys = append(c.Keys, name)
			}
		}
	}
	slices.Sort(c.Hosts)
	c.Hosts = slices.Compact(c.Hosts)
	slices.Sort(c.Keys)
	c.Keys = slices.Compact(c.Keys)
}

// address takes in the host of a URL that the program contacts. What is no address of one host is
// passed over.
func (c *Client) address(url string) {
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
		c.Hosts = append(c.Hosts, rule.String())
	}
}

// outer is the path of a name of the table in the account's home, or where the caller's variable
// has put it.
func (c *Client) outer(name string) string {
	for _, n := range c.of("home") {
		if to := c.env[n.words[0]]; filepath.IsAbs(to) {
			if rest, ok := strings.CutPrefix(name+"/", n.words[1]+"/"); ok {
				return filepath.Join(to, rest)
			}
		}
	}
	return filepath.Join(c.files.Home, strings.TrimPrefix(name, "~"))
}

// inner is the path of a name of the table below the session's own folder.
func inner(name string) string { return filepath.Clean("." + strings.TrimPrefix(name, "~")) }

// unpacked is the folder of the session's own for libraries that programs carry with them.
const unpacked = "unpacked"

// variables are those that the program gets beside what every command gets: where its things are,
// and its keys.
func (c *Client) variables() (list []string) {
	for _, n := range c.of("home") {
		list = append(list, n.words[0]+"="+filepath.Join(c.dir, inner(n.words[1])))
	}
	for _, n := range c.of("unpacks") {
		list = append(list, n.words[0]+"="+filepath.Join(c.dir, unpacked))
	}
	for _, name := range c.Keys {
		list = append(list, name+"="+c.env[name])
	}
	for _, n := range c.of("base") {
		if value := c.env[n.words[0]]; value != "" {
			list = append(list, n.words[0]+"="+value)
		}
	}
	return list
}

// Environment is what the program gets of what was kept, with its own variables.
func (c *Client) Environment(kept []string) []string {
	if c == nil {
		return kept
	}
	own := c.variables()
	out := slices.DeleteFunc(slices.Clone(kept), func(kv string) bool { return setIn(own, kv) })
	return append(out, own...)
}

// Arguments are the words that the program is started with. What the table adds comes first, where
// it is called by its own name: behind an interpreter it would be the interpreter's.
func (c *Client) Arguments(words []string) []string {
	if c == nil {
		return words
	}
	for f := range agents.Of("program") {
		if f.Agent != c.Agent || f.Text() != filepath.Base(words[0]) {
			continue
		}
		for _, n := range c.of("words") {
			words = slices.Insert(slices.Clone(words), 1, n.words...)
		}
	}
	return words
}

// Advice is what the user should know of the program in a session; "" for nothing, and where the
// user's words or settings say that it is known.
func (c *Client) Advice(words []string) string {
	said := strings.Join(words, " ")
	for _, n := range c.of("copy") {
		said += "\n" + string(c.files.read(c.outer(n.words[0])))
	}
	for _, n := range c.of("nested") {
		if !slices.ContainsFunc(n.list(0),
			func(word string) bool { return strings.Contains(said, word) }) {
			return strings.Join(n.words[1:], " ")
		}
	}
	return ""
}

// Removed are the names that it does not get after all.
func (c *Client) Removed(names []string) []string {
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

// Effects are what the session opens beside what every command has.
func (c *Client) Effects() map[string]any {
	write := c.Writes()
	for i, name := range write { // as a person reads them
		if rest, ok := strings.CutPrefix(name, c.files.Home+"/"); ok {
			write[i] = "~/" + rest
		}
	}
	return map[string]any{"write": write, "net": c.Hosts, "pass on": strings.Join(c.Keys, ", ")}
}

// Writes are the session's own folder and the credentials.
func (c *Client) Writes() []string { return append([]string{c.dir}, c.Logins...) }

// Facts are what the log and the page of another question say about the session.
func (c *Client) Facts() map[string]any {
	return map[string]any{"agent": c.Agent, "program": c.Program, "folder": c.dir,
		"logins": c.Logins, "hosts": c.Hosts, "keys": c.Keys}
}
