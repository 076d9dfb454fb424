package render

import "strings"

// A Tone says what a part of a line is, so that a screen can colour it. Nothing is told by it alone:
// what it means stands in the text too.
type Tone byte

// The tones. The zero value is ordinary text.
const (
	Body     Tone = iota
	Label         // the name of a section
	Low           // the risk, R0 and R1
	High          // R2
	Critical      // R3
	Danger        // a reason of the verdict points at it
	Lost          // it cannot be taken back
	Kept          // it can
)

// A Span is a part of a line in one tone.
type Span struct {
	Text string
	Tone Tone
}

// colours are the parameters of SGR (ECMA-48) for the tones: of the 16 colours that a person's
// terminal has chosen, those that are read on light and on dark ground.
var colours = [...]string{Label: "2", Low: "1;32", High: "1;31", Critical: "1;37;41",
	Danger: "1;31", Lost: "31", Kept: "32"}

// spans joins neighbouring units of the same tone.
func spans(units []unit) []Span {
	var out []Span
	for from, at := 0, 0; at <= len(units); at++ {
		if at == len(units) || units[at].tone != units[from].tone {
			if at > from {
				out = append(out, Span{textOf(units[from:at]), units[from].tone})
			}
			from = at
		}
		if at == len(units) {
			break
		}
	}
	return out
}

// Coloured returns the lines with colours for a terminal.
func (p Page) Coloured() []string {
	out := make([]string, len(p.Spans))
	for i, line := range p.Spans {
		var b strings.Builder
		for _, s := range line {
			if c := colours[s.Tone]; c != "" {
				b.WriteString("\x1b[" + c + "m" + s.Text + "\x1b[m")
			} else {
				b.WriteString(s.Text)
			}
		}
		out[i] = b.String()
	}
	return out
}

// toneOf is the tone of a risk.
func toneOf(risk int) Tone {
	switch {
	case risk <= 1:
		return Low
	case risk == 2:
		return High
	}
	return Critical
}
