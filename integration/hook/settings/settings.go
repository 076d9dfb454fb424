package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tada-run/tada-run/integration/hook"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// A Place is where a platform stores what this package writes.
type Place struct {
	Platform string
	folder   string // below the home
	variable string // an environment variable with the folder
	file     string
	reads    syntax
	lists    []list
	extras   []extra
	managed  []string      // settings of the machine, which take precedence over the person's
	Note     string        // what else a person has to do
	patience time.Duration // after which it runs a call without an answer; 0 if that can be set
}

// An extra is a member that the platform requires in its file, or would write there itself and so
// change a protected file.
type extra struct {
	name  string
	value any
	by    string // the member that the platform ignores without it; "" for none
}

// A list is one list of hooks in the file.
type list struct {
	path    []string
	element func(line string, timeout time.Duration) any
}

// slack is added to the time limit of a decision: the platform must not give up first. Half of it
// is how long the guard in the line waits before it answers itself, the other half is for a busy
// machine.
const slack = 20 * time.Second

// places are the user-wide settings of each platform, from the facts about agents. A project's
// settings are not used: the project's authors write them.
var places = sync.OnceValue(func() (list []Place) {
	for f := range agents.Of("settings") {
		list = append(list, placeOf(f))
	}
	return list
})

// placeOf reads the facts about the settings of one agent.
func placeOf(where agents.Fact) Place {
	w := append(where.Words(), "")
	p := Place{
		Platform: agents.Platform(where.Agent),
		folder:   strings.TrimPrefix(w[0], "~/"), file: w[1], variable: w[2],
	}
	for f := range agents.Of("hook", "reads", "extra", "managed") {
		words := f.Words()
		switch {
		case f.Agent != where.Agent:
		case f.Kind == "hook":
			p.lists = append(p.lists, list{strings.Split(words[0], "."), forms[words[1]]})
		case f.Kind == "reads":
			p.reads = syntaxOf(words)
		case f.Kind == "extra":
			p.extras = append(p.extras, extraOf(words))
		case len(words) == 1: // others are of the file with the shell
			p.managed = append(p.managed, words[0])
		}
	}
	if n, err := strconv.Atoi(agents.First(where.Agent, "patience")); err == nil {
		p.patience = time.Duration(n) * time.Second
	}
	notes := append(texts(where.Agent, "note"), texts(where.Agent, "sandbox")...)
	p.Note = strings.Join(notes, "\n")
	return p
}

// extraOf reads NAME VALUE [BY].
func extraOf(words []string) extra {
	e := extra{name: words[0], value: strings.Trim(words[1], `"`)}
	if n, err := strconv.Atoi(words[1]); err == nil {
		e.value = n
	}
	if len(words) > 2 {
		e.by = words[2]
	}
	return e
}

// texts returns the lines of an agent with a kind of text for people.
func texts(agent, kind string) (lines []string) {
	for f := range agents.Of(kind) {
		if f.Agent == agent {
			line := f.Text()
			if rest, ok := strings.CutPrefix(line, "| "); ok {
				line = "    " + rest
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// forms are the ways to write a hook, under their names in the facts about agents.
var forms = map[string]func(line string, timeout time.Duration) any{
	"any-seconds":      matched("*", time.Second),
	"any-milliseconds": matched("*", time.Millisecond),
	"any-either":       eitherUnit,
	"unnamed-seconds":  matched("", time.Second),
	"single":           single,
	"fails-closed":     failClosed,
}

// matched is a hook for the tools that match a matcher.
func matched(matcher string, unit time.Duration) func(string, time.Duration) any {
	return func(line string, timeout time.Duration) any {
		return struct {
			Matcher string `json:"matcher"`
			Hooks   []any  `json:"hooks"`
		}{matcher, []any{struct {
			Type    string `json:"type"`
			Command string `json:"command"`
			Timeout int64  `json:"timeout"`
		}{"command", line, int64(timeout / unit)}}}
	}
}

// eitherUnit is matched in seconds, for a platform that reads values from 1000 on as milliseconds.
func eitherUnit(line string, timeout time.Duration) any {
	if timeout >= 1000*time.Second {
		return matched("*", time.Millisecond)(line, timeout)
	}
	return matched("*", time.Second)(line, timeout)
}

// single is a hook that stands by itself, for all tools.
func single(line string, timeout time.Duration) any {
	return struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int64  `json:"timeoutSec"`
	}{"command", line, int64(timeout / time.Second)}
}

// failClosed is a hook whose failure blocks.
func failClosed(line string, timeout time.Duration) any {
	return struct {
		Command    string `json:"command"`
		Timeout    int64  `json:"timeout"`
		FailClosed bool   `json:"failClosed"`
	}{line, int64(timeout / time.Second), true}
}

// Of returns the place of a platform, and false for an unknown one.
func Of(platform string) (Place, bool) {
	for _, p := range places() {
		if p.Platform == platform {
			return p, true
		}
	}
	return Place{}, false
}

// Path returns the file, for a person with this home and environment.
func (p Place) Path(home string, getenv func(string) string) string {
	return filepath.Join(p.Folder(home, getenv), p.file)
}

// Folder returns the folder of the person's settings of the platform.
func (p Place) Folder(home string, getenv func(string) string) string {
	if p.variable != "" && getenv(p.variable) != "" {
		return getenv(p.variable)
	}
	return filepath.Join(home, p.folder)
}

// Managed returns the settings of the machine that take precedence over those in the file.
func (p Place) Managed() []string { return p.managed }

// Waits reports whether the platform waits for a hook as long as this one may take.
func (p Place) Waits(h Hook) bool { return p.patience == 0 || h.Wait+h.Each+slack < p.patience }

// Holds reports whether a file is the one that the hook belongs in.
func (p Place) Holds(file string) bool { return strings.HasSuffix(file, "/"+p.file) }

// A Hook is what is registered.
type Hook struct {
	Ctl  string        // the absolute path of tadactl
	Home string        // another state directory; "" for the account's
	Wait time.Duration // how long a call may wait for a person
	Each time.Duration // how long a decision may take, without that wait
}

// words returns the command line without a shell.
func (h Hook) words(platform string) []string {
	words := []string{h.Ctl, "hook", "run"}
	if h.Home != "" {
		words = append(words, "--home="+h.Home)
	}
	if h.Wait > 0 {
		words = append(words, "--wait="+h.Wait.String())
	}
	return append(words, platform)
}

// Line returns the command line that a platform passes to a shell.
func (h Hook) Line(platform string) string { return h.guarded(platform) + blocking }

// guarded is the command line without what blocks if it fails.
func (h Hook) guarded(platform string) string {
	var quoted []string
	for _, w := range h.words(platform) {
		if strings.Trim(w,
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-") != "" {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted = append(quoted, w)
	}
	return hook.Guard(h.Wait+h.Each+slack/2) + strings.Join(quoted, " ")
}

// Argv returns what the platform starts.
func (h Hook) Argv(platform string) []string {
	if p, _ := Of(platform); len(p.lists) == 0 {
		return h.words(platform) // by its plugin
	}
	return []string{"/bin/sh", "-c", h.Line(platform)}
}

const blocking = " || exit 2"

// ours reports whether a value of the settings is a registration of this program, by any version.
func (p Place) ours(raw []byte) bool {
	var v struct {
		Command string
		Hooks   []struct{ Command string }
	}
	if json.Unmarshal(raw, &v) != nil {
		return false
	}
	isOurs := func(line string) bool {
		return strings.Contains(line, " hook run ") &&
			strings.HasSuffix(line, " "+p.Platform+blocking)
	}
	return isOurs(v.Command) || len(v.Hooks) == 1 && isOurs(v.Hooks[0].Command)
}

// Install returns the file with the hook in it; unchanged if it was already there.
func (p Place) Install(data []byte, h Hook) ([]byte, error) {
	if len(p.lists) == 0 {
		if len(data) > 0 && !p.isOwn(data) {
			return nil, fmt.Errorf("tadactl did not write it, %w; move it away, then run "+
				"this again", ErrUnread)
		}
		return []byte(p.whole(h)), nil
	}
	if err := p.read(data); err != nil {
		return nil, err
	}
	return p.install(data, h)
}

func (p Place) install(data []byte, h Hook) ([]byte, error) {
	data, err := p.addExtras(data)
	if err != nil {
		return nil, err
	}
	for _, l := range p.lists {
		if data, err = ensure(data, l.path, []any{}); err != nil {
			return nil, err
		}
		if data, err = p.register(data, l, h); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func (p Place) addExtras(data []byte) (_ []byte, err error) {
	for _, e := range p.extras {
		if data, err = ensure(data, []string{e.name}, e.value); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func (p Place) register(data []byte, l list, h Hook) ([]byte, error) {
	t, n, err := hooks(data, l)
	if err != nil {
		return nil, err
	}
	element, err := t.render(l.element(h.Line(p.Platform), h.Wait+h.Each+slack), len(l.path)+1)
	if err != nil {
		return nil, err
	}
	for _, v := range n.values {
		if was := t.strict[v.start:v.end]; p.ours(was) {
			if compact(was) == compact([]byte(element)) {
				return data, nil
			}
			return splice(data, v.start, v.end, element), nil
		}
	}
	return t.put(n, len(l.path), element), nil
}

// hooks returns the list in the text.
func hooks(data []byte, l list) (*document, *node, error) {
	t, err := parse(data)
	if err != nil {
		return nil, nil, err
	}
	n, depth, err := t.find(l.path)
	if err == nil && (n == nil || depth < len(l.path) || n.open != '[') {
		err = fmt.Errorf("%s is not a list, %w", strings.Join(l.path, "."), ErrUnread)
	}
	return t, n, err
}

// Uninstall returns the file without the hook, or nil if nothing else is left of it. before is the
// file before this program wrote anything to it, or nil if there was none or that is unknown. What
// was made for the hook is removed, and what was there before is written as it was.
func (p Place) Uninstall(data, before []byte) ([]byte, error) {
	if len(p.lists) == 0 {
		if p.isOwn(data) {
			return nil, nil
		}
		return data, nil
	}
	was := known(before)
	for _, l := range p.lists {
		with := data
		for {
			t, n, err := hooks(data, l)
			if t == nil {
				return nil, err
			}
			i := -1
			if err == nil { // else it is written in another way
				i = slices.IndexFunc(n.values,
					func(v *node) bool { return p.ours(t.strict[v.start:v.end]) })
			}
			if i < 0 {
				break
			}
			data = t.cut(n, i)
		}
		if bytes.Equal(with, data) {
			continue
		}
		var err error
		if data, err = unmake(data, was, l.path); err != nil || data == nil {
			return nil, err
		}
		if data, err = p.dropExtras(data, was); err != nil || data == nil {
			return nil, err
		}
	}
	return data, nil
}

// known returns a document that was there before, or nil if that is unknown.
func known(before []byte) *document {
	if before == nil {
		return nil
	}
	t, err := parse(before)
	if err != nil {
		return nil
	}
	return t
}

// dropExtras removes what addExtras added.
func (p Place) dropExtras(data []byte, before *document) ([]byte, error) {
	for _, e := range p.extras {
		t, err := parse(data)
		if err != nil {
			return nil, err
		}
		path := []string{e.name}
		n, value := t.at(path), fmt.Sprintf("%#v", e.value)
		if n == nil || string(t.raw(n)) != value {
			continue
		}
		if own := before.at(path); own != nil {
			data = splice(data, n.start, n.end, string(before.raw(own))) // a null
			continue
		}
		if by := []string{e.by}; t.at(by) != nil && before.at(by) == nil {
			continue // other hooks need it now
		}
		if data, err = unmake(t.cut(t.root, index(t.root, path)), before, nil); err != nil ||
			data == nil {
			return nil, err
		}
	}
	return data, nil
}

// State says whether the hook is installed in a file.
type State string

// The states.
const (
	Missing State = "missing" // it is not there
	// a registration by another version or another copy of this program, or one that was changed
	Other    State = "other"
	Complete State = "complete" // as Install writes it
)

// waits finds how long a registration lets a call wait.
var waits = regexp.MustCompile(`hook run[^|]* --wait=([0-9hms.]+) |"--wait=([0-9hms.]+)"`)

// Wait returns how long the registration in a file lets a call wait for a person; 0 without one.
func Wait(data []byte) time.Duration {
	found := waits.FindSubmatch(data)
	if found == nil {
		return 0
	}
	wait, err := time.ParseDuration(string(found[1]) + string(found[2]))
	if err != nil {
		return 0
	}
	return max(wait, 0)
}

// State examines the current file, nil if there is none. A registration may wait for any time.
func (p Place) State(data []byte, h Hook) (State, error) {
	if data == nil {
		return Missing, nil
	}
	if wait := Wait(data); wait > 0 {
		h.Wait = wait
	}
	if len(p.lists) == 0 {
		switch {
		case string(data) == p.whole(h):
			return Complete, nil
		case !p.isOwn(data): // someone else's
			return Missing, nil
		}
		return Other, nil
	}
	without, err := p.Uninstall(data, nil)
	if err != nil {
		return Missing, err
	}
	with, err := p.install(data, h)
	if err == nil && !bytes.Equal(without, data) {
		err = p.read(data) // there, but without effect
	}
	switch {
	case err != nil:
		return Missing, err
	case bytes.Equal(with, data):
		return Complete, nil
	case !bytes.Equal(without, data):
		return Other, nil
	}
	return Missing, nil
}

func compact(raw []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return ""
	}
	return b.String()
}
