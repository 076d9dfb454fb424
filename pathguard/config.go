package pathguard

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"go.yaml.in/yaml/v3"
)

// A Layer says whose word a configuration file is. The zero value is the least trusted.
type Layer int

// The layers, least trusted first.
const (
	WorkspaceLayer Layer = iota // data of the repository: it can only tighten
	UserLayer                   // ~/.tada/config.yaml
	FloorLayer                  // /etc/tada/config.yaml, when root owns it
)

// A ConfigFile is one file to load. A file that does not exist says nothing.
type ConfigFile struct {
	Path  string
	Layer Layer
	Root  string // for WorkspaceLayer: where relative paths start
	Draft []byte // what the file is to hold, in place of what it holds; nil for none
}

// MaxConfig bounds a configuration file, in bytes.
const MaxConfig = 1 << 20

// Load returns the policy of the files, in their order: the first trusted one that exists
// may replace what is built in, every later one can only tighten. An error is a
// *[ConfigError], and then there is no policy: a command is better refused than judged by
// half a file.
func Load(a Account, files ...ConfigFile) (Policy, error) {
	m := merger{set: defaults(), sources: map[string][]Source{}}
	for _, f := range files {
		if err := m.add(f, a.UID, f.Layer != WorkspaceLayer && !m.based); err != nil {
			return Policy{}, err
		}
	}
	return m.policy(a, files)
}

// Tighten returns the policy made stricter by more files: what a workspace says once it is
// known. Nothing in them can loosen.
func (p Policy) Tighten(files ...ConfigFile) (Policy, error) {
	m := merger{set: p.set, notes: slices.Clone(p.notes), sources: maps.Clone(p.sources)}
	for _, f := range files {
		if err := m.add(f, p.account.UID, false); err != nil {
			return Policy{}, err
		}
	}
	if !m.changed {
		return p, nil
	}
	return m.policy(p.account, files)
}

// A merger joins files, one after the other.
type merger struct {
	set     Settings
	notes   []string
	sources map[string][]Source
	changed bool // a file was there
	based   bool // a trusted one was
}

func (m *merger) policy(a Account, files []ConfigFile) (Policy, error) {
	p, err := compile(a, m.set, m.notes)
	if err != nil {
		return Policy{}, &ConfigError{File: lastPath(files), Msg: "cannot be used", Err: err}
	}
	p.sources = m.sources
	return p, nil
}

// add joins one file. As the base it replaces what is built in; else it can only tighten.
func (m *merger) add(f ConfigFile, uid int, base bool) error {
	text, err := f.read(uid)
	if err != nil || text == nil {
		return err
	}
	m.changed = true
	if !base {
		return m.tighten(f, text)
	}
	d, err := parse(f, text, m.set)
	if err != nil {
		return err
	}
	m.set, m.based = d.set, true
	for name, lines := range d.lines {
		m.sources[name] = d.sources(lines)
	}
	return nil
}

func (m *merger) tighten(f ConfigFile, text []byte) error {
	blank := m.set
	blank.RestrictedPaths, blank.ReadOnlyPaths, blank.Protect = nil, nil, nil
	blank.Commands, blank.Paths, blank.Hosts, blank.Programs = nil, nil, nil, ""
	blank.KeepEnv, blank.Tools, blank.Limits = nil, nil, Limits{}
	d, err := parse(f, text, blank)
	if err != nil {
		return err
	}
	out, notes := m.set.strictest(d.set)
	for _, n := range notes {
		m.notes = append(m.notes, f.Path+": "+n)
	}
	m.trace(d, out)
	m.set = out
	return nil
}

func lastPath(files []ConfigFile) string {
	if len(files) == 0 {
		return ""
	}
	return files[len(files)-1].Path
}

// Text returns what the file holds, nil when there is none, after the checks that [Load] makes of
// it.
func (f ConfigFile) Text(uid int) ([]byte, error) { return f.read(uid) }

// read returns the text of the file, or nil when there is none. The checks are made on the
// file that was opened. A workspace file is not followed through a link, because what an
// error says about it would be read aloud; it may have any owner and mode, because it can
// only tighten.
func (f ConfigFile) read(uid int) ([]byte, error) {
	if f.Draft != nil {
		return f.Draft, nil
	}
	flags := os.O_RDONLY | syscall.O_NONBLOCK
	if f.Layer == WorkspaceLayer {
		flags |= syscall.O_NOFOLLOW
	} else if err := f.above(); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(f.Path, flags, 0)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, &ConfigError{File: f.Path, Msg: "cannot be opened", Err: err}
	}
	defer file.Close()
	if err := f.check(file, uid); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, MaxConfig+1))
	if err != nil {
		return nil, &ConfigError{File: f.Path, Msg: "cannot be read", Err: err}
	}
	if len(text) > MaxConfig {
		return nil, &ConfigError{File: f.Path, Msg: "is larger than 1 MiB"}
	}
	return append([]byte{}, text...), nil
}

// check refuses a file that somebody else could have written.
func (f ConfigFile) check(file *os.File, uid int) error {
	info, err := file.Stat()
	if err != nil {
		return &ConfigError{File: f.Path, Msg: "cannot be examined", Err: err}
	}
	if !info.Mode().IsRegular() {
		return &ConfigError{File: f.Path, Msg: "is not a regular file"}
	}
	if f.Layer == WorkspaceLayer {
		return nil
	}
	if f.Layer == FloorLayer {
		uid = 0
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != uid {
		return &ConfigError{File: f.Path, Msg: fmt.Sprintf("must be owned by uid %d", uid)}
	}
	if mode := info.Mode().Perm(); mode&othersWrite != 0 {
		return &ConfigError{File: f.Path, Msg: fmt.Sprintf("has mode %04o, so other users can change it; try: chmod go-w %q", mode, f.Path)}
	}
	return nil
}

// othersWrite are the mode bits that let another user write. Reading is harmless: what is
// configured is no secret.
const othersWrite os.FileMode = 0o022

// above refuses a trusted file below a directory that other users can write, because there they can
// put another directory in the place of the one on the way. In a sticky directory, such as /tmp,
// they cannot. Where the file does not exist yet, they could hide the one that did.
func (f ConfigFile) above() error {
	paths := []string{f.Path}
	if real, err := filepath.EvalSymlinks(f.Path); err == nil && real != f.Path {
		paths = append(paths, real)
	}
	for _, path := range paths {
		for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
			info, err := os.Stat(dir)
			if err == nil && info.Mode()&othersWrite != 0 && info.Mode()&os.ModeSticky == 0 {
				return &ConfigError{File: f.Path, Msg: fmt.Sprintf("other users can replace it, because the directory %q has mode %04o; try: chmod go-w %q", dir, info.Mode().Perm(), dir)}
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return nil
}

// decode reads a configuration over the values that it starts from.
func decode(f ConfigFile, text []byte, start Settings) (Settings, error) {
	d, err := parse(f, text, start)
	return d.set, err
}

// parse is decode, with the line of each key.
func parse(f ConfigFile, text []byte, start Settings) (*decoder, error) {
	d := &decoder{file: f, set: start, lines: map[string][]int{}}
	dec := yaml.NewDecoder(strings.NewReader(string(text)))
	var doc, more yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return d, nil
	case err != nil:
		return d, d.syntax(err)
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		if err != nil {
			return d, d.syntax(err)
		}
		return d, d.fail(&more, "a second document")
	}
	if len(doc.Content) == 0 || isNull(doc.Content[0]) {
		return d, nil
	}
	return d, d.mapping(doc.Content[0], "")
}

type decoder struct {
	file  ConfigFile
	set   Settings
	lines map[string][]int // where a key is; of a list of rules, where each rule is
	ruleState
}

func (d *decoder) fail(n *yaml.Node, format string, args ...any) error {
	return &ConfigError{File: d.file.Path, Line: n.Line, Msg: fmt.Sprintf(format, args...)}
}

// syntax takes the line out of what the parser says: "yaml: line 3: did not find ...".
func (d *decoder) syntax(err error) error {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	e := &ConfigError{File: d.file.Path, Msg: msg}
	before, rest, ok := strings.Cut(msg, "line ")
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if line, err := strconv.Atoi(rest[:digits]); ok && err == nil {
		e.Line, e.Msg = line, before+strings.TrimPrefix(strings.TrimPrefix(rest[digits:], ":"), " ")
	}
	if strings.Contains(e.Msg, "cannot start any token") { // a tab, nearly always, or @ or a backquote
		e.Msg += "; indent with spaces, and quote what begins with @ or `"
	}
	return e
}

// mapping reads the mapping of the section where, each key at most once.
func (d *decoder) mapping(n *yaml.Node, where string) error {
	if n.Kind != yaml.MappingNode {
		return d.fail(n, "%s must be a mapping", nonEmpty(spoken(where), "the configuration"))
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i]
		if name.Kind != yaml.ScalarNode || name.ShortTag() != "!!str" {
			return d.fail(name, "a key must be a plain word")
		}
		if seen[name.Value] {
			return d.fail(name, "duplicate key %q%s", name.Value, in(where))
		}
		seen[name.Value] = true
		if err := d.key(name, n.Content[i+1], where); err != nil {
			return named(err, spoken(where), name.Value)
		}
	}
	return nil
}

// key reads one key of a mapping: a section, or a value.
func (d *decoder) key(name, value *yaml.Node, where string) error {
	full := strings.TrimPrefix(where+"."+name.Value, ".")
	for i := range keys {
		k := &keys[i]
		switch {
		case k.Name == full:
			if d.lines[full] == nil && !k.IsField() && !k.isRules() {
				d.lines[full] = []int{name.Line}
			}
			return k.read(d, value)
		case strings.HasPrefix(k.Name, full+".") && isNull(value):
			return nil
		case strings.HasPrefix(k.Name, full+"."):
			return d.mapping(value, full)
		}
	}
	return d.fail(name, "unknown key %q%s%s known: %s", name.Value, in(where), nearest(full), strings.Join(known(where), ", "))
}

// named says which key it is that "must be" something else.
func named(err error, where, name string) error {
	if e := (*ConfigError)(nil); errors.As(err, &e) && strings.HasPrefix(e.Msg, "must be ") {
		e.Msg = strings.TrimPrefix(where+".", ".") + name + " " + e.Msg
	}
	return err
}

func nonEmpty(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func in(where string) string {
	if where == "" {
		return ""
	}
	return " in " + spoken(where)
}

// spoken is a section as a message names it.
func spoken(where string) string { return strings.TrimSuffix(where, "[]") }

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }
