package console

import (
	"cmp"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/launcher/past"
)

// listRoom is how many characters of a question's commands a list shows, and runRoom how many of a
// run's a list or a title: enough to choose from. The page of the question or of the run shows all.
const listRoom, runRoom = 400, 160

// commandOf is what a run runs.
func commandOf(p past.Run) string { return cmp.Or(p.Inside, p.Command) }

// shortly is the command of a run, in about runRoom characters.
func shortly(p past.Run) g.Node {
	return pieced(render.Shorten(commandOf(p), nil, runRoom))
}

// titleOf is the title of a page about a run; the whole command follows if it is longer.
func titleOf(p past.Run) g.Node {
	return g.Group{h.H1(shortly(p)), wholeOf(p)}
}

// wholeOf is the command of a run if runRoom is not enough for it; otherwise nothing.
func wholeOf(p past.Run) g.Node {
	if len(render.Shorten(commandOf(p), nil, runRoom)) == 1 {
		return nil
	}
	return h.Details(h.Summary(g.Text("Whole command")),
		h.Code(h.Class("command"), g.Text(render.Inert(commandOf(p)))))
}

// pieced is a text of which parts may be left out.
func pieced(pieces []render.Piece) g.Node {
	all := g.Group{}
	for _, p := range pieces {
		if p.Cut > 0 {
			all = append(all, h.Em(g.Textf(" [%d chars cut] ", p.Cut)))
		}
		all = append(all, h.Code(g.Text(render.Inert(p.Text))))
	}
	return h.Span(h.Class("command"), all)
}

// shortID is as much of the id of a question as tells it apart on a terminal.
func shortID(id string) string { return id[:min(len(id), 8)] }
