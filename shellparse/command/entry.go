package command

import (
	"fmt"
	"strings"
)

// parseEntry reads one entry, header line first. Errors name the line.
func parseEntry(block string) (*Spec, error) {
	head, body, _ := strings.Cut(block, "\n")
	names, rest, ok := cutNames(head)
	if !ok {
		return nil, fmt.Errorf("entry %q: no colon after the name", strings.TrimSpace(head))
	}
	name, _, _ := strings.Cut(strings.TrimSpace(names), ",")
	s := &Spec{Name: name}
	if err := s.parseLine(rest, true); err != nil {
		return nil, fmt.Errorf("entry %q: %w", name, err)
	}
	if err := s.parseBody(body); err != nil {
		return nil, fmt.Errorf("entry %q: %w", name, err)
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

// parseBody reads the lines below a header. Sub-commands stay text until they are asked
// for; they come last, so that the rest of the block is theirs.
func (s *Spec) parseBody(body string) error {
	for body != "" {
		line, rest, _ := strings.Cut(body, "\n")
		word := strings.TrimSpace(line)
		var err error
		switch {
		case word == "" || word[0] == '#':
		case strings.IndexByte("-+:!", word[0]) >= 0:
			err = s.parseLine(" "+word, false)
		case strings.HasPrefix(word, "with "):
			err = s.parseWith(word[len("with "):])
		case strings.HasPrefix(word, "ok: "), strings.HasPrefix(word, "no: "):
			s.parseExample(word)
		case strings.Contains(word, ":"):
			s.subs = body
			return nil
		default:
			err = fmt.Errorf("line %q is neither options, operands, an example nor a sub-command", word)
		}
		if err != nil {
			return err
		}
		body = rest
	}
	return nil
}

// parseLine reads options, and the default operands after a lone colon. A header line
// holds class words and marks too.
func (s *Spec) parseLine(line string, header bool) error {
	line, operands, ok := strings.Cut(line+" ", " : ")
	if ok {
		slots, err := parseSlots(operands)
		if err != nil {
			return err
		}
		s.patterns = append(s.patterns, pattern{slots: slots})
	}
	for token := range strings.FieldsSeq(line) {
		var err error
		switch {
		case token[0] == '-' || token[0] == '+':
			err = s.parseOption(token)
		case token[0] == '!':
			s.marks = append(s.marks, strings.Split(token[1:], "!")...)
		case !header:
			err = fmt.Errorf("%q is not an option", token)
		default:
			err = s.parseClass(token)
		}
		if err != nil {
			return err
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
	case "stdin":
		s.stdin = value
	default:
		return fmt.Errorf("no class is called %q", word)
	}
	return nil
}

// parseOption reads one token: -o,--output=W!append or --color=_?
func (s *Spec) parseOption(token string) error {
	var o option
	marks := strings.Split(token, "!")
	token, o.marks = marks[0], marks[1:]
	names, value, has := strings.Cut(token, "=")
	if has {
		value, o.optional = strings.CutSuffix(value, "?")
		o.value.kind, o.value.param, _ = strings.Cut(value, ":")
		if !isKind(o.value.kind) {
			return fmt.Errorf("option %q: no kind of value is called %q", names, value)
		}
		o.value.marks = o.marks
	}
	o.names = strings.Split(names, ",")
	for _, name := range o.names {
		if len(name) < 2 || name[0] != '-' && name[0] != '+' {
			return fmt.Errorf("%q is not the name of an option", name)
		}
	}
	s.options = append(s.options, o)
	return nil
}

// parseWith reads `-a -b !mark : slots`.
func (s *Spec) parseWith(line string) error {
	conditions, operands, ok := strings.Cut(line+" ", ": ")
	if !ok {
		return fmt.Errorf("with %q: no colon before the operands", line)
	}
	var p pattern
	for token := range strings.FieldsSeq(conditions) {
		if token[0] == '!' {
			p.marks = append(p.marks, strings.Split(token[1:], "!")...)
			continue
		}
		for name := range strings.SplitSeq(token, "&") {
			if !strings.HasPrefix(name, "-") {
				return fmt.Errorf("with %q: %q is not an option", line, name)
			}
		}
		p.with = append(p.with, token)
	}
	var err error
	p.slots, err = parseSlots(operands)
	s.patterns = append(s.patterns, p)
	return err
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
			return nil, fmt.Errorf("operands %q: no kind is called %q", strings.TrimSpace(text), sl.kind)
		}
		if restKind(sl.kind) {
			sl.min, sl.max = 0, unlimited
		}
		slots = append(slots, sl)
	}
	return slots, nil
}

// parseExample reads `ok: line => fact; fact`.
func (s *Spec) parseExample(line string) {
	e := example{ok: line[0] == 'o'}
	rest, facts, has := strings.Cut(line[len("ok: "):], " =>")
	e.line = strings.TrimSpace(rest)
	if has {
		e.want = []string{}
		for fact := range strings.SplitSeq(facts, "; ") {
			e.want = append(e.want, strings.TrimSpace(fact))
		}
	}
	s.examples = append(s.examples, e)
}

// option returns the option with exactly this spelling, its own or one of the programs above.
func (s *Spec) option(name string) *option {
	for ; s != nil; s = s.up {
		for i := range s.options {
			for _, have := range s.options[i].names {
				if have == name {
					return &s.options[i]
				}
			}
		}
	}
	return nil
}

// abbreviated returns every option that a long name could stand for. getopt_long(3) takes
// any unique prefix; of an ambiguous one nothing is known, so all of them count.
func (s *Spec) abbreviated(name string) []*option {
	var found []*option
	for ; s != nil; s = s.up {
		for i := range s.options {
			for _, have := range s.options[i].names {
				if strings.HasPrefix(have, name) && strings.HasPrefix(have, "--") {
					found = append(found, &s.options[i])
					break
				}
			}
		}
		if found != nil {
			break
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
