package command

import (
	_ "embed"
	"strings"
)

// A Spec is the entry of one program, or of one of its sub-commands. It is immutable and
// safe for concurrent use.
type Spec struct {
	Name     string // as the entry spells it; "git push" for a sub-command
	Closed   bool   // every option is in the entry, so another one is suspicious
	ReadOnly bool   // nothing is changed unless an option or operand says so

	posix     bool   // options end at the first operand
	dash      bool   // long options with one dash, no bundles (go, java, terraform)
	raw       bool   // the words follow a grammar of their own (find, dd)
	plus      bool   // +x is an option
	old       bool   // the first word may be a bundle without a dash (tar xf)
	remote    bool   // what it starts runs elsewhere
	versioned bool   // it is installed under names with a version, too
	project   string // the file in the directory it works in that it executes by itself
	filter    string
	stdin     string

	marks    []string
	options  []string // lines of option tokens, unparsed: a line asks for two of a hundred
	patterns []string // lines of operands, unparsed: "-t -x !mark : slots" or " : slots"
	subs     string   // the unparsed text of its sub-commands, which come last
	up       *Spec    // the program above: its options stay valid
}

// An option is one option with all its spellings.
type option struct {
	names    string // with their dashes, joined by commas
	value    role   // kind "" when it takes none
	optional bool   // the value must stand in the same word
	given    int    // how often a line gave it
	marks    []string
}

// A role says what a word means: the kind of the roles table, its parameter and marks.
type role struct {
	kind  string
	param string
	marks []string
}

// A slot is a role and how many operands it takes.
type slot struct {
	role
	min, max int
}

// A pattern tells operands apart. It counts when one of its options is present; the
// pattern without any is the last resort.
type pattern struct {
	with  []string
	marks []string
	slots []slot
}

const unlimited = 1 << 30

var (
	//go:embed table/build.txt
	buildTable string
	//go:embed table/code.txt
	codeTable string
	//go:embed table/files.txt
	filesTable string
	//go:embed table/git.txt
	gitTable string
	//go:embed table/net.txt
	netTable string
	//go:embed table/ops.txt
	opsTable string
	//go:embed table/system.txt
	systemTable string
	//go:embed table/text.txt
	textTable string
	//go:embed table/wrap.txt
	wrapTable string
	//go:embed table/hazards.txt
	hazardsTable string
)

func tables() [9]string {
	return [...]string{
		filesTable, textTable, wrapTable, gitTable, codeTable,
		buildTable, netTable, systemTable, opsTable,
	}
}

// Lookup returns the entry of a program by its base name; ok is false when the table has
// none. Only the entry that is asked for is parsed.
func Lookup(name string) (s *Spec, ok bool) {
	if badName(name) {
		return nil, false
	}
	for _, text := range tables() {
		if s, ok := lookup(text, name); ok {
			return s, true
		}
	}
	short := unversioned(name)
	if short == name {
		return nil, false
	}
	for _, text := range tables() {
		if s, ok := lookup(text, short); ok && s.versioned {
			return s, true
		}
	}
	return nil, false
}

// badName tells names that would be read as something else in a table.
func badName(name string) bool { return name == "" || strings.ContainsAny(name, " \t\n:=#,") }

// variants are the endings under which distributions install a build of the same program.
var variants = []string{
	".basic", ".bfs", ".btrfs", ".cramfs", ".exfat", ".exe", ".ext2", ".ext3", ".ext4", ".f2fs", ".fat", ".gtk3",
	".minix", ".msdos", ".ntfs", ".nox", ".openbsd", ".tiny", ".traditional", ".vfat", ".xfs",
}

// unversioned drops what distributions add to the name of a program: python3.12 is python,
// gcc-13 is gcc, mkfs.ext4 is mkfs. Only entries of the class "versioned" answer to such a
// name, because test2 is hardly test.
func unversioned(name string) string {
	for _, v := range variants {
		if short, ok := strings.CutSuffix(name, v); ok && short != "" {
			return short
		}
	}
	if short := strings.TrimRight(name, "0123456789."); short != "" && short != name {
		return strings.TrimSuffix(short, "-")
	}
	return name
}

// lookup finds the entry in one table and follows `name = other` once: an alias of an
// alias would be a riddle for the reader of the table.
func lookup(text, name string) (*Spec, bool) {
	block, ok := find(text, name)
	if !ok {
		return nil, false
	}
	if same, ok := aliasOf(block); ok {
		if block, ok = find(text, same); !ok {
			return nil, false
		}
	}
	s, err := parseEntry(block)
	if err != nil {
		return nil, false
	}
	return s, true
}

func aliasOf(block string) (string, bool) {
	head, _, _ := strings.Cut(block, "\n")
	_, same, ok := strings.Cut(head, " = ")
	return strings.TrimSpace(same), ok && !strings.Contains(head, ":")
}

// find searches a sorted table for the block of one entry, header line included, by
// halving: no index has to be built when a process starts. It looks forward for a header,
// because a block may be long and the library is fast in that direction only.
func find(text, name string) (string, bool) {
	lo, hi := 0, len(text)
	for lo < hi {
		mid := lo + (hi-lo)/2
		at := header(text[:hi], mid)
		switch {
		case at == hi: // the rest of an entry, or comments
			hi = mid
		case headerName(text[at:]) == name:
			return text[at:header(text, at+1)], true
		case headerName(text[at:]) < name:
			lo = at + 1
		default:
			hi = mid
		}
	}
	return "", false
}

// header returns the offset of the first entry header at or after from, or len(text).
func header(text string, from int) int {
	if from > 0 {
		nl := strings.IndexByte(text[from-1:], '\n')
		if nl < 0 {
			return len(text)
		}
		from += nl
	}
	for from < len(text) {
		switch text[from] {
		case ' ', '\t', '\n', '#':
		default:
			return from
		}
		nl := strings.IndexByte(text[from:], '\n')
		if nl < 0 {
			return len(text)
		}
		from += nl + 1
	}
	return len(text)
}

func headerName(line string) string {
	for i := range len(line) {
		if c := line[i]; c == ':' || c == ' ' || c == '\n' {
			return line[:i]
		}
	}
	return line
}

// sub finds the sub-command a word names; nil when the entry has none such.
func (s *Spec) sub(word string) *Spec {
	if s.subs == "" || word == "" {
		return nil
	}
	indent := leading(s.subs)
	for text := s.subs; text != ""; {
		head, rest, _ := strings.Cut(text, "\n")
		if leading(head) == indent && strings.TrimSpace(head) != "" && names(head, word) {
			block, _ := cutBlock(text, indent)
			sub, err := parseEntry(block)
			if err != nil {
				return nil
			}
			sub.Name, sub.up = s.Name+" "+word, s
			sub.inherit(s)
			return sub
		}
		text = rest
	}
	return nil
}

// names tells whether a header line is that of the word.
func names(head, word string) bool {
	if !strings.Contains(head, word) && strings.IndexByte(head, '*') < 0 {
		return false
	}
	list, _, _ := cutNames(head)
	for name := range strings.SplitSeq(list, ",") {
		if matchName(strings.TrimSpace(name), word) {
			return true
		}
	}
	return false
}

// inherit hands down what is true of a program to each of its sub-commands.
func (s *Spec) inherit(up *Spec) {
	s.Closed = s.Closed || up.Closed
	s.dash = s.dash || up.dash
	s.remote = s.remote || up.remote
}

// matchName compares a word with a name of the table, which may hold one star ("delete-*").
func matchName(name, word string) bool {
	head, tail, star := strings.Cut(name, "*")
	if !star {
		return name == word
	}
	return len(word) >= len(head)+len(tail) && strings.HasPrefix(word, head) && strings.HasSuffix(word, tail)
}
