package approval

import (
	"fmt"
	"strings"

	"github.com/tada-run/tada-run/approval/canonical"
)

// RenderOptions fit a page to a place. They never decide whether something is shown, except Full.
type RenderOptions struct {
	Width int  // columns; 0 means 80, and less than 40 counts as 40
	Full  bool // nothing is cut, and every value stands by its name at the end: for a pager

	Phrase string // stands in the title, so that a person knows who drew it: see LoadPhrase. Letters and spaces
}

// What may be asked on the spot; more is for a pager, where a person can leave and come back.
const (
	maxInlineBytes = 64 << 10
	maxInlineLines = 400
)

// A Page is a payload as a person sees it.
type Page struct {
	Lines     []string // printable characters only: no control byte, not even a newline
	Truncated bool     // something was cut: do not let it be approved before a Full page was shown to its end
	Inline    bool     // small enough to be asked inline: payload of at most 64 KiB, page of at most 400 lines
	Risk      int
	Friction  Friction // before Options.SecondFactor; [Envelope.Friction] is what Decide will ask for
	PlanHash  string   // of the bytes that were rendered
	Marks     []string // what is invisible, look-alike or not text in the payload, for whoever decides the risk
}

// Text returns the lines, each ended by a newline.
func (p Page) Text() string {
	if len(p.Lines) == 0 {
		return ""
	}
	return strings.Join(p.Lines, "\n") + "\n"
}

// Render shows a payload. It is a pure function of its arguments and takes any bytes: those that
// are no canonical plan are shown as what they are, with the highest risk. Every value of the
// payload is on the page, known to the renderer or not; where one is cut, the page says how much is
// missing and Truncated is set. A Full page can be turned back into the payload: see [Decode].
func Render(payload []byte, o RenderOptions) Page {
	if o.Width == 0 {
		o.Width = 80
	}
	o.Width = max(o.Width, 40)
	v := &view{width: o.Width, full: o.Full}
	p := Page{PlanHash: PlanHash(payload), Risk: len(ladder) - 1}
	if facts, err := readPlan(payload); err == nil {
		p.Risk = facts.risk
	}
	p.Friction = FrictionOf(p.Risk)
	v.rule(o.title() + fmt.Sprintf(" R%d %s", p.Friction.Level, strings.ToUpper(p.Friction.Name)))
	tree, err := canonical.Parse(payload)
	if top, ok := tree.(map[string]any); err == nil && ok {
		p.Marks = marksOf(top)
		v.plan(top, p.Marks)
	} else {
		p.Marks = []string{"the payload is not a canonical plan"}
		v.foreign(tree, payload, err)
	}
	v.line("plan", own(Prefix(p.PlanHash)))
	if o.Full {
		v.rule(listingTitle)
		v.lines = append(v.lines, listing(payload, o.Width)...)
	}
	v.rule("")
	p.Lines, p.Truncated = v.lines, v.truncated
	p.Inline = len(payload) <= maxInlineBytes && len(p.Lines) <= maxInlineLines
	return p
}

// title is who asks. A phrase of other characters than letters is left out: it was not made here.
func (o RenderOptions) title() string {
	if o.Phrase == "" || !isPhrase(o.Phrase) {
		return "tada-run asks " + strings.Repeat(ruleGlyph, 2)
	}
	return "tada-run asks «" + o.Phrase + "» " + strings.Repeat(ruleGlyph, 2)
}

// A view collects the lines of one page.
type view struct {
	width     int
	full      bool
	lines     []string
	truncated bool
}

// labelWidth is the room for the name of a section.
const labelWidth = 8

func (v *view) rule(title string) {
	if title != "" {
		title = " " + title + " "
	}
	line := strings.Repeat(ruleGlyph, 2) + title
	v.lines = append(v.lines, line+strings.Repeat(ruleGlyph, max(0, v.width-cellCount(line))))
}

// line adds a section, cut and wrapped as needed.
func (v *view) line(label string, units []unit) {
	if !v.full {
		var cut bool
		units, cut = elide(units)
		v.truncated = v.truncated || cut
	}
	for i := range units {
		units[i].hard = false // outside of the command a newline does not need a line of its own
	}
	v.lines = append(v.lines, wrap(units, v.width, pad(label)+" ", pad("")+" "+wrapGutter+" ")...)
}

func pad(label string) string {
	return label + strings.Repeat(" ", max(0, labelWidth-len(label)))
}

// foreign shows bytes that are no plan.
func (v *view) foreign(tree any, payload []byte, err error) {
	if err != nil {
		v.line("not a plan:", own(" the bytes below are not canonical JSON"))
		v.line("bytes", show(string(payload), exact, nil))
		return
	}
	v.line("not a plan:", own(" the value below is not an object"))
	v.entries("value", "", tree)
}

// command shows a command text in numbered lines, one stage of the shell in each.
func (v *view) command(label, text string, spans [][2]int) {
	breaks := softBreaks(text)
	units := show(text, exact, boundaries(breaks, spans))
	units = danger(units, spans)
	if !v.full {
		var cut bool
		units, cut = elide(units)
		v.truncated = v.truncated || cut
	}
	stages := split(units, breaks)
	digits := len(fmt.Sprint(len(stages)))
	for i, stage := range stages {
		first := fmt.Sprintf("%s %*d%s ", pad(label), digits, i+1, gutter)
		next := fmt.Sprintf("%s %*s%s ", pad(""), digits, "", wrapGutter)
		v.lines = append(v.lines, wrap(stage, v.width, first, next)...)
		label = ""
	}
}

// split cuts units into stages: after a newline of the text, and at the breaks.
func split(units []unit, breaks []int) [][]unit {
	var stages [][]unit
	start := 0
	for i, u := range units {
		for len(breaks) > 0 && breaks[0] < u.at {
			breaks = breaks[1:]
		}
		here := len(breaks) > 0 && breaks[0] == u.at
		if i > start && (here && u.text != closeDanger && units[i-1].text != openDanger || units[i-1].hard) {
			stages = append(stages, units[start:i])
			start = i
		}
	}
	return append(stages, units[start:])
}
