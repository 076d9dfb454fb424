package command

import (
	"fmt"
	"strings"
)

// parseEntry reads one entry, header line first. Errors quote what is wrong.
func parseEntry(block string) (*Spec, error) {
	head, body, _ := strings.Cut(block, "\n")
	names, rest, ok := cutNames(head)
	if !ok {
		return nil, fmt.Errorf("%q has no colon after the name", strings.TrimSpace(head))
	}
	name, _, _ := strings.Cut(strings.TrimSpace(names), ",")
	s := &Spec{Name: name}
	if err := s.parseLine(strings.TrimSpace(rest)); err != nil {
		return nil, err
	}
	if err := s.parseBody(body); err != nil {
		return nil, err
	}
	return s, nil
}

// cutNames cuts a header behind its names. A colon inside a name ("db:drop") is followed by
// no blank.
func cutNames(head string) (names, rest string, ok bool) {
	if names, rest, ok = strings.Cut(head, ": "); ok {
		return names, " " + rest, true
	}
	names, ok = strings.CutSuffix(strings.TrimRight(head, " "), ":")
	return names, "", ok
}

// parseBody sorts the lines below a header. Sub-commands come last, so the rest of the
// block is theirs.
func (s *Spec) parseBody(body string) error {
	for body != "" {
		line, rest, _ := strings.Cut(body, "\n")
		word := strings.TrimSpace(line)
		var err error
		switch {
		case word == "" || word[0] == '#' || isExample(word):
		case strings.IndexByte("-+:!", word[0]) >= 0:
			err = s.parseLine(word)
		case strings.HasPrefix(word, "with "):
			s.patterns = append(s.patterns, word[len("with "):])
		case strings.Contains(word, ":"):
			s.subs = body
			return nil
		default:
			err = fmt.Errorf("line %q is neither options, operands, an example nor a sub-command",
				word)
		}
		if err != nil {
			return err
		}
		body = rest
	}
	return nil
}

// isExample reports whether a line is read by the tests only.
func isExample(word string) bool {
	return strings.HasPrefix(word, "ok: ") || strings.HasPrefix(word, "no: ")
}

// parseLine reads class words, marks and options, and the default operands after a lone colon.
// Options stay text: classes and marks come before them.
func (s *Spec) parseLine(line string) error {
	if line == ":" || strings.HasPrefix(line, ": ") {
		s.patterns = append(s.patterns, line)
		return nil
	}
	if at := strings.LastIndex(line, " : "); at >= 0 {
		s.patterns = append(s.patterns, line[at+1:])
		line = line[:at]
	}
	for line != "" {
		token, rest, _ := strings.Cut(line, " ")
		switch {
		case token == "":
		case token[0] == '-' || token[0] == '+':
			s.options = append(s.options, line)
			return s.lateClasses(rest)
		case token[0] == '!':
			s.marks = append(s.marks, strings.Split(token[1:], "!")...)
		default:
			if err := s.parseClass(token); err != nil {
				return err
			}
		}
		line = rest
	}
	return nil
}

// lateClasses reads classes and marks of the line that come after the first option.
func (s *Spec) lateClasses(line string) error {
	for token := range strings.FieldsSeq(line) {
		switch {
		case token[0] == '-' || token[0] == '+':
		case token[0] == '!':
			s.marks = append(s.marks, strings.Split(token[1:], "!")...)
		default:
			if err := s.parseClass(token); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Spec) parseClass(word string) error {
	key, value, _ := strings.Cut(word, "=")
	switch key {
	case "read-only":
		s.ReadOnly = true
	case "closed":
		s.Closed = true
	case "open":
		s.Closed = false
	case "posix":
		s.posix = true
	case "dash":
		s.dash = true
	case "raw":
		s.raw = true
	case "plus":
		s.plus = true
	case "old":
		s.old = true
	case "versioned":
		s.versioned = true
	case "remote":
		s.remote = true
	case "filter":
		s.filter = value
	case "project":
		s.project = value
	case "stdin":
		s.stdin = value
	default:
		return fmt.Errorf("no class is called %q", word)
	}
	return nil
}

// parseOption reads one token: -o,--output=W!append or --color=_?
func parseOption(token string) (*option, error) {
	var o option
	token, marks, marked := strings.Cut(token, "!")
	if marked {
		o.marks = strings.Split(marks, "!")
	}
	names, value, has := strings.Cut(token, "=")
	if has {
		value, o.optional = strings.CutSuffix(value, "?")
		o.value.kind, o.value.param, _ = strings.Cut(value, ":")
		if !isKind(o.value.kind) {
			return nil, fmt.Errorf("option %q: no kind of value is called %q", names, value)
		}
		o.value.marks = o.marks
	}
	o.names = names
	for name := range strings.SplitSeq(names, ",") {
		if len(name) < 2 || name[0] != '-' && name[0] != '+' {
			return nil, fmt.Errorf("%q is not the name of an option", name)
		}
	}
	return &o, nil
}

// tokens yields the option tokens of an entry.
func (s *Spec) tokens(yield func(string) bool) {
	for _, line := range s.options {
		for token := range strings.FieldsSeq(line) {
			if (token[0] == '-' || token[0] == '+') && !yield(token) {
				return
			}
		}
	}
}

// parsePattern reads `-a -b&-c !mark : slots`.
func parsePattern(line string) (pattern, error) {
	var p pattern
	conditions, operands, ok := strings.Cut(" "+line+" ", " : ")
	if !ok {
		return p, fmt.Errorf("operands %q: no colon before them", line)
	}
	for token := range strings.FieldsSeq(conditions) {
		switch token[0] {
		case '!':
			p.marks = append(p.marks, strings.Split(token[1:], "!")...)
		case '-', '+':
			p.with = append(p.with, token)
		default:
			return p, fmt.Errorf("with %q: %q is not an option", line, token)
		}
	}
	var err error
	p.slots, err = parseSlots(operands)
	return p, err
}

func parseSlots(text string) ([]slot, error) {
	var slots []slot
	for token := range strings.FieldsSeq(text) {
		sl := slot{min: 1, max: 1}
		marks := strings.Split(token, "!")
		word := strings.TrimRight(marks[0], "*+?")
		switch marks[0][len(word):] {
		case "*":
			sl.min, sl.max = 0, unlimited
		case "+":
			sl.max = unlimited
		case "?":
			sl.min = 0
		}
		sl.kind, sl.param, _ = strings.Cut(word, ":")
		sl.marks = marks[1:]
		if !isKind(sl.kind) {
			return nil, fmt.Errorf("operands %q: no kind is called %q", strings.TrimSpace(text),
				sl.kind)
		}
		if restKind(sl.kind) {
			sl.min, sl.max = 0, unlimited
		}
		slots = append(slots, sl)
	}
	return slots, nil
}

// option returns the option with exactly this spelling, its own or one of the programs above.
func (s *Spec) option(name string) *option {
	if name == "" || strings.ContainsAny(name, " ,=!") {
		return nil
	}
	for ; s != nil; s = s.up {
		for _, line := range s.options {
			if token := spelled(line, name); token != "" {
				o, err := parseOption(token)
				if err != nil {
					return nil
				}
				return o
			}
		}
	}
	return nil
}

// spelled returns the token of a line of options that has this name; "" when none has.
func spelled(line, name string) string {
	for from := 0; ; {
		at := strings.Index(line[from:], name)
		if at < 0 {
			return ""
		}
		start, end := from+at, from+at+len(name)
		if (start == 0 || strings.IndexByte(" ,", line[start-1]) >= 0) && (end == len(line) ||
			strings.IndexByte(" ,=!", line[end]) >= 0) {
			start = strings.LastIndexByte(line[:start], ' ') + 1
			token, _, _ := strings.Cut(line[start:], " ")
			return token
		}
		from = end
	}
}

// abbreviated returns every option that a long name could stand for. getopt_long(3) takes
// any unique prefix; of an ambiguous one nothing is known, so all of them count.
func (s *Spec) abbreviated(name string) []*option {
	var found []*option
	for ; s != nil && found == nil; s = s.up {
		for token := range s.tokens {
			if !strings.Contains(token, name) {
				continue
			}
			o, err := parseOption(token)
			if err != nil {
				continue
			}
			for have := range strings.SplitSeq(o.names, ",") {
				if strings.HasPrefix(have, name) && strings.HasPrefix(have, "--") {
					found = append(found, o)
					break
				}
			}
		}
	}
	return found
}

func leading(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// cutBlock cuts the first line and all deeper ones off the text.
func cutBlock(text string, indent int) (block, rest string) {
	at := 0
	for at < len(text) {
		nl := strings.IndexByte(text[at:], '\n')
		if nl < 0 {
			return text, ""
		}
		at += nl + 1
		line := text[at:]
		if line != "" && line[0] != '\n' && leading(line) <= indent {
			break
		}
	}
	return text[:at], text[at:]
}
