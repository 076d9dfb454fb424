package code

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// gdbScanner reads commands of gdb: what -ex and a command file hold.
type gdbScanner struct {
	lines
	block string // the language of a block that goes on to "end"; "" outside
	body  strings.Builder
}

func scanGDB(src string, nesting int, spent *budget) ([]Fact, bool) {
	s := &gdbScanner{lines: lines{src: src, nesting: nesting, spent: spent}}
	eachLine(src, s.line)
	return s.facts, s.opaque || s.block != ""
}

func (s *gdbScanner) line(line string, at int) {
	end := at + len(line)
	if s.block != "" {
		if line == "end" {
			s.program(s.block, s.body.String(), at, end)
			s.block = ""
			s.body.Reset()
			return
		}
		s.body.WriteString(line + "\n")
		return
	}
	verb, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	if line[0] == '!' {
		verb, rest = "shell", line[1:]
	}
	switch verb {
	case "shell":
		s.shell(rest, at, end)
	case "make":
		s.shell("make "+rest, at, end)
	case "pipe", "|":
		if _, line, ok := strings.Cut(rest, "|"); ok {
			s.shell(line, at, end)
		}
	case "source":
		s.file(command.Read, command.Source, rest[strings.LastIndexByte(rest, ' ')+1:], at, end)
	case "python", "py", "python-interactive", "pi":
		if s.block = "python"; rest != "" {
			s.block = ""
			s.program("python", rest, at, end)
		}
	case "guile", "gu", "compile", "expression", "eval", "define", "document":
		s.opaque = true
	case "call", "print", "p", "inspect", "output", "set", "x", "break", "b", "tbreak", "condition", "display", "return", "jump":
		s.expression(verb, rest, at, end)
	case "dump", "append", "save", "generate-core-file", "gcore":
		s.file(command.Write, 0, gdbName(rest), at, end)
	case "attach":
		s.add(Fact{Rule: "code.ptrace", Risk: 3, Message: "takes control of another process"}, at, end)
	case "target":
		s.target(rest, at, end)
	case "run", "r", "start", "starti":
		if strings.ContainsAny(rest, "|;&`$<>(") {
			s.shell("program "+rest, at, end) // gdb starts it through a shell
		}
	case "load", "symbol-file", "exec-file", "file", "core-file", "add-symbol-file", "restore":
		s.file(command.Read, 0, firstWord(rest), at, end)
	}
}

// gdbName is the operand of dump and save that is a file, after their sub-commands.
func gdbName(s string) string {
	for w := range strings.FieldsSeq(s) {
		if !oneOf(w, "binary", "ihex", "srec", "tekhex", "verilog", "memory", "value", "breakpoints", "tracepoints", "gdb-index") {
			return w
		}
	}
	return ""
}

// expression looks for calls of system and the like in the debugged program, and for the
// settings that start programs.
func (s *gdbScanner) expression(verb, rest string, at, end int) {
	if verb == "set" {
		switch w := strings.Fields(rest); {
		case len(w) > 2 && w[0] == "logging" && w[1] == "file":
			s.file(command.Write, 0, w[2], at, end)
			return
		case len(w) > 1 && w[0] == "exec-wrapper":
			s.shell(strings.Join(w[1:], " "), at, end)
			return
		case len(w) > 1 && strings.HasPrefix(w[0], "env") && strings.HasPrefix(w[1], "LD_"), len(w) > 0 && w[0] == "auto-load":
			s.opaque = true
			return
		}
	}
	for _, f := range []string{"system", "popen"} {
		i := strings.Index(rest, f)
		if i < 0 {
			continue
		}
		_, arg, ok := strings.Cut(rest[i:], "(")
		if !ok {
			continue
		}
		arg = strings.TrimSpace(arg)
		if lit, _, ok := appleString(arg); ok && !strings.Contains(lit, `\`) {
			s.shell(lit, at, end)
		} else {
			s.opaque = true
		}
	}
	for _, f := range []string{"exec", "unlink", "remove", "dlopen", "open"} {
		s.opaque = s.opaque || strings.Contains(rest, f) && strings.Contains(rest, "(") && !strings.Contains(rest, "popen")
	}
}

func (s *gdbScanner) target(rest string, at, end int) {
	kind, where, _ := strings.Cut(rest, " ")
	where = strings.TrimSpace(where)
	switch kind {
	case "remote", "extended-remote":
		if line, ok := strings.CutPrefix(where, "|"); ok {
			s.shell(line, at, end)
		} else if strings.HasPrefix(where, "/") {
			s.file(command.Write, 0, where, at, end)
		} else if where != "" {
			s.add(Fact{Right: command.Net, Flags: command.Upload, Text: strings.TrimPrefix(where, "tcp:")}, at, end)
		}
	case "exec", "core":
		s.file(command.Read, 0, where, at, end)
	}
}
