package console

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/pathguard"
)

// policy shows what is granted, and the policy in force: outside of any workspace, or in the one of
// ?dir=.
func (s visit) policy(w http.ResponseWriter, r *http.Request) {
	list, err := s.inbox.Grants(r.Context())
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, err)
		return
	}
	dir := r.URL.Query().Get("dir")
	p, where, err := s.inForce(dir)
	if err != nil {
		s.refuse(w, http.StatusConflict, err)
		return
	}
	s.show(w, http.StatusOK, view{title: "tada-run: policy", here: "policy", body: g.Group{
		h.H1(g.Text("Policy")), h.H2(g.Text("Grants")), entries(s.grantRows(list), "no grants"),
		h.P(h.A(h.Href(s.root()+"policy/learned"), g.Text("What could spare you questions"))),
		h.H2(g.Text("In force " + where)),
		h.Form(h.Method("get"), h.Action(s.root()+"policy"), h.P(h.Label(
			g.Text("Show the policy in this folder "),
			h.Input(h.Type("text"), h.Name("dir"), h.Value(dir))))),
		settings(p)}})
}

// inForce is the policy for a folder, or outside of any workspace for "". where says that.
func (s visit) inForce(dir string) (p pathguard.Policy, where string, err error) {
	l, err := s.inbox.Fresh()
	if err != nil {
		return p, "", err
	}
	if dir == "" {
		return l.Policy(), "outside of any workspace", nil
	}
	if !filepath.IsAbs(dir) {
		return p, "", fmt.Errorf("%.200q does not begin with a slash", dir)
	}
	dir = filepath.Clean(dir)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return p, "", fmt.Errorf("%.200q is no folder", dir)
	}
	p, root, err := l.PolicyIn(dir)
	if err != nil {
		return p, "", err
	}
	if root == "" {
		return p, "in " + render.Inert(dir) + ", which is in no workspace", nil
	}
	return p, "in " + render.Inert(root), nil
}

// settings are the parts of a policy, each with the file that it comes from.
func settings(p pathguard.Policy) g.Node {
	set, usual := g.Group{}, g.Group{}
	for _, line := range p.Lines() {
		row := g.Group{h.Dt(g.Text(line[0])), h.Dd(h.Code(g.Text(render.Inert(line[1]))),
			h.Span(h.Class("soft"), g.Text(" "+render.Inert(line[2]))))}
		if line[2] == pathguard.FromDefault {
			usual = append(usual, row)
		} else {
			set = append(set, row)
		}
	}
	notes := g.Group{}
	for _, note := range p.Notes() {
		notes = append(notes, h.P(h.Class("note"), g.Text(render.Inert(note))))
	}
	return g.Group{notes,
		g.If(len(set) == 0, h.P(h.Class("empty"), g.Text("no file sets anything"))),
		g.If(len(set) > 0, h.Dl(h.Class("page"), set)),
		h.Details(h.Summary(g.Text("Defaults")), h.Dl(h.Class("page"), usual)),
		h.P(h.Class("soft"), g.Text("digest "+p.Digest())),
		h.Details(h.Summary(g.Text("Built in")),
			h.P(g.Text("A file can be in several places: the strictest row that matches wins.")),
			builtIn())}
}

// builtIn is the built-in table: for each place what is allowed, asked about and denied.
func builtIn() g.Node {
	rows := g.Group{}
	for _, row := range pathguard.Table() {
		verdicts := map[pathguard.Decision][]string{}
		for a, c := range row.Cells {
			verdicts[c.Decision] = append(verdicts[c.Decision], pathguard.Action(a).String())
		}
		rows = append(rows, h.Dt(g.Text(row.Place.String())))
		for _, d := range []pathguard.Decision{pathguard.Allow, pathguard.Ask, pathguard.Deny} {
			if list := verdicts[d]; len(list) > 0 {
				rows = append(rows, h.Dd(g.Textf("%s: %s", d, strings.Join(list, ", "))))
			}
		}
	}
	return h.Dl(h.Class("page"), rows)
}
