package launcher

import (
	"context"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/notice"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/launcher/session/wire"
)

// A marker marks one command from inside in the transcript of the session around it: a mark where a
// person was asked, and one where it was allowed or refused. The log has the whole story under the
// run's own id; the mark binds it to a place in what was on the screen.
type marker struct {
	d     *requestServer
	r     *announced // nil until it is announced
	asked string     // the envelope that was put before a person
}

// maxLabel is how much of a command line a mark holds, in bytes: it is for a person to find the
// place.
const maxLabel = 200

// label is the part of a command line that distinguishes it from others. The shell of a session
// lists its functions before each line, as declare -f prints them; the part that is left out here
// is marked by dots, and is in the log.
func label(text string) string {
	const dots = "..."
	const functionsEnd = "\n}\n"
	if at := strings.LastIndex(text, functionsEnd) + len(functionsEnd); at >= len(functionsEnd) &&
		at < len(text) {
		text = dots + text[at:]
	}
	if n := len(text) - maxLabel; n > 0 {
		text = dots + text[n:]
	}
	return notice.Visible(text)
}

// mark puts one into the transcript of the session. What cannot be marked is not let go.
func (m *marker) mark(what string) error {
	text := label(beginning(m.r.shown))
	if m.d.r.hosting.attached.IsPrivate() {
		text = "(private)"
	}
	if err := m.d.r.recorder.Mark(what + ": " + text + " (" + m.r.id + ")"); err != nil {
		return &record.Error{Kind: "transcript", Err: err}
	}
	return nil
}

// question shows an envelope to the attached clients: it never appears on the session's own
// terminal, and what is typed there does not answer it.
func (m *marker) question(_ context.Context, e approval.Envelope) (approval.Decision, error) {
	m.d.r.hosting.attached.TellAll(wire.Notice{Code: wire.CodeAsked, Envelope: e.ID,
		Message: "a command needs your approval; press Ctrl-] a, or run elsewhere: tadactl inbox"})
	m.asked = e.ID
	return approval.Decision{}, m.mark("asked " + e.ID)
}

// settled removes the question from the attached clients, unless it stays open for the next try.
func (m *marker) settled(f *refusal.Refusal) {
	if m.asked != "" && !f.Waits() {
		m.answered(m.asked)
	}
}

func (m *marker) answered(envelope string) {
	m.d.r.hosting.attached.TellAll(wire.Notice{Code: wire.CodeAnswered, Envelope: envelope,
		Message: "no question is open here any more"})
}

// refused marks that it does not run. That a question stays open was marked when it was asked.
func (m *marker) refused(f *refusal.Refusal) error {
	if f == nil || m.asked != "" && f.Waits() {
		return nil
	}
	return m.mark(f.Status)
}

// runs marks that it is let go, and by what.
func (m *marker) runs(by *permit.Authority) error {
	switch {
	case by.Envelope != "":
		m.answered(by.Envelope) // also one that an earlier try of the command asked
		return m.mark("approved " + by.Envelope)
	case by.Grant != "":
		return m.mark("granted " + by.Grant)
	}
	return m.mark("allowed")
}
