package command

import (
	"slices"
	"strings"
)

// Match reads argv, in which args[0] is the program word, and reports what each word does. The nil
// Spec gives the generic reading of a program without an entry: every word that looks like a name
// may be read and written, and every word that is itself the name of a dangerous program may start
// it.
func (s *Spec) Match(args []Arg) Use {
	m := matcher{args: args, spec: deepest{Spec: s}}
	switch {
	case len(args) == 0:
		return m.use
	case s == nil:
		m.generic()
		return m.use
	}
	m.mark(s.marks, 0)
	m.words(s, 1)
	m.reading = true
	m.match(m.spec.Spec)
	m.finish()
	return m.use
}

// words separates options from operands, from args[i] on.
func (m *matcher) words(s *Spec, i int) {
	if s.old && i < len(m.args) && m.args[i].Static && m.args[i].Text != "" &&
		m.args[i].Text[0] != '-' {
		i = m.oldBundle(s, i)
	}
	for ; i < len(m.args); i++ {
		a := m.args[i]
		switch {
		case s.raw:
			m.operands = append(m.operands, value{a, i})
			continue
		case m.dashes == 0 && a.Text == "--" && a.Static:
			m.dashes = i
			if s.posix {
				m.tail(i + 1)
				return
			}
			continue
		case m.dashes == 0 && !m.last && s.optionLike(a):
			i = max(m.optionWord(s, i), m.skip)
			continue
		}
		if len(m.operands) == 0 && m.dashes == 0 && !m.last && a.Static {
			if sub := s.sub(a.Text); sub != nil {
				m.spec = deepest{sub, i}
				m.mark(sub.marks, i)
				m.words(sub, i+1)
				return
			}
		}
		if len(m.operands) == 0 && m.dashes == 0 && !m.last && s.mayBeSub(a) {
			m.use.Opaque = append(m.use.Opaque, Opaque{Arg: i, Right: Exec,
				Why: "a file of that name would make it a sub-command of " + s.Name})
		}
		if !m.last {
			m.mayBeOption(s, value{a, i})
		}
		m.operands = append(m.operands, value{a, i})
		if s.posix {
			m.tail(i + 1)
			return
		}
	}
}

func (m *matcher) tail(i int) {
	for ; i < len(m.args); i++ {
		m.operands = append(m.operands, value{m.args[i], i})
	}
}

func (s *Spec) optionLike(a Arg) bool {
	return len(a.Text) > 1 && (a.Text[0] == '-' || s.plus && a.Text[0] == '+')
}

// mayBeOption notes a word of unknown beginning: it could be any option of the entry. One
// that only reads is not worth a note, since the word may be a name to read anyway.
func (m *matcher) mayBeOption(s *Spec, v value) {
	if v.Static || v.Glob || v.Below || m.dashes > 0 || v.Text != "" && v.Text[0] != '-' {
		return
	}
	m.wet = true
	if worst := s.worst(); worst > Read {
		m.use.Opaque = append(m.use.Opaque, Opaque{
			Arg: v.at, Right: worst, Option: true, Quiet: s.ReadOnly || m.has("-e") && m.has("-i"),
			Why: "it could be an option of " + s.Name})
	}
}

// worst is the worst that an option of the entry can do; 0 when none does anything.
func (s *Spec) worst() Right {
	worst := Right(0)
	for ; s != nil; s = s.up {
		for token := range s.tokens {
			o, err := parseOption(token)
			if err != nil {
				continue
			}
			worst = max(worst, worstOf(o.value.kind))
			if slices.ContainsFunc(o.marks, func(mark string) bool {
				return strings.Contains(mark,
					".")
			}) {
				worst = max(worst, Delete)
			}
		}
	}
	return worst
}

// option is Spec.option, which is not asked twice.
func (m *matcher) option(s *Spec, name string) *option {
	if o, ok := m.known[name]; ok && m.knows == s {
		return o
	}
	if m.knows != s {
		m.known, m.prefixes, m.knows = make(map[string]*option), nil, s
	}
	o := s.option(name)
	m.known[name] = o
	return o
}

// abbreviated is Spec.abbreviated, which is not asked twice.
func (m *matcher) abbreviated(s *Spec, name string) []*option {
	if found, ok := m.prefixes[name]; ok {
		return found
	}
	if m.prefixes == nil {
		m.prefixes = make(map[string][]*option)
	}
	found := s.abbreviated(name)
	m.prefixes[name] = found
	return found
}

// manyTimes is how often the same option is kept with its value: only -f of tar and the
// entry point of a container are read again, and of them one counts.
const manyTimes = 4

// optionWord reads the option word args[i], and returns the index of the last word it took.
func (m *matcher) optionWord(s *Spec, i int) int {
	a := m.args[i]
	name, _, joined := strings.Cut(a.Text, "=")
	long := strings.HasPrefix(name, "--")
	if !a.Static && !a.Glob && !joined && (long || s.dash || len(a.Text) < 2) {
		m.mayBeOption(s, value{a, i})
		return i
	}
	if o := m.option(s, name); o != nil && (long || s.dash || len(name) > 2 || o.value.kind == "" &&
		len(a.Text) == 2) {
		return m.take([]*option{o}, i, joined, len(name)+1)
	}
	if s.dash {
		// java -javaagent:FILE, -agentlib:NAME=OPTIONS
		if colon := strings.IndexByte(a.Text, ':'); colon > 0 {
			if o := m.option(s, a.Text[:colon]); o != nil && o.value.kind != "" {
				return m.take([]*option{o}, i, true, colon+1)
			}
		}
		return m.dashOption(s, i, name, joined)
	}
	if !long {
		return m.bundle(s, i)
	}
	if strings.HasPrefix(name, "--no-d") {
		m.wet = true
	}
	found := m.abbreviated(s, name)
	if len(found) == 0 {
		m.unknown(s, i)
		if joined {
			m.guess(value{a, i}.piece(len(name) + 1))
		}
		return i
	}
	return m.take(found, i, joined, len(name)+1)
}

// dashOption reads -name and --name as the same option, as Go's flag package does.
func (m *matcher) dashOption(s *Spec, i int, name string, joined bool) int {
	other := "-" + name
	if strings.HasPrefix(name, "--") {
		other = name[1:]
	}
	o := m.option(s, other)
	if o == nil {
		m.unknown(s, i)
		if joined {
			m.guess(value{m.args[i], i}.piece(len(name) + 1))
		}
		return i
	}
	return m.take([]*option{o}, i, joined, len(name)+1)
}

// take applies options whose value, if they have one, follows "=" at byte from or is the
// next word.
func (m *matcher) take(found []*option, i int, joined bool, from int) int {
	last, skip := i, m.skip
	for _, o := range found {
		v := value{Arg{Static: true}, i}
		switch {
		case joined:
			v = value{m.args[i], i}.piece(from)
		case o.value.kind != "" && !o.optional && i+1 < len(m.args):
			v, last = value{m.args[i+1], i + 1}, i+1
		case o.value.kind != "" && !o.optional:
			continue
		}
		m.apply(o, v, joined || last > i, i)
	}
	if len(found) > 1 {
		// The next word may or may not belong to the option: it counts as both.
		m.skip, m.wet = skip, true
		return i
	}
	return last
}

// bundle reads a word of one-letter options: -rf, -ofile.
func (m *matcher) bundle(s *Spec, i int) int {
	v := value{m.args[i], i}
	var done [256]bool // a letter a second time says nothing new, and a word may have a million
	for at := 1; at < len(v.Text); at++ {
		if done[v.Text[at]] {
			continue
		}
		name := v.Text[:1] + v.Text[at:at+1]
		o := m.option(s, name)
		if o == nil || o.value.kind == "" {
			done[v.Text[at]] = true
		}
		if o == nil {
			if c := v.Text[at]; c < '0' || c > '9' {
				m.unknown(s, i)
			}
			continue
		}
		rest := v.piece(at + 1)
		if o.value.kind == "NUM" {
			m.apply(o, value{}, false, i)
			at += len(rest.Text) - len(strings.TrimLeft(rest.Text, "0123456789"))
			continue
		}
		switch {
		case o.value.kind == "":
			m.apply(o, value{}, false, i)
			continue
		case rest.Text != "" || !rest.Static && !rest.Glob:
			if o.value.kind != "CFG" && strings.HasPrefix(rest.Text, "=") && len(s.Name) > 0 &&
				o.optional {
				rest = rest.piece(1)
			}
			m.apply(o, rest, true, i)
		case o.optional:
			m.apply(o, value{Arg{Static: true}, i}, false, i)
		case i+1 < len(m.args):
			m.apply(o, value{m.args[i+1], i + 1}, true, i)
			return i + 1
		}
		return i
	}
	if !v.Static && !v.Glob {
		m.mayBeOption(s, value{Arg{}, i})
	}
	return i
}

// oldBundle reads tar's first word without a dash. The values of its letters follow in
// the order of the letters, in words of their own.
func (m *matcher) oldBundle(s *Spec, i int) int {
	next := i + 1
	for at := range len(m.args[i].Text) {
		o := m.option(s, "-"+m.args[i].Text[at:at+1])
		switch {
		case o == nil:
			m.unknown(s, i)
		case o.value.kind == "" || o.optional:
			m.apply(o, value{}, false, i)
		case next < len(m.args):
			m.apply(o, value{m.args[next], next}, true, i)
			next++
		}
	}
	return next
}

// apply notes an option and what its value does.
func (m *matcher) apply(o *option, v value, has bool, at int) {
	if o.given++; o.given <= manyTimes {
		m.seen = append(m.seen, given{o, v, has})
	}
	if has && noMeans(v) && dryMark(o) {
		m.wet = true
	}
	if o.value.kind == "" {
		m.mark(o.marks, at)
		return
	}
	m.markRole(o.marks, at)
	if has {
		m.do(o.value, []value{v})
	}
}

func noMeans(v value) bool {
	return !v.Static || v.Text == "none" || v.Text == "false" || v.Text == "0"
}

func dryMark(o *option) bool { return slices.Contains(o.marks, "dry") }

func (m *matcher) unknown(s *Spec, i int) {
	if universal(m.args[i].Text) {
		m.info = true
		return
	}
	m.shows = true
	if !s.Closed {
		return
	}
	if n := len(m.use.Unknown); n > 0 && m.use.Unknown[n-1] == i {
		return
	}
	m.use.Unknown = append(m.use.Unknown, i)
}

// universal reports whether a word is one of the two options that nearly every program has and that
// do nothing.
func universal(word string) bool {
	return len(word) > 3 && (strings.HasPrefix("--help", word) || strings.HasPrefix("--version",
		word))
}
