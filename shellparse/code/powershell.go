package code

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// psRules are the commands of PowerShell, with their aliases, that reach out: what is done
// to the operands, and what to the one after -Destination or -NewName.
var psRules = [...]struct{ names, first, second string }{
	{"remove-item ri rm del erase rd rmdir", "tree", ""},
	{"clear-content clc set-content sc out-file new-item ni tee-object", "write", ""},
	{"add-content ac", "append", ""},
	{"get-content gc cat type import-csv import-clixml", "read", ""},
	{"get-childitem gci ls dir test-path resolve-path get-item gi", "list", ""},
	{"copy-item cpi cp copy", "read", "write"},
	{"move-item mi mv move rename-item rni ren", "tree", "write"},
	{"invoke-webrequest iwr curl wget invoke-restmethod irm", "net", ""},
	{"invoke-expression iex", "code", ""},
	{"start-process saps start", "program", ""},
	{"mkdir md", "create", ""},
	{"set-location sl cd chdir push-location pushd", "opaque", ""},
	{"invoke-command icm start-job start-threadjob add-type import-module ipmo new-object set-alias sal", "opaque", ""},
	{"write-output write-host write-error write-verbose write-warning echo select-object select where-object where sort-object sort measure-object measure format-table ft format-list fl out-string out-null out-host ps gps pwd get-location sleep start-sleep set-variable join-path split-path", "pure", ""},
	{"foreach-object foreach % if else elseif while for function param return try catch finally begin process end exit", "pure", ""},
}

// psVerbs are the verbs of a Verb-Noun command that only show. Every other command with a
// dash that no rule has is opaque: it could do anything.
var psVerbs = [...]string{"get", "test", "select", "measure", "format", "convertto", "convertfrom", "compare", "find", "show", "group", "write", "out", "join", "split"}

// psPure are the classes whose static members only compute.
var psPure = [...]string{"[math]", "[string]", "[datetime]", "[int", "[guid]", "[version]", "[console]::write", "[double]", "[bool]", "[regex]"}

// A psWord is one word of a PowerShell command.
type psWord struct {
	text          string
	known, quoted bool
	start, end    int
}

// psScanner reads PowerShell as far as commands with literal words go.
type psScanner struct {
	lines
	pos int
}

func scanPowerShell(src string, nesting int, spent *budget) ([]Fact, bool) {
	s := &psScanner{lines: lines{src: src, nesting: nesting, spent: spent}}
	var cmd []psWord
	for s.pos < len(s.src) {
		rest := s.src[s.pos:]
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\r':
			s.pos++
		case strings.HasPrefix(rest, "<#"):
			if n := strings.Index(rest, "#>"); n >= 0 {
				s.pos += n + 2
			} else {
				s.pos = len(s.src)
			}
		case c == '#':
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				s.pos += n
			} else {
				s.pos = len(s.src)
			}
		case len(cmd) == 0 && (c == '&' && !strings.HasPrefix(rest, "&&") || c == '.' && len(rest) > 1 && isSpace(rest[1])):
			s.pos++ // the call operator
		case strings.IndexByte("\n;|&{}()", c) >= 0:
			if c == '(' && len(cmd) > 0 {
				cmd = append(cmd, psWord{start: s.pos, end: s.pos + 1}) // its value is an operand
			}
			s.pos++
			s.command(cmd)
			cmd = cmd[:0]
		case c == '>':
			s.redirect()
		default:
			cmd = append(cmd, s.word())
		}
	}
	s.command(cmd)
	return s.facts, s.opaque
}

func (s *psScanner) redirect() {
	for s.pos < len(s.src) && (s.src[s.pos] == '>' || s.src[s.pos] == ' ') {
		s.pos++
	}
	if s.pos >= len(s.src) {
		return
	}
	switch w := s.word(); {
	case strings.EqualFold(w.text, "$null") || strings.HasPrefix(w.text, "&"):
	case w.known:
		s.file(command.Write, 0, w.text, w.start, w.end)
	default:
		s.opaque = true
	}
}

func (s *psScanner) word() psWord {
	w := psWord{known: true, start: s.pos}
	var b strings.Builder
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		switch {
		case c == '\'' || c == '"':
			w.quoted = true
			n := strings.IndexByte(s.src[s.pos+1:], c)
			if n < 0 {
				s.opaque, w.known = true, false
				s.pos = len(s.src)
				continue
			}
			body := s.src[s.pos+1 : s.pos+1+n]
			if c == '"' && strings.ContainsAny(body, "$`") {
				w.known = false
				s.opaque = s.opaque || strings.Contains(body, "$(")
			}
			b.WriteString(body)
			s.pos += n + 2
			continue
		case isSpace(c) || strings.IndexByte(";|{}()", c) >= 0 || c == '>' && s.pos > w.start:
			if s.pos == w.start {
				s.pos++
			}
			w.text, w.end = b.String(), s.pos
			return w
		case c == '`':
			w.known, s.opaque = false, true // an escape: r`m is rm
		case c == '$':
			w.known = false
		}
		b.WriteByte(c)
		s.pos++
	}
	w.text, w.end = b.String(), s.pos
	return w
}

func (s *psScanner) command(ws []psWord) {
	for len(ws) > 1 && strings.HasPrefix(ws[0].text, "$") && ws[1].text == "=" && !ws[1].quoted {
		s.opaque = s.opaque || strings.HasPrefix(strings.ToLower(ws[0].text), "$env:")
		ws = ws[2:]
	}
	if len(ws) == 0 {
		return
	}
	head := ws[0]
	start, end := head.start, ws[len(ws)-1].end
	lower := strings.ToLower(head.text)
	switch {
	case lower == "", head.quoted && len(ws) == 1, isDigit(lower[0]), lower[0] == '=' || lower[0] == '-':
		return
	case lower[0] == '[':
		s.static(lower)
		return
	case lower[0] == '$':
		s.variable(ws, lower)
		return
	case !head.known:
		s.opaque = true
		return
	}
	for _, r := range psRules {
		for n := range strings.FieldsSeq(r.names) {
			if n == lower {
				s.apply(r.first, r.second, ws[1:], start, end)
				return
			}
		}
	}
	s.external(ws, start, end)
}

// variable is $x = command, $x.Method(...) or $x alone.
func (s *psScanner) variable(ws []psWord, lower string) {
	s.opaque = s.opaque || strings.Contains(lower, "::") || strings.Contains(lower, ".invoke") || strings.HasPrefix(lower, "$env:") && len(ws) > 1 || strings.HasPrefix(lower, "$executioncontext")
}

// static judges a static call of a class.
func (s *psScanner) static(class string) {
	for _, pure := range psPure {
		if strings.HasPrefix(class, pure) {
			return
		}
	}
	s.opaque = s.opaque || strings.Contains(class, "::") || strings.HasPrefix(class, "[char]")
}

// external is a program that PowerShell starts, or a command of a module.
func (s *psScanner) external(ws []psWord, start, end int) {
	if verb, _, ok := strings.Cut(strings.ToLower(ws[0].text), "-"); ok && !ws[0].quoted && !strings.ContainsAny(ws[0].text, "./") {
		s.opaque = s.opaque || !oneOf(verb, psVerbs[:]...)
		return
	}
	argv := make([]string, 0, len(ws))
	for _, w := range ws {
		if !w.known {
			s.opaque = true
			s.add(Fact{Right: command.Exec, Text: ws[0].text}, start, end)
			return
		}
		argv = append(argv, w.text)
	}
	s.add(Fact{Right: command.Exec, Argv: argv}, start, end)
}

// psOptions are the operands and options of one command.
type psOptions struct {
	operands    []psWord
	target, out *psWord
	upload      bool
}

func readOptions(ws []psWord) psOptions {
	var o psOptions
	for i := 0; i < len(ws); i++ {
		w := &ws[i]
		if !strings.HasPrefix(w.text, "-") || w.quoted {
			o.operands = append(o.operands, *w)
			continue
		}
		if i+1 >= len(ws) {
			break
		}
		next := &ws[i+1]
		switch strings.ToLower(w.text) {
		case "-path", "-literalpath", "-filepath", "-uri", "-command":
			o.operands = append([]psWord{*next}, o.operands...)
		case "-argumentlist":
			o.operands = append(o.operands, *next)
		case "-destination", "-newname":
			o.target = next
		case "-outfile":
			o.out = next
		case "-body", "-infile", "-form":
			o.upload = true
		case "-method":
			o.upload = o.upload || !strings.EqualFold(next.text, "get")
		case "-encoding", "-filter", "-include", "-exclude", "-value", "-itemtype", "-name", "-headers", "-erroraction", "-depth", "-totalcount", "-tail", "-first", "-last", "-property":
		default:
			continue // a switch
		}
		i++
	}
	return o
}

func (s *psScanner) apply(first, second string, ws []psWord, start, end int) {
	o := readOptions(ws)
	if second != "" && o.target == nil && len(o.operands) > 1 {
		o.target = &o.operands[1]
		o.operands = o.operands[:1]
	}
	if len(o.operands) > 1 && oneOf(first, "write", "append", "net") {
		o.operands = o.operands[:1] // the rest is the content
	}
	s.operands(first, o, start, end)
	if o.target != nil {
		s.touch(second, *o.target)
	}
	if o.out != nil {
		s.touch("write", *o.out)
	}
}

func (s *psScanner) operands(first string, o psOptions, start, end int) {
	known := len(o.operands) > 0 && o.operands[0].known
	switch first {
	case "pure":
	case "opaque":
		s.opaque = true
	case "code":
		if known && len(o.operands) == 1 {
			s.program("powershell", o.operands[0].text, start, end)
		} else {
			s.opaque = true
		}
	case "program":
		if known {
			s.external(o.operands, start, end)
		} else {
			s.opaque = true
		}
	case "net":
		if !known {
			s.opaque = true
			return
		}
		f := Fact{Right: command.Net, Text: o.operands[0].text}
		if o.upload {
			f.Flags = command.Upload
		}
		s.add(f, start, end)
	default:
		if len(o.operands) == 0 && first != "read" && first != "list" {
			s.opaque = true // what comes through the pipe
		}
		for _, w := range o.operands {
			s.touch(first, w)
		}
	}
}

func (s *psScanner) touch(verb string, w psWord) {
	right, flags, ok := rightOf(verb)
	if !ok {
		return
	}
	if !w.known {
		s.opaque = s.opaque || right != command.Read
		return
	}
	if dir, glob := globRoot(w.text); glob {
		w.text = dir
		if dir == "" {
			w.text = "."
		}
		flags |= command.Recursive
	}
	s.file(right, flags, strings.TrimSuffix(w.text, ","), w.start, w.end)
}
