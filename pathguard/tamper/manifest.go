package tamper

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A record is the baseline of one file.
type record struct {
	Seen
	Path    string
	Pattern string // the entry of security.protect that made it protected
	settled bool   // the stamp was old enough when it was taken to be trusted
	kept    bool   // a copy of the content is among the blobs
}

// A grant says that a run may write some files, from before it starts until it has reported what it
// wrote.
type grant struct {
	id, owner string
	paths     []string
}

// A save says that tada-run itself is putting a content in place.
type save struct {
	path, raw string // raw is "" for a file that goes away
	event     Event
}

// A manifest is the whole state of a store, in one file that is replaced as a whole: a baseline,
// the copy that it names, and what must be reported about it change in one step or not at all.
type manifest struct {
	seq     uint64
	mode    modeState
	records map[string]*record
	slab    []record // where the records that were read lie, by their names
	grants  []grant
	saves   []save
	shown   map[string]string // path to the digest that a person was shown last
	told    map[string]string // path to the digest that was last reported as detected
	events  []Event           // not yet known to be in the log
}

// A modeState is the last known value of security.tamper_proof.
type modeState struct {
	known   bool
	on      bool
	pending bool // the configuration says off, and no person has confirmed it
}

func newManifest() *manifest {
	return &manifest{seq: 1, records: map[string]*record{}, shown: map[string]string{},
		told: map[string]string{}}
}

// inOrder returns the records by their names, so that those of one folder follow each other.
func (m *manifest) inOrder() []*record {
	all := make([]*record, 0, len(m.records))
	for i := range m.slab {
		if r := &m.slab[i]; m.records[r.Path] == r {
			all = append(all, r)
		}
	}
	if len(all) == len(m.records) { // nothing was changed since it was read
		return all
	}
	return slices.SortedFunc(maps.Values(m.records),
		func(a, b *record) int { return strings.Compare(a.Path, b.Path) })
}

// grantsOn returns the grants that name a path.
func (m *manifest) grantsOn(path string) []grant {
	var on []grant
	for _, g := range m.grants {
		if slices.Contains(g.paths, path) {
			on = append(on, g)
		}
	}
	return on
}

// raws are the hashes of the contents that the manifest needs.
func (m *manifest) raws() map[string]bool {
	used := make(map[string]bool, len(m.records))
	for _, r := range m.records {
		if r.kept {
			used[r.Raw] = true
		}
	}
	for _, s := range m.saves {
		used[s.raw] = true
	}
	return used
}

const manifestHeader = "tada-shadow 1\n"

// encode writes the manifest; see the manual of the package for the format.
func (m *manifest) encode() []byte {
	b := make([]byte, 0, 256+320*len(m.records))
	b = append(b, manifestHeader...)
	b = fmt.Appendf(b, "seq %d\n", m.seq)
	if m.mode.known {
		b = fmt.Appendf(b, "mode %v %v\n", m.mode.on, m.mode.pending)
	}
	for _, path := range sortedKeys(m.records) {
		r := m.records[path]
		b = fmt.Appendf(b, "file %s %o %d %d %d %d %d %d %v %v %s %s %q %q %q %q\n",
			r.Form, r.Mode, r.Size, r.stamp.dev, r.stamp.ino, r.stamp.mtime, r.stamp.ctime,
			r.stamp.mode, r.settled, r.kept,
			dash(r.Raw), dash(r.Text), r.Target, r.Real, r.Pattern, r.Path)
	}
	for _, g := range m.grants {
		b = fmt.Appendf(b, "grant %q %q", g.id, g.owner)
		for _, p := range g.paths {
			b = fmt.Appendf(b, " %q", p)
		}
		b = append(b, '\n')
	}
	for _, s := range m.saves {
		event, _ := json.Marshal(s.event)
		b = fmt.Appendf(b, "save %s %q %s\n", dash(s.raw), s.path, event)
	}
	for _, path := range sortedKeys(m.shown) {
		b = fmt.Appendf(b, "shown %s %q\n", m.shown[path], path)
	}
	for _, path := range sortedKeys(m.told) {
		b = fmt.Appendf(b, "told %s %q\n", m.told[path], path)
	}
	for _, e := range m.events {
		event, _ := json.Marshal(e) // no field of it can fail
		b = fmt.Appendf(b, "event %s\n", event)
	}
	return fmt.Appendf(b, "sum %s\n", hexSum(b))
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

const sumLine = len("sum ") + 64 + len("\n")

// decode reads a manifest. The sum at its end detects damage, not malice: an attacker that can
// write here can write a sum.
func decode(file []byte) (*manifest, error) {
	cut := len(file) - sumLine
	if cut < 0 || string(file[cut:]) != "sum "+hexSum(file[:cut])+"\n" {
		return nil, ErrCorrupt
	}
	text := string(file)
	if !strings.HasPrefix(text, manifestHeader) {
		return nil, ErrCorrupt
	}
	m := newManifest()
	n := strings.Count(text[:cut], "\nfile ")
	m.records, m.slab = make(map[string]*record, n), make([]record, 0, n)
	body := text[len(manifestHeader):max(cut, len(manifestHeader))]
	for n := 2; body != ""; n++ {
		line, rest, whole := strings.Cut(body, "\n")
		body = rest
		word, fields, _ := strings.Cut(line, " ")
		read := lineReader(word)
		if read == nil || !whole {
			return nil, fmt.Errorf("%w: line %d is of no known kind", ErrCorrupt, n)
		}
		s := scanner{text: fields}
		read(m, &s)
		if s.bad || s.text != "" {
			return nil, fmt.Errorf("%w: line %d cannot be read", ErrCorrupt, n)
		}
	}
	return m, nil
}

// lineReader returns what reads the lines of a manifest with this first word; nil for none.
func lineReader(word string) func(*manifest, *scanner) {
	switch word {
	case "seq":
		return func(m *manifest, s *scanner) { m.seq = s.unsigned(10) }
	case "mode":
		return func(m *manifest, s *scanner) { m.mode = modeState{true, s.boolean(), s.boolean()} }
	case "file":
		return readRecord
	case "grant":
		return readGrant
	case "save":
		return func(m *manifest, s *scanner) {
			m.saves = append(m.saves, save{raw: s.hash(), path: s.quoted(), event: s.event()})
		}
	case "shown":
		return func(m *manifest, s *scanner) { s.pair(m.shown) }
	case "told":
		return func(m *manifest, s *scanner) { s.pair(m.told) }
	case "event":
		return func(m *manifest, s *scanner) { m.events = append(m.events, s.event()) }
	}
	return nil
}

func readGrant(m *manifest, s *scanner) {
	g := grant{id: s.quoted(), owner: s.quoted()}
	for s.text != "" && !s.bad {
		g.paths = append(g.paths, s.quoted())
	}
	m.grants = append(m.grants, g)
}

func readRecord(m *manifest, s *scanner) {
	m.slab = append(m.slab, record{}) // never more than were counted, so that it does not move
	r := &m.slab[len(m.slab)-1]
	form, ok := formOf(s.word())
	s.bad = s.bad || !ok
	r.Form, r.Mode, r.Size = form, uint32(s.unsigned(8)), s.integer()
	r.stamp = stamp{dev: s.unsigned(10), ino: s.unsigned(10), mtime: s.integer(),
		ctime: s.integer(), mode: uint32(s.unsigned(10))}
	r.settled, r.kept = s.boolean(), s.boolean()
	r.Raw, r.Text = s.hash(), s.hash()
	r.Target, r.Real, r.Pattern, r.Path = s.quoted(), s.quoted(), s.quoted(), s.quoted()
	r.stamp.size = r.Size
	m.records[r.Path] = r
}

// A scanner reads the fields of a line. After a field that is none it is bad, and all others are
// zero.
type scanner struct {
	text string
	bad  bool
	last string // hash: of a text with LF that of its bytes is the same
}

func (s *scanner) word() string {
	w, rest, _ := strings.Cut(s.text, " ")
	s.text = rest
	s.bad = s.bad || w == ""
	return w
}

func (s *scanner) integer() int64 {
	n, err := strconv.ParseInt(s.word(), 10, 64)
	s.bad = s.bad || err != nil
	return n
}

func (s *scanner) unsigned(base int) uint64 {
	n, err := strconv.ParseUint(s.word(), base, 64)
	s.bad = s.bad || err != nil
	return n
}

func (s *scanner) boolean() bool {
	w := s.word()
	s.bad = s.bad || w != "true" && w != "false"
	return w == "true"
}

// hash reads 64 digits, or "-" for none.
func (s *scanner) hash() string {
	w := s.word()
	if w == "-" {
		return ""
	}
	s.bad = s.bad || len(w) != 64 || w != s.last && strings.Trim(w, "0123456789abcdef") != ""
	s.last = w
	return w
}

func (s *scanner) quoted() string {
	if end := plainQuote(s.text); end > 0 {
		text := s.text[1:end]
		s.text = s.text[end+1:]
		s.next()
		return text
	}
	q, err := strconv.QuotedPrefix(s.text)
	if err != nil || q[0] != '"' {
		s.bad, s.text = true, ""
		return ""
	}
	s.text = s.text[len(q):]
	s.next()
	text, err := strconv.Unquote(q)
	s.bad = s.bad || err != nil
	return text
}

// next goes to the field after a quoted one.
func (s *scanner) next() {
	if s.text != "" {
		s.bad = s.bad || s.text[0] != ' ' || len(s.text) == 1
		s.text = s.text[1:]
	}
}

// plainQuote is the index of the closing quote of a text that begins with a quoted string of
// graphic ASCII without escapes, which nearly all names are; 0 for any other.
func plainQuote(text string) int {
	if text == "" || text[0] != '"' {
		return 0
	}
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return i
		case c == '\\' || c < ' ' || c >= 0x7f:
			return 0
		}
	}
	return 0
}

func (s *scanner) pair(to map[string]string) {
	digest := s.hash()
	s.bad = s.bad || digest == ""
	to[s.quoted()] = digest
}

func (s *scanner) event() (e Event) {
	s.bad = s.bad || json.Unmarshal([]byte(s.text), &e) != nil
	s.text = ""
	return e
}
