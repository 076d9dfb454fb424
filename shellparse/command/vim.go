package command

import (
	"slices"
	"strings"
)

// vimHarmless are Ex commands that change only the buffer or the view.
var vimHarmless = []string{
	"q", "qa", "qall", "quit", "quitall", "x", "xa", "xall", "exit", "w", "wa", "wall", "wq", "wqa",
	"wqall", "up", "update",
	"noh", "nohlsearch", "d", "delete", "s", "substitute", "g", "v", "normal", "norm", "j",
	"join", "t", "m", "co", "sort", "retab", "n", "next", "p", "print", "u", "undo", "syntax",
	"filetype", "colorscheme",
	"version", "set", "se", "setlocal", "bd", "bn", "bp", "b", "ls", "cq", "f", "k", ">", "<", "=",
	"&",
}

// vimOpens are commands that show another file.
var vimOpens = []string{"e", "edit", "ex", "vi", "visual", "view", "vie", "sp", "split", "vs",
	"vsp", "vsplit", "sv", "sview", "new", "vnew", "vne",
	"tabe", "tabedit", "tabnew", "fin", "find", "sf", "sfind", "ped", "pedit", "bad", "badd",
	"balt", "ar", "args", "arge", "argedit", "arga", "argadd",
	"drop", "diffs", "diffsplit", "diffp", "diffpatch"}

// vimCommand reads an Ex command for what leaves the buffer.
func (m *matcher) vimCommand(_ role, vs []value) {
	for _, v := range vs {
		if !v.Static {
			m.opaque(v, Exec, "the command of the editor is not known")
		}
		m.vimLine(v)
	}
}

// vimSingle are commands that take a name and end at a bar.
var vimSingle = append([]string{"r", "read", "w", "write", "wq", "x", "xit", "sav", "saveas", "so",
	"source", "up", "update"}, vimOpens...)

func (m *matcher) vimLine(v value) {
	at := len(v.Text) - len(strings.TrimLeft(v.Text, ": \t%0123456789,$.'<>"))
	v = v.piece(at)
	end := 0
	for end < len(v.Text) && (v.Text[end] >= 'a' && v.Text[end] <= 'z' || v.Text[end] >= 'A' &&
		v.Text[end] <= 'Z') {
		end++
	}
	name := v.Text[:end]
	if bar := strings.IndexByte(v.Text, '|'); bar > 0 && slices.Contains(vimSingle, name) &&
		v.Text[bar-1] != '\\' && !strings.Contains(v.Text[:bar], " !") {
		m.vimLine(v.piece(bar + 1))
		v.Text = v.Text[:bar]
	}
	arg := v.piece(end)
	arg = arg.piece(len(arg.Text) - len(strings.TrimLeft(arg.Text, " \t")))
	switch {
	case name == "" && strings.HasPrefix(arg.Text, "!"):
		m.vimShell(arg.piece(1))
	case (name == "r" || name == "read" || name == "w" || name == "write") &&
		bangShell(v.Text, end):
		m.vimShell(v.piece(strings.IndexByte(v.Text, '!') + 1))
	case name == "r" || name == "read":
		m.path(role{kind: "R"}, arg)
	case slices.Contains([]string{"w", "write", "wq", "sav", "saveas", "x", "xit"}, name) &&
		strings.TrimLeft(arg.Text, "!> ") != "":
		m.path(role{kind: "W"}, arg.piece(len(arg.Text)-len(strings.TrimLeft(arg.Text, "!> "))))
	case slices.Contains(vimOpens, name):
		m.vimOpen(arg)
	case name == "so" || name == "source":
		m.source(role{param: "vim"}, []value{arg})
	case strings.HasPrefix(name, "ec") && strings.HasPrefix("echomsg", name) &&
		!strings.ContainsAny(arg.Text, "(`|\n"):
		// shows a value
	case slices.Contains([]string{"ec", "echo", "echom", "echomsg", "cal", "call", "let", "exe",
		"execute"}, name):
		m.nest(Nested{Code: &Code{"vim", v.Arg}, Arg: v.at})
	case strings.HasPrefix(name, "py"):
		m.vimPython(v)
	case name == "lua" || name == "perl" || name == "ruby" || name == "tcl":
		m.nest(Nested{Code: &Code{name, arg.Arg}, Arg: v.at})
	case name == "term" || name == "terminal":
		m.vimShell(arg)
	case strings.Contains(arg.Text, "shell") && strings.HasPrefix("setlocal", name),
		strings.ContainsAny(v.Text, "|\n"):
		m.opaque(v, Exec, "a command of the editor that starts programs")
	case name == "" && strings.IndexByte("/?&<>=~", first(arg.Text)) >= 0,
		slices.Contains(vimHarmless, name):
		// s///e with \= evaluates an expression, which may call system().
		if strings.Contains(arg.Text, `\=`) {
			m.opaque(v, Exec, "an expression of the editor")
		}
	case v.Text != "":
		m.opaque(v, Exec, "a command of the editor")
	}
}

// vimOpen is the rest of a command that shows files: a sign, a +COMMAND of its own, then names.
func (m *matcher) vimOpen(arg value) {
	if !arg.Static {
		m.path(role{kind: "R"}, arg)
		return
	}
	for at := 0; at < len(arg.Text); {
		word := arg.piece(at)
		word.Text, _, _ = strings.Cut(word.Text, " ")
		at += len(word.Text) + 1
		word.Text = strings.TrimPrefix(word.Text, "!")
		switch {
		case strings.HasPrefix(word.Text, "++"):
		case strings.HasPrefix(word.Text, "+"):
			m.vimCommand(role{}, []value{word.piece(1)})
		default:
			m.path(role{kind: "R"}, word)
		}
	}
}

// vimPython is py, py3, pyx or python3 CODE, and pyfile or py3file NAME.
func (m *matcher) vimPython(v value) {
	end := strings.IndexFunc(v.Text, func(c rune) bool { return c != '3' && (c < 'a' || c > 'z') })
	if end < 0 {
		end = len(v.Text)
	}
	arg := v.piece(end)
	arg = arg.piece(len(arg.Text) - len(strings.TrimLeft(arg.Text, " \t")))
	if strings.HasSuffix(v.Text[:end], "file") {
		m.touch(Read, Source, arg, true)
		return
	}
	m.nest(Nested{Code: &Code{"python", arg.Arg}, Arg: v.at})
}

// bangShell tells `:w !cmd` from `:w! name`: the sign follows a blank.
func bangShell(text string, end int) bool {
	rest := text[end:]
	trimmed := strings.TrimLeft(rest, " \t")
	return strings.HasPrefix(trimmed, "!") && (len(trimmed) < len(rest) || text[:end] == "r" ||
		text[:end] == "read")
}

func first(text string) byte {
	if text == "" {
		return 0
	}
	return text[0]
}

func (m *matcher) vimShell(v value) {
	if strings.TrimSpace(v.Text) != "" || !v.Static {
		m.nest(Nested{Via: m.spec.Name + " !", Shell: &v.Arg, Arg: v.at})
	}
}

// vimRC is a file of commands, or one of the words that stand for none.
func (m *matcher) vimRC(_ role, vs []value) {
	for _, v := range vs {
		if !slices.Contains([]string{"NONE", "NORC", "DEFAULTS"}, v.Text) {
			m.touch(Read, Source, v, true)
		}
	}
}

// vimFile is a file to edit, or +COMMAND.
func (m *matcher) vimFile(_ role, vs []value) {
	for _, v := range vs {
		if strings.HasPrefix(v.Text, "+") && (strings.HasPrefix(m.spec.Name, "emacs") ||
			strings.HasPrefix(m.spec.Name, "nano")) {
			continue
		}
		if strings.HasPrefix(v.Text, "+") {
			m.vimCommand(role{}, []value{v.piece(1)})
			continue
		}
		m.path(role{kind: "RW"}, v)
		if strings.HasSuffix(v.Text, ".lua") && m.has("-l") {
			m.touch(Read, Source, v, true) // nvim -l FILE executes it
		}
	}
}

// deskCalc is an expression of dc(1), in which ! runs the rest of the line.
func (m *matcher) deskCalc(_ role, vs []value) {
	for _, v := range vs {
		at := strings.IndexByte(v.Text, '!')
		if at >= 0 && at+1 < len(v.Text) && strings.IndexByte("<>=", v.Text[at+1]) < 0 {
			shell := v.piece(at + 1).Arg
			m.nest(Nested{Via: "dc !", Shell: &shell, Arg: v.at})
		}
	}
}
