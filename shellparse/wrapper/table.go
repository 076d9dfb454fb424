package wrapper

import (
	_ "embed"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

//go:embed wrappers.txt
var source string

// A client is what one program puts around.
type client struct {
	name  string
	idle  bool
	again bool
	// what the names of the variables begin with in which others are saved
	mark   string
	holes  map[string]string  // their shapes
	lines  map[string][]*line // by their first word, as a pattern has it
	common map[string][]*line // those of all programs
	bodies []body
}

// A line is one pattern of the table. It is taken apart when a piece may be of it: most texts begin
// with no word of the table.
type line struct {
	role  role
	bare  bool   // a variable in it needs no quotes
	text  string // the pattern as the table has it
	holes map[string]string

	parted   sync.Once
	words    []string
	leads    []string // what the first words begin with: all that most pieces are compared with
	compiled sync.Once
	pattern  *regexp.Regexp // nil for a line without holes
}

// A body is a list in brackets that carries the command.
type body struct {
	open  string
	first *line // nil for none
}

// table is all of it, by program: those of agents in their order, then the hook's.
var table = sync.OnceValue(func() []*client {
	list, err := read(source, agents.Of(kinds...))
	if err != nil {
		panic(err) // it is a part of this program; a test reads it
	}
	return list
})

// kinds are those of the facts about agents that belong to the table.
var kinds = []string{
	"hole", "idle", "around", "number", "flag", "save", "test", "restore", "drop", "forget",
	"own", "body",
}

// anyone is the name under which the table lists the lines that every program may use.
const anyone = "any"

func read(text string, facts iter.Seq[agents.Fact]) (list []*client, err error) {
	common := newClient(anyone, nil)
	n := 0
	for row := range strings.Lines(text) {
		n++
		row, _, _ = strings.Cut(strings.TrimSuffix(row, "\n"), " # ")
		kind, rest, _ := strings.Cut(row, " ")
		switch {
		case row == "" || row[0] == '#':
		case kind == "hole" && len(list) == 0:
			common.hole(rest)
		case kind == "client":
			list = append(list, newClient(rest, common.holes))
		case len(list) == 0:
			return nil, fmt.Errorf("wrappers.txt:%d: %q before a client", n, row)
		default:
			if err := list[len(list)-1].add(kind, rest); err != nil {
				return nil, fmt.Errorf("wrappers.txt:%d: %w", n, err)
			}
		}
	}
	own := list
	list, last := nil, ""
	for f := range facts {
		if f.Agent != last {
			list, last = append(list, newClient(agents.Platform(f.Agent), common.holes)), f.Agent
		}
		if err := list[len(list)-1].add(f.Kind, f.Text()); err != nil {
			return nil, fmt.Errorf("%s.txt: %w", f.Agent, err)
		}
	}
	return share(append(list, own...)), nil
}

func newClient(name string, holes map[string]string) *client {
	c := &client{name: name, lines: map[string][]*line{}, holes: maps.Clone(holes)}
	if c.holes == nil {
		c.holes = map[string]string{}
	}
	return c
}

// hole takes the shape of a hole down.
func (c *client) hole(text string) {
	name, shape, _ := strings.Cut(text, " ")
	c.holes[name] = strings.TrimSpace(shape)
}

// share gives every program the lines that all may use.
func share(list []*client) []*client {
	at := slices.IndexFunc(list, func(c *client) bool { return c.name == anyone })
	if at < 0 {
		return list
	}
	common := list[at].lines
	list = slices.Delete(list, at, at+1)
	for _, c := range list {
		c.common = common
	}
	return list
}

var roles = map[string]role{
	"around": stands, "number": stands, "own": carries,
	"flag": flags, "save": saves, "test": tests, "restore": restores, "drop": drops,
	"forget": forgets,
}

func (c *client) add(kind, text string) error {
	text = strings.TrimSpace(text)
	first, more, _ := strings.Cut(text, " ")
	r, known := roles[kind]
	switch {
	case kind == "hole" && more != "":
		c.hole(text)
	case kind == "idle" && text == "":
		c.idle = true
	case kind == "again" && text == "":
		c.again = true
	case kind == "body" && more != "":
		c.bodies = append(c.bodies, body{first, &line{role: stands, text: more, holes: c.holes}})
	case kind == "body" && text != "":
		c.bodies = append(c.bodies, body{open: first})
	case known && text != "":
		key := lead(first)
		if strings.Contains(first, "<") {
			key = ""
		}
		c.lines[key] = append(c.lines[key],
			&line{role: r, text: text, holes: c.holes, bare: kind == "number"})
		if r == saves {
			c.mark, _, _ = strings.Cut(first, "<mark>")
		}
	default:
		return fmt.Errorf("%q is no entry", kind+" "+text)
	}
	return nil
}

// lead is the text before the first hole of a word.
func lead(word string) string {
	word, _, _ = strings.Cut(strings.TrimSuffix(word, "..."), "<")
	return strings.ReplaceAll(word, "$", expansion)
}

// part takes the text apart.
func (l *line) part() {
	l.words = strings.Fields(l.text)
	for _, word := range l.words {
		if isOptional(word) {
			break
		}
		l.leads = append(l.leads, lead(word))
	}
}

// mayTake reports whether it is worth to compile the pattern for these words.
func (l *line) mayTake(words []string) bool {
	l.parted.Do(l.part)
	if len(words) < len(l.leads) {
		return false
	}
	for i, lead := range l.leads {
		if !strings.HasPrefix(words[i], lead) {
			return false
		}
	}
	return true
}

func isOptional(word string) bool {
	return strings.HasPrefix(word, "[-") && strings.HasSuffix(word, "]")
}

var hole = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<([a-z]+)>`) })

// find returns the text that matches the pattern and each of its holes, and the names of the holes;
// nil if the words do not match.
func (l *line) find(words string) (found, holes []string) {
	l.compiled.Do(l.compile)
	switch {
	case l.pattern != nil:
		return l.pattern.FindStringSubmatch(words), l.pattern.SubexpNames()
	case words == strings.Join(l.leads, between):
		return []string{words}, nil
	}
	return nil, nil
}

// isPlain reports whether a line matches only itself.
func (l *line) isPlain() bool {
	return !strings.Contains(l.text, "<") && !strings.Contains(l.text, "...") &&
		len(l.leads) == len(l.words)
}

// compile makes the pattern of the words, joined.
func (l *line) compile() {
	if l.isPlain() {
		return
	}
	var b strings.Builder
	b.WriteString(`\A`)
	for i, word := range l.words {
		optional := isOptional(word)
		if optional {
			word = word[1 : len(word)-1]
		}
		bare, more := strings.CutSuffix(word, "...")
		one := l.word(bare)
		switch {
		case i == 0:
		case optional:
			one = "(?:" + between + one + ")?"
		default:
			one = between + one
		}
		b.WriteString(one)
		if more {
			b.WriteString("(?:" + between + l.unnamed(bare) + ")*")
		}
	}
	l.pattern = regexp.MustCompile(b.String() + `\z`)
}

// word is the pattern of one word, with a group for each hole.
func (l *line) word(s string) string {
	var b strings.Builder
	end := 0
	for _, at := range hole().FindAllStringSubmatchIndex(s, -1) {
		name := s[at[2]:at[3]]
		fmt.Fprintf(&b, "%s(?P<%s>%s)", literal(s[end:at[0]]), name, l.shape(name))
		end = at[1]
	}
	return b.String() + literal(s[end:])
}

func (l *line) unnamed(s string) string {
	return regexp.MustCompile(`\?P<[a-z]+>`).ReplaceAllString(l.word(s), "?:")
}

// shape is the expression of a hole. One that is not given matches nothing.
func (l *line) shape(name string) string {
	if s, ok := l.holes[name]; ok {
		return s
	}
	return `\x00{1000}`
}

func literal(s string) string { return regexp.QuoteMeta(strings.ReplaceAll(s, "$", expansion)) }

// take matches the words of a piece. It records the texts of the holes, except for the command.
func (l *line) take(p *piece, names map[string][]string) (own string, ok bool) {
	if p.split && !l.bare || !l.mayTake(p.words) {
		return "", false
	}
	found, holes := l.find(strings.Join(p.words, between))
	if found == nil {
		return "", false
	}
	p.mark, p.kept = "", ""
	for i, name := range holes {
		switch {
		case name == "own":
			own = found[i]
		case l.role.isKeep() && name == "mark":
			p.mark = found[i]
		case l.role.isKeep() && name == "kept":
			p.kept = found[i]
		case name != "" && found[i] != "" && !l.role.isKeep():
			names[name] = append(names[name], found[i])
		}
	}
	return own, true
}

// inside returns the command in a list, where the program has such a one.
func (c *client) inside(p *piece, names map[string][]string) (own string, ok bool) {
	for _, b := range c.bodies {
		if b.open != p.list.open {
			continue
		}
		at := p.list.inner.start
		if b.first != nil {
			if len(p.list.stmts) == 0 {
				continue
			}
			f := flattener{text: p.list.text}
			if !f.stmt(p.list.stmts[0]) || len(f.pieces) != 1 || f.pieces[0].list != nil {
				continue
			}
			if _, ok := b.first.take(&f.pieces[0], names); !ok {
				continue
			}
			at = f.pieces[0].end
		}
		own := p.list.text[at:p.list.inner.end]
		p.start, p.end = at, p.list.inner.end
		return trim(own, b.open), true
	}
	return "", false
}

// trim takes away what the program put between the brackets and the command.
func trim(own, open string) string {
	if open == "{" {
		return strings.TrimSuffix(strings.TrimSpace(own), ";")
	}
	own = strings.TrimPrefix(strings.TrimPrefix(own, ";"), "\n")
	return strings.TrimSuffix(own, "\n")
}
