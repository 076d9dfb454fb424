package render

import (
	"fmt"
	"math"
	"strings"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
)

// Options fit a page to the place where it is shown. Except for Full, they never decide whether
// something that an approval depends on is shown.
type Options struct {
	Width int // columns; 0 means 80, and less than 40 counts as 40
	// everything, and all values by name at the end: for a pager. Else what a decision needs
	Full  bool
	Plain bool // ASCII without symbols, for a screen reader or a terminal that has nothing else
	// lines as long as they are, for a place that breaks rows itself: Width does not count
	Flowing bool

	// in the title, so that a person can tell that tada-run drew it: see LoadPhrase. Letters and
	// spaces
	Phrase string
}

// The largest question that is asked inline; a larger one needs a pager, where a person can leave
// and come back.
const (
	maxInlineBytes = 64 << 10
	maxInlineLines = 400
)

// A Page is a payload as it is shown to a person.
type Page struct {
	Lines []string // printable characters only: no control byte, not even a newline
	Spans [][]Span // the same lines, for a screen with colours
	Rows  []Row    // the same text, before it was broken into lines
	// something that an approval depends on was cut: do not accept one before a Full page was shown
	// to its end
	Truncated bool
	// small enough to ask inline: a payload of at most 64 KiB, and at most 400 lines with all
	// reasons
	Inline bool
	Risk   int
	// for the risk alone; the store may require more, or no second factor
	Friction plan.Friction
	PlanHash string // of the bytes that were rendered
	// what is invisible, look-alike or not text in the payload, for the rules that determine the
	// risk
	Marks []string
}

// Text returns the lines, each ended by a newline.
func (p Page) Text() string {
	if len(p.Lines) == 0 {
		return ""
	}
	return strings.Join(p.Lines, "\n") + "\n"
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

// Render shows a payload. It is a pure function of its arguments and takes any bytes: those that
// are not a canonical plan are shown as what they are, with the highest risk. Every value of the
// payload is on the page, known to the renderer or not. If one is cut, the page says how much is
// missing and Truncated is set. A Full page has the whole payload: a test decodes it.
func Render(payload []byte, o Options) Page {
	if o.Width == 0 {
		o.Width = 80
	}
	o.Width = max(o.Width, 40)
	if o.Flowing {
		o.Width = math.MaxInt32
	}
	v := &view{width: o.Width, plain: o.Plain, flowing: o.Flowing}
	p := Page{PlanHash: plan.Hash(payload), Risk: plan.MaxRisk}
	if facts, err := plan.Read(payload); err == nil {
		p.Risk = facts.Risk
	}
	p.Friction = plan.FrictionOf(p.Risk)
	v.rule(own(o.title()), toned(toneOf(p.Friction.Level),
		own(fmt.Sprintf("R%d %s", p.Friction.Level, strings.ToUpper(p.Friction.Name)))))
	tree, err := canonical.Parse(payload)
	top, ok := tree.(map[string]any)
	hash := "plan " + plan.Prefix(p.PlanHash)
	switch {
	case err != nil || !ok:
		p.Marks = []string{"the payload is not a canonical plan"}
		v.foreign(tree, payload, err, o.Full)
		v.rule(own(hash))
	case o.Full:
		p.Marks = Marks(top)
		v.plan(top, p.Marks)
		v.rule(own(hash))
	default:
		p.Marks = Marks(top)
		v.cutting = !fits(payload, p.Marks)
		left := v.brief(top, p.Marks)
		v.rule(own(hash + left))
	}
	if o.Full {
		v.rule(own(listingTitle))
		v.listing(payload)
		v.rule()
	}
	for _, line := range v.lines {
		if o.Plain {
			line = plainLine(line)
		}
		p.Spans = append(p.Spans, spans(line))
		p.Lines = append(p.Lines, textOf(line))
	}
	for _, r := range v.rows {
		p.Rows = append(p.Rows, r.finished(o.Plain))
	}
	p.Truncated = v.truncated
	p.Inline = len(payload) <= maxInlineBytes && len(p.Lines)+v.more <= maxInlineLines
	return p
}

// screenWidth and screenRows are the screen that the first page of a plan has to fit, beside the
// cursor's column, the title, the last line and the keys.
const screenWidth, screenRows = 79, 21

// fits reports whether the first page fits a screen with all of a command on it. It does not depend
// on the screen that there is, so that prompt and store agree on what was cut.
func fits(payload []byte, marks []string) bool {
	tree, err := canonical.Parse(payload) // once more, because a page takes its plan apart
	top, ok := tree.(map[string]any)
	if err != nil || !ok {
		return false
	}
	v := &view{width: screenWidth}
	v.brief(top, marks)
	return len(v.lines) <= screenRows
}

// plan shows the values of a plan in the order in which a person needs them. Each section takes
// from its object what it shows, and what is left over is shown by name. So an older renderer never
// hides a value that a newer launcher adds.
func (v *view) plan(top map[string]any, marks []string) {
	o := object(top)
	says, hasSays := o.takeText("agent_says")
	context := o.takeObject("context")
	v.who(o)
	v.where(o, context)
	v.calls(o)
	v.substance(o)
	v.list(o, "refused", "refused", []label{{"tool_call_id", ""}, {"command", ""}, {"rule", ""}})
	if s, ok := o.takeText("needs"); ok {
		v.line("needs", text(s))
	}
	v.list(o, "always", "lasting", []label{{"words", ""}, {"asks", "asks"}, {"at_most", "at most"},
		{"rule", "rule"}, {"program", "program"}, {"dir", "in"}})
	v.environment(context)
	v.facts("sandbox", o.takeObject("fence"))
	v.bound("context", context)
	v.bound("also", o)
	v.marks(marks)
	if hasSays {
		v.says(says)
	}
}

// foreign shows bytes that are not a plan.
func (v *view) foreign(tree any, payload []byte, err error, full bool) {
	if err != nil {
		v.line("not a plan:", own(" the bytes below are not canonical JSON"))
		units := show(string(payload), exact, nil)
		if !full {
			units = v.cut(units, maxForeign, 0)
		}
		v.line("bytes", units)
		return
	}
	v.line("not a plan:", own(" the value below is not an object"))
	v.entries("value", "", tree)
}

// title names the program that asks. A phrase with characters other than letters and spaces is left
// out: LoadPhrase did not make it.
func (o Options) title() string {
	if o.Phrase == "" || !IsPhrase(o.Phrase) {
		return "tada-run asks"
	}
	return "tada-run asks «" + o.Phrase + "»"
}

// MaxPhrase is the maximum length of a phrase, in bytes.
const MaxPhrase = 32

// IsPhrase reports whether s may be in a title: letters and single spaces.
func IsPhrase(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != ' ' && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return s == strings.Join(strings.Fields(s), " ") && len(s) <= MaxPhrase
}
