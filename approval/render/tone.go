package render

// A Tone says what a part of a line is, so that a screen can colour it. Nothing is told by it
// alone: what it means stands in the text too.
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
