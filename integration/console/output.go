package console

import (
	"strconv"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/play"
	"github.com/tada-run/tada-run/launcher/past"
)

const (
	// mostOutput is how much of the end of an output the page of a run shows.
	mostOutput = 32 << 10
	// mostDrawn is the longest transcript that is drawn for it: a page is made again for each
	// change.
	mostDrawn = 4 << 20
)

// printed is the part of the page with what a run printed.
func (s visit) printed(ctx context.Context, p past.Run) g.Node {
	if !s.inbox.HasTranscript(p.ID) {
		return nil
	}
	text, cut, why := s.output(ctx, p.ID)
	shown := preformatted(g.Text(text))
	if why != "" {
		shown = h.P(h.Class("soft"), g.Text(why))
	}
	return g.Group{h.H2(g.Text("Output")),
		g.If(cut, h.P(h.Class("soft"), g.Text("the last part of it"))), shown,
		h.P(h.A(h.Class("button"), h.Href(s.root()+"run/"+p.ID+"/replay"), g.Text("Replay")))}
}

// output is the end of what a run printed so far. It is drawn again only when there is more.
func (s *Server) output(ctx context.Context, id string) (text string, cut bool, why string) {
	f, err := s.inbox.Transcript(id)
	if err != nil {
		return "", false, err.Error()
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return "", false, err.Error()
	}
	ctx = context.WithoutCancel(ctx) // others may wait for the same
	d := s.drawings.get(id, strconv.FormatInt(size, 10),
		func() drawing { return draw(ctx, id, f, size) })
	return d.text, d.cut, d.why
}

// draw is the end of what a transcript shows, as a person saw it; cut is true if there was more. If
// it is not to be had, why says so.
func draw(ctx context.Context, id string, f io.ReadSeeker, size int64) (d drawing) {
	if size > mostDrawn {
		d.why = "it is too long for this page; see the replay, or: tadactl replay " + id
		return d
	}
	var out bytes.Buffer
	_, err := f.Seek(0, io.SeekStart)
	if err == nil {
		err = play.Text(ctx, &out, f, play.TextOptions{})
	}
	var bad *audit.BadEntry
	if err != nil && !(errors.As(err, &bad) && bad.Torn) { // it runs, or its recorder died
		d.why = err.Error()
		return d
	}
	b := out.Bytes()
	if d.cut = len(b) > mostOutput; d.cut {
		b = b[len(b)-mostOutput:]
		b = b[bytes.IndexByte(b, '\n')+1:]
	}
	if len(b) == 0 {
		d.why = "nothing was printed"
		return d
	}
	d.text = inertLines(string(b))
	return d
}

// inertLines is a text with every line inert.
func inertLines(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = render.Inert(line)
	}
	return strings.Join(lines, "\n")
}
