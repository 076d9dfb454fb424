package console

import (
	"context"
	"slices"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/state"
)

// mostRuns is how many runs the list has, and mostSought how many are looked at for it.
const (
	mostRuns   = 50
	mostSought = 20_000
	// searchTime is how long a search goes on; the link to older runs goes on from there.
	searchTime = 2 * time.Second
)

// runs shows the newest runs, the newest first, and before them those that are still open. With
// ?before= it shows those that began before a run, and with ?text= those that contain a text.
func (s visit) runs(w http.ResponseWriter, r *http.Request) {
	text, before := r.URL.Query().Get("text"), r.URL.Query().Get("before")
	if before != "" && !state.IsID(before) {
		s.refuse(w, http.StatusBadRequest, fmt.Errorf("%.80q is not the id of a run", before))
		return
	}
	page, err := s.newest(r.Context(), before, func(p past.Run) bool {
		return strings.Contains(p.Command+"\n"+p.Inside+"\n"+p.Dir+"\n"+p.Agent+"\n"+p.ID, text)
	})
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	var rows []g.Node
	for _, p := range page.list {
		rows = append(rows, s.listed(p))
	}
	none := "no such runs"
	if page.last != "" {
		none = "none in what was searched so far"
	}
	s.show(w, http.StatusOK, view{title: "tada-run: runs", here: "runs",
		live: text == "" && before == "",
		above: g.Group{h.H1(g.Text("Runs")),
			h.Form(h.Method("get"), h.Action(s.root()+"runs"), h.P(h.Label(
				g.Text("Search command, folder, agent and id "),
				h.Input(h.Type("search"), h.Name("text"), h.Value(text)))))},
		body: g.Group{entries(rows, none), s.olderLink(page.last, text)}})
}

// olderLink leads to the runs before one; nothing if there are none.
func (s visit) olderLink(last, text string) g.Node {
	if last == "" {
		return nil
	}
	query := url.Values{"before": {last}}
	if text != "" {
		query.Set("text", text)
	}
	return h.P(h.A(h.Href(s.root()+"runs?"+query.Encode()), h.Rel("next"), g.Text("Older runs")))
}

// A runPage is a part of the list of runs. last is the last run that was looked at, "" if there
// are no older ones.
type runPage struct {
	list []past.Run
	last string
}

// newest returns the newest runs that are chosen, of those before one or of all. Before all there
// are those that are open and older than the others.
func (s visit) newest(ctx context.Context, before string,
	chosen func(past.Run) bool) (page runPage, err error) {
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	runs := s.inbox.Newest(time.Time{})
	if before != "" {
		runs = s.inbox.Older(before)
	}
	sought, last, more := 0, "", false
	for p, err := range runs {
		if err != nil {
			return runPage{}, err
		}
		if sought++; len(page.list) == mostRuns || sought > mostSought || ctx.Err() != nil {
			more = true
			break
		}
		if last = p.ID; chosen(p) {
			page.list = append(page.list, p)
		}
	}
	if !more {
		return page, nil
	}
	page.last = last
	if before != "" {
		return page, nil
	}
	open, err := s.inbox.Open(page.list)
	open = slices.DeleteFunc(open, func(p past.Run) bool { return !chosen(p) })
	page.list = slices.Concat(open, page.list)
	return page, err
}

// listed is a run in the list.
func (s visit) listed(p past.Run) g.Node {
	return entry(s.root()+"run/"+p.ID, g.Group{badge(classOf(p), stateOf(p)), shortly(p)},
		p.Began.Local().Format(time.DateTime), render.Inert(p.Agent), render.Inert(p.Dir),
		p.RunChanges.String())
}
