package play

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/screen"
)

// A stage turns events into a picture.
type stage struct {
	screen *screen.Screen
	wire   Wire
	cast   cast
	echo   []byte // typed, and not seen in the output yet
	echoBy uint8  // the tag of its author
	said   note   // what to show below the screen
	typed  note
	mark   Mark
	wired  []byte // what was drawn last; reused as a buffer
}

// A cast is the list of authors; a tag is an index into it. It only grows, in the order of the
// transcript, and so a tag means the same on every stage that has got as far.
type cast struct{ authors []string }

// maxAuthors is the largest tag; 0 means no author.
const maxAuthors = 255

func (c *cast) tag(author string) uint8 {
	i := slices.Index(c.authors, author)
	if i < 0 && len(c.authors) < maxAuthors {
		c.authors = append(c.authors, author)
		i = len(c.authors) - 1
	}
	return uint8(i + 1)
}

func (c cast) name(tag uint8) string {
	if tag == 0 || int(tag) > len(c.authors) {
		return ""
	}
	return c.authors[tag-1]
}

// A note is a line about an event.
type note struct {
	at   time.Duration
	by   string
	text string
}

// A Mark is a place to jump to: a command, an approval, a takeover.
type Mark struct {
	At    time.Duration
	Label string
}

func newStage(h audit.Header) *stage {
	cols, rows := h.Cols, h.Rows
	if cols <= 0 || rows <= 0 {
		cols, rows = 80, 24
	}
	return &stage{screen: screen.New(cols, rows), wire: NewWire(h), mark: Mark{Label: h.Command}}
}

// A still is a stage at rest, in a tenth of its memory. It never changes.
type still struct {
	stage  stage // without a screen
	screen *screen.Still
}

// still returns what wake turns back into a copy of s.
func (s *stage) still() still {
	c := still{*s, s.screen.Still()}
	c.stage.screen, c.stage.wired, c.stage.echo = nil, nil, slices.Clone(s.echo)
	c.stage.cast.authors = slices.Clip(s.cast.authors) // shared, and so never appended to
	return c
}

func (c still) wake() *stage {
	s := c.stage
	s.screen, s.echo = c.screen.Screen(), slices.Clone(c.stage.echo)
	return &s
}

// bytes estimates the memory of c.
func (c still) bytes() int {
	s := &c.stage
	return 1024 + c.screen.Bytes() + len(s.echo) + len(s.said.text) + len(s.typed.text) +
		len(s.mark.Label)
}

// scenes say what an event does to the stage, by its code. Output is not here: it may come in
// parts.
var scenes = map[byte]func(*stage, audit.Event){
	audit.CodeInput: (*stage).input,
	audit.CodeStdin: func(s *stage, e audit.Event) {
		s.say(e, "stdin, %s", audit.Plural(e.Length, "byte"))
	},
	audit.CodeHidden: func(s *stage, e audit.Event) {
		s.echo = nil
		s.tell(&s.typed, e, "(hidden, %s)", audit.Plural(e.Length, "byte"))
	},
	audit.CodeMark:   func(s *stage, e audit.Event) { s.mark = Mark{e.Time, string(e.Data)} },
	audit.CodeSignal: func(s *stage, e audit.Event) { s.say(e, "signal %s", e.Data) },
	audit.CodeExit:   func(s *stage, e audit.Event) { s.say(e, "exit %s", e.Data) },
	audit.CodeGap: func(s *stage, e audit.Event) {
		s.say(e, "%s of output not kept", audit.Plural(e.Length, "byte"))
		s.screen.Write(s.wire.Event(nil, e))
	},
	audit.CodeResize: func(s *stage, e audit.Event) {
		if cols, rows, ok := e.Size(); ok {
			s.screen.Resize(cols, rows)
		}
	},
}

// show shows a whole event.
func (s *stage) show(e audit.Event) {
	switch {
	case !isOutput(e.Code):
		s.play(e)
	case e.Redacted:
		s.screen.Write(s.wire.Event(nil, e))
	default:
		s.output(e.Code, e.Data)
	}
}

// play shows all of an event except output.
func (s *stage) play(e audit.Event) {
	if scene := scenes[e.Code]; scene != nil {
		scene(s, e)
	}
}

func (s *stage) say(e audit.Event, format string, args ...any) {
	s.tell(&s.said, e, format, args...)
}

func (s *stage) tell(n *note, e audit.Event, format string, args ...any) {
	*n = note{e.Time, e.Author, fmt.Sprintf(format, args...)}
}

// maxEcho is how much typed text waits for its echo; more was pasted into a program that does not
// echo.
const maxEcho = 4096

func (s *stage) input(e audit.Event) {
	if e.Redacted {
		s.echo = nil
		s.tell(&s.typed, e, "(redacted, %s)", audit.Plural(e.Length, "byte"))
		return
	}
	if tag := s.cast.tag(e.Author); tag != s.echoBy {
		s.echo, s.echoBy = nil, tag
	}
	if len(s.echo)+len(e.Data) > maxEcho {
		s.echo = nil
	} else {
		s.echo = append(s.echo, e.Data...)
	}
	// A run of keys is shown as one line, as long as one author types.
	run := ""
	if s.typed.by == e.Author && e.Time-s.typed.at < 2*time.Second &&
		!strings.HasSuffix(s.typed.text, "⏎") {
		run = s.typed.text
	}
	if run += visible(e.Data); len(run) > 512 {
		run = "…" + strings.ToValidUTF8(run[len(run)-500:], "")
	}
	s.tell(&s.typed, e, "%s", run)
}

// visible spells keys so that they can be read.
func visible(keys []byte) string {
	var b strings.Builder
	for _, r := range string(keys[:min(len(keys), 512)]) {
		switch {
		case r == '\r' || r == '\n':
			b.WriteRune('⏎')
		case r == '\t':
			b.WriteRune('⇥')
		case r == 0x7f || r == '\b':
			b.WriteRune('⌫')
		case r == 0x1b:
			b.WriteRune('␛')
		case r < ' ':
			b.WriteString("^" + string(r+'@'))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// output draws bytes of the program.
func (s *stage) output(code byte, p []byte) {
	if code == audit.CodeOutput {
		n := s.drawEcho(p)
		p = p[n:]
	}
	s.draw(code, p)
}

func (s *stage) draw(code byte, p []byte) {
	s.wired = s.wire.Append(s.wired[:0], code, p)
	s.screen.Write(s.wired)
}

// drawEcho draws the part of p that only repeats what was typed, in the author's colour, and
// returns its length. At the first byte that differs, the program's own output begins.
func (s *stage) drawEcho(p []byte) int {
	n := 0
	for n < len(p) && n < len(s.echo) && p[n] == s.echo[n] {
		n++
	}
	if n > 0 {
		s.screen.SetTag(s.echoBy)
		s.draw(audit.CodeOutput, p[:n])
		s.screen.SetTag(0)
	}
	if s.echo = s.echo[n:]; n < len(p) {
		s.echo = nil
	}
	return n
}
