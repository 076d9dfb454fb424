package pathguard

import (
	"errors"
	"fmt"
	"io"
	"os"
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
}

// maxConfig bounds a configuration file; nobody writes a longer one by hand.
const maxConfig = 1 << 20

// Load returns the policy of the files, in their order: the first trusted one that exists
// may replace what is built in, every later one can only tighten. An error is a
// *[ConfigError], and then there is no policy: a command is better refused than judged by
// half a file.
func Load(a Account, files ...ConfigFile) (Policy, error) {
	settings, notes, based := defaults(), []string(nil), false
	for _, f := range files {
		text, err := f.read(a.UID)
		if err != nil {
			return Policy{}, err
		}
		if text == nil {
			continue
		}
		if f.Layer != WorkspaceLayer && !based {
			based = true
			if settings, err = decode(f, text, settings); err != nil {
				return Policy{}, err
			}
			continue
		}
		var more []string
		if settings, more, err = f.tighten(text, settings); err != nil {
			return Policy{}, err
		}
		notes = append(notes, more...)
	}
	p, err := compile(a, settings, notes)
	if err != nil {
		return Policy{}, &ConfigError{File: lastPath(files), Msg: "cannot be used", Err: err}
	}
	return p, nil
}

// Tighten returns the policy made stricter by more files: what a workspace says once it is
// known. Nothing in them can loosen.
func (p Policy) Tighten(files ...ConfigFile) (Policy, error) {
	settings, notes, changed := p.set, slices.Clone(p.notes), false
	for _, f := range files {
		text, err := f.read(p.account.UID)
		if err != nil {
			return Policy{}, err
		}
		if text == nil {
			continue
		}
		var more []string
		if settings, more, err = f.tighten(text, settings); err != nil {
			return Policy{}, err
		}
		notes, changed = append(notes, more...), true
	}
	if !changed {
		return p, nil
	}
	out, err := compile(p.account, settings, notes)
	if err != nil {
		return Policy{}, &ConfigError{File: lastPath(files), Msg: "cannot be used", Err: err}
	}
	return out, nil
}

func lastPath(files []ConfigFile) string {
	if len(files) == 0 {
		return ""
	}
	return files[len(files)-1].Path
}

func (f ConfigFile) tighten(text []byte, base Settings) (Settings, []string, error) {
	blank := base
	blank.RestrictedPaths, blank.ReadOnlyPaths, blank.Protect = nil, nil, nil
	blank.Commands, blank.Paths, blank.Hosts, blank.Programs = nil, nil, nil, ""
	blank.KeepEnv, blank.Limits = nil, Limits{}
	add, err := decode(f, text, blank)
	if err != nil {
		return Settings{}, nil, err
	}
	out, notes := base.strictest(add)
	for i := range notes {
		notes[i] = f.Path + ": " + notes[i]
	}
	return out, notes, nil
}

// read returns the text of the file, or nil when there is none. The checks are made on the
// file that was opened. A workspace file is not followed through a link, because what an
// error says about it would be read aloud; it may have any owner and mode, because it can
// only tighten.
func (f ConfigFile) read(uid int) ([]byte, error) {
	flags := os.O_RDONLY | syscall.O_NONBLOCK
	if f.Layer == WorkspaceLayer {
		flags |= syscall.O_NOFOLLOW
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
	text, err := io.ReadAll(io.LimitReader(file, maxConfig+1))
	if err != nil {
		return nil, &ConfigError{File: f.Path, Msg: "cannot be read", Err: err}
	}
	if len(text) > maxConfig {
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
	forbidden, fix := os.FileMode(0o077), "chmod go="
	if f.Layer == FloorLayer { // everybody may read what holds for everybody
		forbidden, fix = 0o022, "chmod go-w"
	}
	if mode := info.Mode().Perm(); mode&forbidden != 0 {
		return &ConfigError{File: f.Path, Msg: fmt.Sprintf("has mode %04o, so others can reach it; try: %s %q", mode, fix, f.Path)}
	}
	return nil
}

// decode reads a configuration over the values that it starts from.
func decode(f ConfigFile, text []byte, start Settings) (Settings, error) {
	d := decoder{file: f, set: start}
	dec := yaml.NewDecoder(strings.NewReader(string(text)))
	var doc, more yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return start, nil
	case err != nil:
		return Settings{}, d.syntax(err)
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		if err != nil {
			return Settings{}, d.syntax(err)
		}
		return Settings{}, d.fail(&more, "a second document")
	}
	if len(doc.Content) == 0 || isNull(doc.Content[0]) {
		return start, nil
	}
	err := d.mapping(doc.Content[0], "", sections)
	return d.set, err
}

type decoder struct {
	file ConfigFile
	set  Settings
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

// A key is one entry of a mapping that the configuration may have.
type key struct {
	name string
	read func(*decoder, *yaml.Node) error
}

// mapping reads a mapping by its table of keys, each at most once.
func (d *decoder) mapping(n *yaml.Node, where string, keys []key) error {
	if n.Kind != yaml.MappingNode {
		return d.fail(n, "%s must be a mapping", nonEmpty(where, "the configuration"))
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i]
		at := slices.IndexFunc(keys, func(k key) bool { return k.name == name.Value })
		switch {
		case name.Kind != yaml.ScalarNode || name.ShortTag() != "!!str":
			return d.fail(name, "a key must be a plain word")
		case at < 0:
			return d.fail(name, "unknown key %q%s; known: %s", name.Value, in(where), known(keys))
		case seen[name.Value]:
			return d.fail(name, "key %q stands twice%s", name.Value, in(where))
		}
		seen[name.Value] = true
		if err := keys[at].read(d, n.Content[i+1]); err != nil {
			return named(err, where, name.Value)
		}
	}
	return nil
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
	return " in " + where
}

func known(keys []key) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	return strings.Join(names, ", ")
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }
