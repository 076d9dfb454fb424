package console

import (
	"errors"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/launcher/past"
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// changes is the part of the page with what a run changed, as a diff; nothing if that is not known.
// It is made once for all pages of the run that are open.
func (s visit) changes(p past.Run) g.Node {
	diff := s.diffs.get(p.ID, s.recorded(), func() g.Node { return s.diff(p) })
	if diff == nil {
		return nil
	}
	text := "Undo"
	if do, _ := s.backward(p.ID); do == "redo" {
		text = "Redo"
	}
	return g.Group{diff, g.If(!p.Ended.IsZero(), h.P(h.A(h.Class("button"),
		h.Href(s.root()+"run/"+p.ID+"/undo"), g.Text(text))))}
}

func (s *Server) diff(p past.Run) g.Node {
	parts, err := s.inbox.Parts(p.ID)
	if err != nil {
		return nil
	}
	out := clipped{left: mostDiff}
	for _, part := range slices.Backward(parts) {
		run, err := s.inbox.Kept(part)
		if err == nil {
			err = run.Diff(&out)
		}
		if err != nil && !errors.Is(err, errFull) {
			return nil
		}
	}
	if out.Len() == 0 {
		return nil
	}
	lines := g.Group{}
	for line := range strings.Lines(out.String()) {
		class := ""
		switch {
		case strings.HasPrefix(line, "+"):
			class = "add"
		case strings.HasPrefix(line, "-"):
			class = "del"
		case strings.HasPrefix(line, "@@"):
			class = "hunk"
		}
		text := g.Text(render.Inert(strings.TrimSuffix(line, "\n")) + "\n")
		if class != "" {
			text = h.Span(h.Class(class), text)
		}
		lines = append(lines, text)
	}
	if out.left == 0 {
		lines = append(lines, g.Text("and more: tadactl diff "+p.ID+"\n"))
	}
	return g.Group{h.H2(g.Text("Changes")), preformatted(lines)}
}

// mostDiff is how much of a diff the page shows.
const mostDiff = 256 << 10

var errFull = errors.New("it is longer than what is shown")

// clipped is a buffer that takes only so much.
type clipped struct {
	strings.Builder
	left int
}

func (l *clipped) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.left -= n
	_, _ = l.Builder.Write(p[:n])
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}
