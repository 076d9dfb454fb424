package code

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// vimScanner reads Ex commands and Vim script: what -c, +cmd and a script hold.
type vimScanner struct{ lines }

func scanVim(src string, nesting int, spent *budget) ([]Fact, bool) {
	s := &vimScanner{lines{src: src, nesting: nesting, spent: spent}}
	eachLine(src, func(line string, at int) { s.ex(line, at, 0) })
	return s.facts, s.opaque
}

// exRules are the Ex commands that reach files, programs and other languages: the length
// of the shortest abbreviation, the full name, and what it does with its argument. The
// others change buffers, windows and options. The first that matches counts.
var exRules = [...]struct {
	least      int
	name, does string
}{
	{1, "write", "write"}, {2, "wq", "write"}, {1, "xit", "write"}, {3, "exit", "write"}, {2, "update", "write"},
	{3, "saveas", "write"}, {2, "wnext", "opaque"}, {2, "wviminfo", "write"}, {2, "mkexrc", "write"}, {3, "mkvimrc", "write"},
	{3, "mksession", "write"}, {5, "mkview", "opaque"}, {4, "mkspell", "write"}, {5, "wundo", "write"},
	{1, "read", "read"}, {1, "edit", "read"}, {3, "view", "read"}, {2, "split", "read"}, {2, "vsplit", "read"},
	{4, "tabedit", "read"}, {6, "tabnew", "read"}, {3, "find", "read"}, {3, "badd", "read"}, {5, "diffsplit", "read"},
	{2, "source", "load"}, {2, "runtime", "load"}, {4, "luafile", "load"}, {3, "pyfile", "load"}, {4, "py3file", "load"},
	{3, "perldo", "opaque"}, {4, "luado", "opaque"}, {3, "pydo", "opaque"}, {5, "rubydo", "opaque"}, {4, "tcldo", "opaque"},
	{3, "lua", "lua"}, {2, "python", "python"}, {3, "py3", "python"}, {7, "python3", "python"}, {3, "pyx", "python"},
	{2, "perl", "perl"}, {3, "ruby", "ruby"}, {3, "tcl", "tcl"}, {2, "mzscheme", "opaque"},
	{3, "execute", "execute"}, {4, "normal", "normal"}, {3, "call", "expression"}, {2, "echo", "expression"},
	{5, "echomsg", "expression"}, {3, "let", "expression"}, {2, "if", "expression"}, {4, "return", "expression"},
	{3, "terminal", "shell"}, {3, "make", "opaque"}, {2, "grep", "opaque"}, {2, "cd", "opaque"}, {2, "lcd", "opaque"},
	{2, "tcd", "opaque"}, {2, "autocmd", "opaque"}, {3, "command", "opaque"}, {2, "set", "option"}, {4, "setlocal", "option"},
	{1, "global", "global"}, {1, "vglobal", "global"}, {3, "silent", "tail"}, {5, "bufdo", "tail"}, {5, "windo", "tail"},
	{4, "argdo", "tail"}, {4, "verbose", "opaque"}, {2, "hardcopy", "opaque"}, {4, "profile", "opaque"}, {4, "redir", "redirect"},
	{3, "map", "opaque"}, {4, "nmap", "opaque"}, {2, "nnoremap", "opaque"},
}

func (s *vimScanner) ex(line string, at, depth int) {
	if depth > maxDepth {
		s.opaque = true
		return
	}
	end := at + len(line)
	rest := skipRange(line)
	if rest == "" || rest[0] == '"' {
		return
	}
	if rest[0] == '!' {
		s.shell(rest[1:], at, end)
		return
	}
	n := 0
	for n < len(rest) && isNameByte(rest[n]) {
		n++
	}
	word, arg := rest[:n], strings.TrimSpace(rest[n:])
	for _, r := range exRules {
		if len(word) >= r.least && strings.HasPrefix(r.name, word) {
			s.does(r.does, arg, at, end, depth)
			return
		}
	}
	if i := bar(arg); i >= 0 {
		s.ex(arg[i+1:], at, depth+1)
	}
}

// bar is the position of the bar that separates two Ex commands, or -1.
func bar(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if s[i] == '|' {
			return i
		}
	}
	return -1
}

func (s *vimScanner) does(does, arg string, at, end, depth int) {
	rest := ""
	filter := strings.HasPrefix(arg, "!") && (does == "write" || does == "read")
	if i := bar(arg); i >= 0 && !filter && !oneOf(does, "global", "shell", "tail", "normal") {
		arg, rest = strings.TrimSpace(arg[:i]), arg[i+1:]
	}
	switch does {
	case "write", "read", "load":
		s.named(does, arg, at, end)
	case "shell":
		s.shell(strings.TrimLeft(arg, "+! "), at, end)
	case "lua", "python", "perl", "ruby", "tcl":
		if rest != "" {
			arg, rest = arg+" | "+rest, ""
		}
		s.program(does, arg, at, end)
	case "execute":
		if lit, ok := vimLiteral(arg); ok {
			s.ex(lit, at, depth+1)
		} else {
			s.opaque = true
		}
	case "normal":
		s.opaque = s.opaque || strings.ContainsAny(arg, ":!\x1b") || strings.Contains(arg, "ZZ")
	case "expression":
		s.expression(arg, at, end)
	case "option":
		s.option(arg)
	case "global":
		arg = strings.TrimPrefix(arg, "!")
		if len(arg) > 1 {
			if i := strings.IndexByte(arg[1:], arg[0]); i >= 0 {
				s.ex(arg[i+2:], at, depth+1)
			}
		}
	case "tail":
		s.ex(strings.TrimPrefix(arg, "!"), at, depth+1)
	case "redirect":
		if n, ok := strings.CutPrefix(strings.TrimLeft(arg, "! "), ">"); ok {
			s.file(command.Write, 0, strings.Trim(n, "> "), at, end)
		}
	case "opaque":
		s.opaque = true
	}
	if rest != "" {
		s.ex(rest, at, depth+1)
	}
}

// named is a command that takes a file name; ":w !cmd" and ":r !cmd" run a program, and
// ":w! name" forces. Where the blank that tells them apart has gone, both are said.
func (s *vimScanner) named(does, arg string, at, end int) {
	name := arg
	if rest, ok := strings.CutPrefix(arg, "!"); ok {
		name = strings.TrimSpace(rest)
		if does != "load" && name != "" {
			s.shell(name, at, end)
		}
		if does == "read" {
			return
		}
	}
	name = strings.TrimSpace(strings.TrimPrefix(name, ">>"))
	if strings.HasPrefix(name, "+") {
		s.opaque = true // +cmd
	}
	s.opaque = s.opaque || strings.ContainsAny(name, "`%#$<")
	switch does {
	case "write":
		s.file(command.Write, 0, name, at, end)
	case "read":
		s.file(command.Read, 0, name, at, end)
	default:
		s.file(command.Read, command.Source, name, at, end)
	}
}

// option finds the options that name programs and files.
func (s *vimScanner) option(arg string) {
	for _, o := range []string{"shell", "grepprg", "makeprg", "keywordprg", "equalprg", "formatprg", "exrc", "modelineexpr", "viminfofile", "backupdir", "undodir", "sh="} {
		s.opaque = s.opaque || strings.Contains(arg, o)
	}
}

// skipRange skips colons, blanks and 1,$ and % and /pattern/ before an Ex command.
func skipRange(s string) string {
	for s != "" {
		switch c := s[0]; {
		case isDigit(c) || strings.IndexByte("%$.,;+- \t:", c) >= 0:
			s = s[1:]
		case c == '\'' && len(s) > 1:
			s = s[2:]
		case c == '/' || c == '?':
			n := strings.IndexByte(s[1:], c)
			if n < 0 {
				return ""
			}
			s = s[n+2:]
		default:
			return s
		}
	}
	return ""
}

// vimLiteral reads one 'x' or "x" that is the whole argument.
func vimLiteral(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if len(s) < 2 || s[0] != s[len(s)-1] || s[0] != '\'' && s[0] != '"' {
		return "", false
	}
	body := s[1 : len(s)-1]
	if strings.IndexByte(body, s[0]) >= 0 || s[0] == '"' && strings.IndexByte(body, '\\') >= 0 {
		return "", false
	}
	return body, true
}

// vimCalls are the functions of Vim script that reach out of the editor.
var vimCalls = [...]struct{ name, does string }{
	{"ch_open", "opaque"}, {"delete", "delete"}, {"eval", "opaque"}, {"execute", "opaque"}, {"feedkeys", "opaque"},
	{"job_start", "shell"}, {"jobstart", "shell"}, {"libcall", "opaque"}, {"libcallnr", "opaque"}, {"luaeval", "opaque"},
	{"mkdir", "create"}, {"nvim_command", "opaque"}, {"perleval", "opaque"}, {"py3eval", "opaque"}, {"pyeval", "opaque"},
	{"pyxeval", "opaque"}, {"readfile", "read"}, {"rename", "opaque"}, {"rubyeval", "opaque"}, {"sockconnect", "opaque"},
	{"system", "shell"}, {"systemlist", "shell"}, {"term_start", "shell"}, {"termopen", "shell"}, {"writefile", "write"},
}

// expression looks for calls with literal arguments.
func (s *vimScanner) expression(arg string, at, end int) {
	for i := 0; i < len(arg); {
		switch c := arg[i]; {
		case c == '\'' || c == '"':
			n := strings.IndexByte(arg[i+1:], c)
			if n < 0 {
				return
			}
			i += n + 2
		case isNameStart(c):
			j := i
			for j < len(arg) && isNameByte(arg[j]) {
				j++
			}
			if j < len(arg) && arg[j] == '(' {
				s.call(arg[i:j], arg[j+1:], at, end)
			}
			i = j
		default:
			i++
		}
	}
}

// call judges one call; args is what follows its opening bracket. Only literals are
// arguments here, so the first closing bracket outside of quotes ends them.
func (s *vimScanner) call(name, args string, at, end int) {
	for _, r := range vimCalls {
		if r.name != name {
			continue
		}
		lits, ok := vimArguments(args)
		want := 0
		if r.does == "write" {
			want = 1
		}
		if r.does == "opaque" || !ok || want >= len(lits) {
			s.opaque = s.opaque || r.does != "read"
			return
		}
		switch lit := lits[want]; r.does {
		case "delete":
			s.file(command.Delete, command.Recursive, lit, at, end)
		case "create":
			s.file(command.Create, 0, lit, at, end)
		case "read":
			s.file(command.Read, 0, lit, at, end)
		case "write":
			s.file(command.Write, 0, lit, at, end)
		case "shell":
			s.shell(lit, at, end)
		}
		return
	}
}

// vimArguments splits arguments that are literals, or lists whose content does not matter.
func vimArguments(s string) (lits []string, ok bool) {
	depth := 0
	for start, i := 0, 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'' || c == '"':
			n := strings.IndexByte(s[i+1:], c)
			if n < 0 {
				return nil, false
			}
			i += n + 1
		case c == '[' || c == '(':
			depth++
		case c == ']' || c == ')' && depth > 0:
			depth--
		case (c == ',' || c == ')') && depth == 0:
			arg := strings.TrimSpace(s[start:i])
			lit, isLit := vimLiteral(arg)
			if !isLit && !strings.HasPrefix(arg, "[") {
				return lits, len(lits) > 0
			}
			lits = append(lits, lit)
			if start = i + 1; c == ')' {
				return lits, true
			}
		}
	}
	return nil, false
}
