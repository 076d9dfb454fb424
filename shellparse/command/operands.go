package command

import (
	"slices"
	"strings"
)

// match reads the operands by the pattern that the options choose.
func (m *matcher) match(s *Spec) {
	p := m.pattern(s)
	if p == nil {
		for _, v := range m.operands {
			m.guess(v)
		}
		return
	}
	at := 0
	if len(m.operands) > 0 {
		at = m.operands[0].at
	}
	m.mark(p.marks, at)
	m.unnamed(s, p)
	rest := m.operands
	need := 0
	for _, sl := range p.slots {
		need += sl.min
	}
	for _, sl := range p.slots {
		need -= sl.min
		n := max(0, min(sl.max, len(rest)-need))
		switch {
		case n > 0 || restKind(sl.kind) || sl.kind == "GITURL":
			m.do(sl.role, rest[:n])
		case sl.param != "" && isPath(sl.kind):
			// The default operand: `ls` and `rg x` read ".".
			m.path(sl.role, value{Arg{Text: sl.param, Static: true}, -1})
		}
		rest = rest[n:]
	}
	for _, v := range rest {
		m.guess(v)
	}
}

// unnamed reads the sub-command that an entry does not name, or names as one of all others.
func (m *matcher) unnamed(s *Spec, p *pattern) {
	at := m.spec.at
	if !m.plain || s.ReadOnly || len(p.marks)+len(s.marks) > 0 || len(p.slots) != 1 ||
		p.slots[0].kind != "_" {
		return
	}
	switch {
	case s.subs != "" && len(m.operands) > 0:
		m.verbs(m.operands[0].at)
	case at > 0 && s.up != nil && !s.up.spells(m.args[at].Text):
		m.verbs(at)
	}
}

// pattern returns the first pattern of which a condition holds, or else the one without any.
func (m *matcher) pattern(s *Spec) *pattern {
	plain := -1
	for i, line := range s.patterns {
		if line[0] == ':' {
			plain = i
			continue
		}
		p, err := parsePattern(line)
		if err == nil && slices.ContainsFunc(p.with, m.hasAll) {
			return &p
		}
	}
	if plain < 0 {
		return nil
	}
	m.plain = true
	p, err := parsePattern(s.patterns[plain])
	if err != nil {
		return nil
	}
	return &p
}

// hasAll reports whether every option of "-i&-e" was given.
func (m *matcher) hasAll(names string) bool {
	for name := range strings.SplitSeq(names, "&") {
		if !m.has(name) {
			return false
		}
	}
	return true
}

// finish settles what depends on the whole line.
func (m *matcher) finish() {
	u := &m.use
	if m.asksForHelp() {
		*u = Use{ReadOnly: true}
		return
	}
	if m.dry && !m.wet {
		m.harmless()
	}
	if slices.ContainsFunc(m.seen, erases) {
		m.erases()
	}
	for i := range u.Hosts {
		u.Hosts[i].Upload = u.Hosts[i].Upload || m.flags&Upload != 0
		u.Hosts[i].Built = u.Hosts[i].Built || m.built
	}
	if m.here {
		for _, v := range m.operands {
			m.download(v)
		}
	}
	m.uses()
	if slices.Contains(m.spec.marks, "dump") && slices.ContainsFunc(u.Hosts, func(h Host) bool {
		return !loopback(h.Host)
	}) {
		m.hazard("db.dump", u.Hosts[0].Arg)
	}
	for i := range u.Touches {
		u.Touches[i].InDir = u.Touches[i].InDir && u.Dir != nil
	}
	for i := range u.Nested {
		n := &u.Nested[i]
		n.Remote = n.Remote || m.spec.remote
		n.Secrets = slices.Contains(m.spec.marks, "secrets")
		if n.Dir == nil {
			n.Dir = u.Dir
		}
		if n.Env == nil {
			n.Env = u.Assign
		}
	}
	if !m.info && !m.has("-f") {
		u.Project = m.inherited(func(s *Spec) string { return s.project })
	}
	if u.Filter == "" {
		u.Filter = m.inherited(func(s *Spec) string { return s.filter })
	}
	if u.Filter == FilterEnvironment && len(u.Nested) > 0 {
		u.Filter = "" // env prints no variables when it starts something
	}
	// An entry says what standard input is for when there is nothing else to execute: no operand,
	// and no option with a pattern.
	if u.StdinCode == "" && len(m.operands) == 0 && !m.info && m.plain {
		u.StdinCode = m.spec.stdin
	}
	u.ReadOnly = m.spec.ReadOnly && m.changesNothing()
}

func (m *matcher) inherited(get func(*Spec) string) string {
	for s := m.spec.Spec; s != nil; s = s.up {
		if v := get(s); v != "" {
			return v
		}
	}
	return ""
}

// asksForHelp recognises `git push --help`: the option comes last, and before it are only names of
// sub-commands, so no other option can have taken it for its value.
func (m *matcher) asksForHelp() bool {
	last := m.args[len(m.args)-1]
	if m.spec.raw || !last.Static || last.Text != "--help" && last.Text != "--version" ||
		m.dashes > 0 {
		return false
	}
	depth := 0
	for s := m.spec.Spec; s != nil; s = s.up {
		depth++
	}
	return len(m.args) == depth+1
}

// harmless takes back what a dry run does not do.
func (m *matcher) harmless() {
	m.use.Hazards = nil
	m.flags &^= Upload
	for i := range m.use.Hosts {
		m.use.Hosts[i].Upload = false
	}
	for i, t := range m.use.Touches {
		if t.Right == Write || t.Right == Delete || t.Right == Create {
			m.use.Touches[i].Right = Read
			m.use.Touches[i].Flags &^= Append | Meta | Link
		}
	}
}

// uses marks what is read as used, if an option says so of the whole command, and nothing as used
// if an option or a word may show it.
func (m *matcher) uses() {
	for i, t := range m.use.Touches {
		switch {
		case m.shows || len(m.use.Opaque) > 0:
			m.use.Touches[i].Flags &^= Uses
		case t.Right == Read:
			m.use.Touches[i].Flags |= m.flags & Uses
		}
	}
}

func (m *matcher) changesNothing() bool {
	u := &m.use
	if m.changes || len(u.Hazards) > 0 || len(u.Unknown) > 0 || u.StdinCode != "" {
		return false
	}
	for _, t := range u.Touches {
		if t.Right != Read {
			return false
		}
	}
	return !slices.ContainsFunc(u.Hosts, func(h Host) bool {
		return h.Upload || h.Built || !h.Static
	})
}
