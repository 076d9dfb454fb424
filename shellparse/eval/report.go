package eval

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
	shsyntax "github.com/tada-run/tada-run/shellparse/syntax"
	"mvdan.cc/sh/v3/syntax"
)

// spanOf is span, or that of the current command when there is no node.
func (w *report) spanOf(n syntax.Node) Span {
	switch {
	case n != nil:
		return w.span(n)
	case w.cmd >= 0 && w.cmd < len(w.out.Commands):
		return w.out.Commands[w.cmd].Span
	}
	return Span{End: len(w.out.Text)}
}

// emit writes the command into the result and makes it the current one.
func (w *report) emit(s *state, c *call, name string, builtin, known, quiet bool) {
	if name == "" && c.words[0].Static {
		name = c.words[0].Text
	}
	cmd := Command{Name: name, Args: c.words, Assign: c.assign, Via: w.via, Dir: s.dir,
		Remote: s.remote, Builtin: builtin, Known: known, ReadOnly: quiet, Span: c.span,
		Changed: len(c.assign) > 0 || s.open || s.env.passesOn(),
		Plain: w.fixed == nil && len(w.via) == 0 && !s.remote &&
			w.src[c.at(0).Start:c.at(0).End] == name}
	for i := len(w.out.Commands) - 1; i >= 0 && i >= len(w.out.Commands)-32; i-- {
		if w.out.Commands[i].equal(cmd) {
			w.cmd = i
			return
		}
	}
	w.disguised(name, c.at(0))
	if len(w.out.Commands) >= MaxEffects {
		w.over(s, "more commands than are listed")
		return
	}
	w.cmd = len(w.out.Commands)
	w.out.Commands = append(w.out.Commands, cmd)
}

// text is a word as it is written.
func (w *report) text(word *syntax.Word) string {
	start, end := int(word.Pos().Offset()), int(word.End().Offset())
	return w.src[min(start, len(w.src)):max(min(start, len(w.src)), min(end, len(w.src)))]
}

// sourced marks files that are read already as executed: bash < f is no better than bash f.
func (w *report) sourced(names string) {
	recent := w.out.Effects[max(0, len(w.out.Effects)-few*few):]
	for word := range strings.FieldsSeq(names) {
		for i, e := range slices.Backward(recent) {
			if e.Right == command.Read && e.Flags&^(command.Recursive|command.NoFollow) == 0 &&
				e.Name.Text == word {
				recent[i].Flags |= command.Source
				break
			}
		}
	}
}

// knownArgs are the known words of the command that is being evaluated, without its name.
func (w *report) knownArgs() (list []string) {
	if w.cmd < 0 || w.cmd >= len(w.out.Commands) {
		return nil
	}
	for _, word := range w.out.Commands[w.cmd].Args[1:] {
		if word.Static {
			list = append(list, word.Text)
		}
	}
	return list
}

// disguised marks a program whose name is spelled in look-alikes alone.
func (w *report) disguised(name string, span Span) {
	m := Mark{Rune: shsyntax.Disguised(base(name)), Kind: "look-alike", Span: span}
	if m.Rune != 0 && !slices.Contains(w.out.Marks, m) && len(w.out.Marks) < MaxEffects {
		w.out.Marks = append(w.out.Marks, m)
	}
}

// fills finds what writes to a file until the disk is full.
func (w *report) fills(f *stream, span Span) {
	if f != nil && f.endless {
		w.hazard(Hazard{Rule: "disk.fill", Risk: 2, Message: "writes until the disk is full",
			Span: span})
	}
}

// suspect names shell text that is known and still not what it seems: nothing, because a
// name has no value here that it may have where the text was meant for, or letters that
// were spelled so that a reader cannot see them.
func (w *report) suspect(v value, lang string, gone bool, span Span) {
	text, ok := v.text()
	switch {
	case ok && strings.TrimSpace(text) == "" && (gone || v.is(notSet)):
		w.code(Code{Lang: lang, Source: Unknown, Span: span})
		w.opaque(nil, InCode, "what is executed is not known: "+notSet, span)
	case v.is(disguised):
		w.code(Code{Lang: lang, Text: v.display(), Source: Decoded, Span: span})
	}
}

// here is the span of the command that is being evaluated.
func (w *report) here() Span {
	switch {
	case w.fixed != nil:
		return *w.fixed
	case w.cmd >= 0 && w.cmd < len(w.out.Commands):
		return w.out.Commands[w.cmd].Span
	}
	return Span{End: len(w.out.Text)}
}

// changing says that an option turns on what is not followed.
func (w *report) changing(s *state, what string, span Span) {
	w.opaque(s, InCode, "what "+what+" changes is not followed", span)
}

// optional is the right of a word that could be an option of a program that reads: rg "$x" and git
// log "$x" are everyday lines. Bytes that were fetched or decoded keep the worst that the option
// could do.
const optional command.Right = -1

// placeOf says what an unknown name with that right decides.
func placeOf(r command.Right) Place {
	switch r {
	case command.Exec:
		return InProgram
	case command.Delete:
		return InDelete
	case command.Write, command.Create:
		return InWrite
	case command.Net:
		return InHost
	case command.Read:
		return InRead
	case optional:
		return InOption
	}
	return InData
}

// span returns where n is in Script.Text.
func (w *report) span(n syntax.Node) Span {
	if w.fixed != nil {
		return *w.fixed
	}
	start, end := int(n.Pos().Offset()), int(n.End().Offset())
	return Span{Start: min(start, len(w.src)),
		End: max(min(start, len(w.src)), min(end, len(w.src)))}
}

// opaque says that a piece is not known, once for each place and span.
func (w *report) opaque(s *state, place Place, why string, span Span) {
	if s != nil && s.remote && place != InText && place != InHost && place != InCode &&
		place != InProgram {
		return
	}
	text := ""
	if span.End <= len(w.out.Text) {
		text = w.out.Text[span.Start:span.End]
	}
	o := Opaque{Place: place, Text: text, Why: why, Span: span, Command: w.cmd}
	key := o
	key.Command = 0
	if _, done := w.said[key]; done {
		return
	}
	if w.said == nil {
		w.said = map[Opaque]struct{}{}
	}
	if len(w.out.Opaque) >= MaxEffects {
		w.over(s, "more unknown pieces than are listed")
		return
	}
	w.said[key] = struct{}{}
	w.out.Opaque = append(w.out.Opaque, o)
}

// over says, once, that a limit ends the analysis of the whole text.
func (w *report) over(_ *state, why string) {
	if w.full {
		return
	}
	w.full = true
	w.out.Opaque = append(w.out.Opaque, Opaque{Place: InText, Text: w.out.Text, Why: why,
		Span: Span{End: len(w.out.Text)}, Command: -1})
}

// few is how many effects are compared one by one. A table of them costs more to make than
// most texts have to compare.
const few = 16

// listedEffect reports whether an effect is in the result already, and remembers it.
func (w *report) listedEffect(e Effect) bool {
	if len(w.out.Effects) < few {
		return slices.ContainsFunc(w.out.Effects, func(x Effect) bool { return x.key() == e.key() })
	}
	if w.seen == nil {
		w.seen = map[effectKey]struct{}{}
		for _, x := range w.out.Effects {
			w.seen[x.key()] = struct{}{}
		}
	}
	_, done := w.seen[e.key()]
	w.seen[e.key()] = struct{}{}
	return done
}

func (e Effect) key() effectKey {
	k := effectKey{Effect: e}
	if k.Net = nil; e.Net != nil {
		k.scheme, k.host, k.port = e.Net.Scheme, e.Net.Host, e.Net.Port
		k.Name.Text, k.Name.User = "", ""
	}
	return k
}

func (w *report) hazard(h Hazard) {
	h.Command = w.cmd
	if !slices.Contains(w.out.Hazards, h) && len(w.out.Hazards) < MaxEffects {
		w.out.Hazards = append(w.out.Hazards, h)
	}
}

func (w *report) code(c Code) {
	c.Command = w.cmd
	if !slices.Contains(w.out.Codes, c) && len(w.out.Codes) < MaxEffects {
		w.out.Codes = append(w.out.Codes, c)
	}
}

// tableHazard is a hazard of the command table.
func (w *report) tableHazard(h command.Hazard, span Span) {
	w.hazard(Hazard{Rule: h.Rule, Risk: h.Risk, Message: h.Message, Span: span})
}

func (w *report) listedHazard(rule string, span Span) {
	h, _ := command.LookupHazard(rule)
	w.tableHazard(h, span)
}

// unrecorded is what keeps a line out of the record of a shell that asks about each of its lines.
func (w *report) unrecorded(message string, span Span) {
	w.hazard(Hazard{Rule: "shell.history", Risk: 2, Message: message, Span: span})
}

// renames reports whether the text gives any command another name.
func (w *report) renames() bool {
	return slices.ContainsFunc(w.out.Commands, func(c Command) bool { return c.Name == "alias" })
}
