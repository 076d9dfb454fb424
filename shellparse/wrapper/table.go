package wrapper

import (
	_ "embed"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

//go:embed wrappers.txt
var source string

// A client is what one program puts around.
type client struct {
	name   string
	idle   bool
	again  bool
	mark   string             // what the names of the variables begin with in which others are saved
	holes  map[string]string  // their shapes
	lines  map[string][]*line // by their first word, as a pattern has it
	bodies []body
}

// A line is one pattern of the table.
type line struct {
	role   role
	bare   bool // a variable in it needs no quotes
	words  []string
	leads  []string // what the first words begin with: all that most pieces are compared with
	holes  map[string]string
	parsed func() *regexp.Regexp // made when it is first needed: most texts need none
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

// anyone is the name under which the table has what every program may say.
const anyone = "any"

func read(text string, facts iter.Seq[agents.Fact]) (list []*client, err error) {
	common := newClient(anyone, nil)
	for n, row := range strings.Split(text, "\n") {
		row, _, _ = strings.Cut(row, " # ")
		kind, rest, _ := strings.Cut(row, " ")
		switch {
		case row == "" || row[0] == '#':
		case kind == "hole" && len(list) == 0:
			common.hole(rest)
		case kind == "client" && rest == anyone:
			list = append(list, common)
		case kind == "client":
			list = append(list, newClient(rest, common.holes))
		case len(list) == 0:
			return nil, fmt.Errorf("wrappers.txt:%d: %q before a client", n+1, row)
		default:
			if err := list[len(list)-1].add(kind, rest); err != nil {
				return nil, fmt.Errorf("wrappers.txt:%d: %w", n+1, err)
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

// share gives every program what all may say.
func share(list []*client) []*client {
	var programs []*client
	for _, c := range list {
		if c.name != anyone {
			programs = append(programs, c)
			continue
		}
		defer func() {
			for _, p := range programs {
				for word, lines := range c.lines {
					p.lines[word] = append(p.lines[word], lines...)
				}
			}
		}()
	}
	return programs
}

var roles = map[string]role{
	"around": stands, "number": stands, "own": carries,
	"flag": flags, "save": saves, "test": tests, "restore": restores, "drop": drops,
	"forget": forgets,
}

func (c *client) add(kind, text string) error {
	fields := strings.Fields(text)
	r, known := roles[kind]
	switch {
	case kind == "hole" && len(fields) > 1:
		c.hole(text)
	case kind == "idle" && len(fields) == 0:
		c.idle = true
	case kind == "again" && len(fields) == 0:
		c.again = true
	case kind == "body" && len(fields) == 1:
		c.bodies = append(c.bodies, body{open: fields[0]})
	case kind == "body" && len(fields) > 1:
		c.bodies = append(c.bodies, body{fields[0], newLine(stands, fields[1:], c.holes)})
	case known && len(fields) > 0:
		l := newLine(r, fields, c.holes)
		l.bare = kind == "number"
		c.lines[l.key()] = append(c.lines[l.key()], l)
		if r == saves {
			c.mark, _, _ = strings.Cut(fields[0], "<mark>")
		}
	default:
		return fmt.Errorf("%q is no entry", kind+" "+text)
	}
	return nil
}

func newLine(r role, words []string, holes map[string]string) *line {
	l := &line{role: r, words: words, holes: holes}
	for _, word := range words {
		if isOptional(word) {
			break
		}
		lead, _, _ := strings.Cut(strings.TrimSuffix(word, "..."), "<")
		l.leads = append(l.leads, strings.ReplaceAll(lead, "$", expansion))
	}
	l.parsed = sync.OnceValue(l.compile)
	return l
}

// key is the first word where it has no hole, and else what all such lines have in common.
func (l *line) key() string {
	if strings.Contains(l.words[0], "<") {
		return ""
	}
	return l.leads[0]
}

// mayTake reports whether it is worth to compile the pattern for these words.
func (l *line) mayTake(words []string) bool {
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

// compile makes the pattern of the words, joined.
func (l *line) compile() *regexp.Regexp {
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
	return regexp.MustCompile(b.String() + `\z`)
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

// take matches the words of a piece. It takes down what stood for the holes, but for the command.
func (l *line) take(p *piece, names map[string][]string) (own string, ok bool) {
	if p.split && !l.bare || !l.mayTake(p.words) {
		return "", false
	}
	found := l.parsed().FindStringSubmatch(strings.Join(p.words, between))
	if found == nil {
		return "", false
	}
	p.mark, p.kept = "", ""
	for i, name := range l.parsed().SubexpNames() {
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
