package command

import (
	"slices"
	"strings"
)

// vimCommand is an Ex command. One that does more than change the buffer is code.
func (m *matcher) vimCommand(_ role, vs []value) {
	for _, v := range vs {
		text := strings.TrimLeft(v.Text, vimRange)
		switch shell, bang := strings.CutPrefix(text, "!"); {
		case bang:
			body := v.piece(len(v.Text) - len(shell)).Arg
			m.nest(Nested{Via: m.spec.Name + " !", Shell: &body, Arg: v.at})
		case !v.Static || !vimEdits(text):
			m.nest(Nested{Code: &Code{"vim", v.Arg}, Arg: v.at})
		}
	}
}

// vimRange are the characters of a range in front of a command.
const vimRange = ": \t%0123456789,$.'<>"

func vimEdits(text string) bool {
	arg := strings.TrimLeft(text, letters)
	name := text[:len(text)-len(arg)]
	arg = strings.TrimLeft(arg, " \t")
	switch {
	case strings.ContainsAny(text, "|\n"), strings.Contains(arg, `\=`): // an expression
		return false
	case name == "":
		return arg == "" || strings.IndexByte("/?&<>=~", arg[0]) >= 0
	case strings.HasPrefix(name, "ec") && strings.HasPrefix("echomsg", name):
		return !strings.ContainsAny(arg, "(`")
	case slices.Contains(list("vim-writes"), name):
		return strings.TrimLeft(arg, "!> ") == ""
	case strings.HasPrefix("setlocal", name):
		return !strings.Contains(arg, "shell")
	}
	return slices.Contains(list("vim-harmless"), name)
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// vimRC is a file of commands, or one of the words that mean none.
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
