package pathguard

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse/command"
)

// Default returns the built-in policy, "balanced".
func Default(a Account) Policy {
	p, _ := compile(a, defaults(), nil) // the built-in names are constants: a test compiles them
	return p
}

// compile puts the settings into the form that Judge asks.
func compile(a Account, s Settings, notes []string) (Policy, error) {
	p := Policy{account: a, set: s, notes: notes, commands: map[string][]CommandRule{},
		hosts: map[string][]HostRule{}}
	b := builder{p: &p, tree: &tree{known: true, ids: map[walk.ID][]mark{}}, disk: walk.OpenDisk()}
	defer b.disk.Close()
	b.homes()
	b.tree.homes = p.homes
	b.settings(s)
	if b.err != nil {
		return Policy{}, b.err
	}
	p.tree = b.tree
	p.programs = p.programs.Keeping()
	if s.Programs != "" {
		var err error
		if p.programs, err = command.Parse(s.Programs); err != nil {
			return Policy{}, fmt.Errorf("programs: %w", err)
		}
		p.programs = p.programs.Keeping()
	}
	p.digest = digest(a, s)
	return p, nil
}

type builder struct {
	p    *Policy
	tree *tree
	disk *walk.Disk
	err  error
}

func (b *builder) homes() {
	a := b.p.account
	for _, home := range []string{a.Home, a.EnvHome} {
		if !strings.HasPrefix(home, "/") || home == "/" {
			continue
		}
		real, _, _ := b.disk.Real(home)
		if !slices.Contains(b.p.reals, real) {
			b.p.reals = append(b.p.reals, real)
		}
		for _, h := range []string{strings.TrimRight(home, "/"), real} {
			if !slices.Contains(b.p.homes, h) {
				b.p.homes = append(b.p.homes, h)
			}
		}
	}
	// The account's own state too, whichever one is in use: a command that may write there would
	// choose the policy of the next one.
	states := []string{"/etc/tada"}
	for _, home := range append([]string{strings.TrimRight(a.Home, "/")}, b.p.homes...) {
		if dir := home + "/.tada"; a.Home != "" && !slices.Contains(states, dir) {
			states = append(states, dir)
		}
	}
	if a.StateDir != "" && !slices.Contains(states, a.StateDir) {
		states = append(states, a.StateDir)
	}
	for _, dir := range states {
		b.put(dir, mark{kind: markState})
	}
}

func (b *builder) settings(s Settings) {
	for _, path := range s.RestrictedPaths {
		if b.err == nil && strings.Trim(path, "/*") == "" {
			b.err = fmt.Errorf("security.restricted_paths: %q covers every file, and no command "+
				"could start; name the folders to keep out of reach", path)
		}
		b.put(path, mark{kind: markRestricted})
	}
	for _, path := range s.ReadOnlyPaths {
		b.put(path, mark{kind: markReadOnly})
	}
	for i := range s.Paths {
		b.put(s.Paths[i].Path, mark{kind: markRule, rule: &s.Paths[i]})
	}
	for _, c := range s.Commands {
		name := c.Program[strings.LastIndexByte(c.Program, '/')+1:]
		b.p.commands[name] = append(b.p.commands[name], c)
	}
	for _, h := range s.Hosts {
		name := strings.TrimPrefix(h.Host, "*.")
		b.p.hosts[name] = append(b.p.hosts[name], h)
	}
}

// put adds one rule under every path that it means. What the configuration names is
// resolved too, and remembered by its inode, so that neither a link nor a second name of
// the same file is a way around it.
func (b *builder) put(path string, m mark) {
	m.path = path
	for _, full := range pathname.ExpandHome(path, b.p.homes) {
		b.add(full, m)
		if strings.ContainsAny(full, "*?[") {
			continue
		}
		real, id, exists := b.disk.Real(full)
		if real != full {
			b.add(real, m)
		}
		if exists && real != "/" {
			m.real = real
			b.tree.ids[id] = append(b.tree.ids[id], m)
		}
		if m.kind == markState {
			b.p.states = append(b.p.states, real)
		}
	}
}

func (b *builder) add(path string, m mark) {
	if err := b.tree.add(path, m); err != nil && b.err == nil {
		b.err = fmt.Errorf("pattern %q: %w", m.path, err)
	}
}

// digest names what decides: the settings, the account, and everything built in.
func digest(a Account, s Settings) string {
	h := sha256.New()
	s.Expect = nil // an approval is as good with other cases
	fmt.Fprintf(h, "%s\n%q %q %q\n%#v\n", builtin, a.Home, a.EnvHome, a.StateDir, s)
	return hex.EncodeToString(h.Sum(nil))
}

// builtin is the digest of the built-in tables. They change with the program only, so a
// test computes it and every start saves the work.
const builtin = "df16a2f8ea1de395d655fde6766c3cb0bce8071280edba67e65007edc0acca1d"

// RestrictedPaths returns security.restricted_paths, absolute.
func (p Policy) RestrictedPaths() []string {
	return pathname.ExpandAll(p.set.RestrictedPaths, p.homes)
}

// ReadOnlyPaths returns security.readonly_paths, absolute.
func (p Policy) ReadOnlyPaths() []string { return pathname.ExpandAll(p.set.ReadOnlyPaths, p.homes) }
