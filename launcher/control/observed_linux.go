package control

import (
	"bytes"
	"strings"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/screen"
	"github.com/tada-run/tada-run/launcher/session/wire"
)

// An observed is what happens while a person drives, for the message to the other side: what was
// done, and not which keys. Lines are what was on the screen when Enter was pressed; if the shell
// marks the end of its prompt (OSC 133;B) they begin after it, and if it marks the exit status (OSC
// 133;D) they have one. The program inside controls all of that, and it is trusted with nothing
// else.
type observed struct {
	driver int // number of the client that drives
	began  time.Time
	dirWas string

	typedBytes, hidden, private int

	enters int // pressed, and the line they end not yet seen to end
	x, y   int // where the prompt ended; y is -1 if that is not known
	// the shell marks its prompts: a line at none is for another program, or typed ahead and shown
	// again
	prompts  bool
	commands []wire.Command
}

// maxCommands and maxFiles bound the message.
const (
	maxCommands = 100
	maxLineSeen = 500
	maxFiles    = 100
)

// typed counts keys. What is hidden is a password, and the screen does not show it either.
func (o *observed) typed(keys []byte, hidden bool) {
	o.typedBytes += len(keys)
	if hidden {
		o.hidden += len(keys)
		return
	}
	o.enters += bytes.Count(keys, []byte("\r"))
}

// output draws what the program printed, and looks at the screen where a line that was entered
// ends.
func (o *observed) output(s *screen.Screen, p []byte, private bool) {
	if private {
		o.private += len(p)
		o.enters = 0
	}
	for o.enters > 0 && !s.Alternate() {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			break
		}
		s.Write(p[:i])
		if o.line(s) {
			o.enters--
		}
		p = p[i:]
		s.Write(p[:1])
		p = p[1:]
	}
	if s.Alternate() {
		o.enters = 0 // Enter is a key like others there
	}
	s.Write(p)
}

// line takes the line that the cursor is on, and reports whether it is one that was entered.
func (o *observed) line(s *screen.Screen) bool {
	_, y, _ := s.Cursor()
	text := s.Text(y)
	switch {
	case o.y == y:
		cells := []rune(text)
		text = string(cells[min(o.x, len(cells)):])
	case o.prompts:
		return false
	}
	if text = strings.TrimSpace(text); text == "" {
		return !o.prompts
	}
	o.y = -1
	if len(o.commands) >= maxCommands {
		return true
	}
	text, _ = audit.HideSecrets(text[:min(len(text), maxLineSeen)])
	o.commands = append(o.commands, wire.Command{Line: strings.ToValidUTF8(text, "\ufffd")})
	return true
}

// reportBody is the message as it is recorded.
func reportBody(r *wire.Report) Body {
	commands := make([]any, 0, len(r.Commands))
	for _, c := range r.Commands {
		o := Body{"line": c.Line}
		if c.Status != nil {
			o["status"] = *c.Status
		}
		commands = append(commands, o)
	}
	note, _ := audit.HideSecrets(r.Note)
	return Body{
		"seconds": r.Seconds, "typed_bytes": r.Typed, "hidden_bytes": r.Hidden,
		"private_bytes": r.Private,
		"commands":      commands, "cwd": r.Dir, "cwd_before": r.DirWas, "files_changed": r.Files,
		"more_changed": r.More, "note": note,
	}
}
