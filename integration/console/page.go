package console

import (
	"bytes"
	"net/http"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// A view is a page without what all pages have.
type view struct {
	title string
	here  string // the page that the navigation marks
	live  bool   // it is kept up to date
	// of a page that is not
	script string
	more   string      // further sources, for its policy; "" for a page that is not of the app
	keys   [][2]string // what keys do, beside those of a list
	body   g.Node      // what is replaced at each change
	above  g.Node      // what is not
}

// show writes a page.
func (s visit) show(w http.ResponseWriter, status int, v view) {
	if v.live {
		v.script = liveScript + keysScript
		v.keys = append(v.keys, [2]string{"j, k", "next, one before"}, [2]string{"Enter", "open"})
	}
	var page bytes.Buffer
	_ = s.page(v).Render(&page) // a buffer does not fail
	w.Header().Set("Content-Security-Policy", policyFor(v.script)+v.more)
	w.WriteHeader(status)
	_, _ = page.WriteTo(w)
}

func (s visit) page(v view) g.Node {
	tab := func(name, path, text string) g.Node {
		return h.A(h.Href(s.root()+path), g.If(v.here == name, g.Attr("aria-current", "page")),
			g.Text(text))
	}
	body := h.Div(v.body)
	if v.live {
		body = h.Div(g.Attr("data-live", s.root()+"events"), v.body)
	}
	return h.Doctype(h.HTML(h.Lang("en"),
		h.Head(h.Meta(h.Charset("utf-8")), h.TitleEl(g.Text(v.title)),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.Meta(h.Name("color-scheme"), h.Content("light dark")),
			g.If(v.live, h.NoScript(h.Meta(g.Attr("http-equiv", "refresh"), h.Content("5")))),
			g.If(v.more != "", g.Group{h.Link(h.Rel("icon"), h.Href("/icon.svg")),
				h.Link(h.Rel("manifest"), h.Href("/manifest.webmanifest"))}),
			h.StyleEl(g.Raw(style))),
		h.Body(
			h.Nav(h.Aria("label", "pages"), h.Strong(g.Text("tada-run")),
				g.If(s.session != nil, g.Group{tab("inbox", "", "Questions"),
					tab("runs", "runs", "Runs"), tab("policy", "policy", "Policy"),
					tab("devices", "devices", "Devices")})),
			h.Main(v.above, g.If(v.live, g.Group{
				h.P(h.Class("note gone"), g.Attr("hidden"), h.Role("alert"),
					g.Text("not up to date: the console does not answer")),
				h.P(h.Class("told unseen"), h.Role("status"))}), body),
			keysOf(v.keys),
			g.If(v.script != "", h.Script(g.Raw(v.script))))))
}

// keysOf says what keys do.
func keysOf(list [][2]string) g.Node {
	if len(list) == 0 {
		return nil
	}
	rows := g.Group{}
	for _, k := range append(list, [2]string{"?", "these keys"}) {
		rows = append(rows, h.Dt(h.Kbd(g.Text(k[0]))), h.Dd(g.Text(k[1])))
	}
	return h.Footer(h.Details(h.Class("keys"), h.Summary(g.Text("Keys")), h.Dl(rows)))
}

// refuse shows an error.
func (s visit) refuse(w http.ResponseWriter, status int, err error) {
	s.refuseTo(w, status, err, "", "to the questions")
}

// refuseTo shows an error, and a link to a page of the session.
func (s visit) refuseTo(w http.ResponseWriter, status int, err error, path, text string) {
	s.show(w, status, view{title: "tada-run", body: g.Group{h.P(g.Text(err.Error())),
		g.If(s.session != nil, h.P(h.A(h.Href(s.root()+path), g.Text(text))))}})
}

// done shows the result of an answer.
func (s visit) done(w http.ResponseWriter, id, word string) {
	s.show(w, http.StatusOK, view{title: "tada-run", here: "inbox", body: g.Group{
		h.P(g.Text(word + ": " + id)),
		h.P(h.A(h.Href(s.root()), g.Text("back to the questions")))}})
}

// entries is a list of what can be opened. If there is none, it says so.
func entries(list []g.Node, none string) g.Node {
	if len(list) == 0 {
		return h.P(h.Class("empty"), g.Text(none))
	}
	return h.Ul(h.Class("list"), g.Group(list))
}

// entry is one of them, with a badge and a line of small facts.
func entry(href string, what g.Node, small ...string) g.Node {
	content := g.Group{what, facts(small...)}
	if href == "" {
		return h.Li(h.Div(content))
	}
	return h.Li(h.A(h.Href(href), content))
}

// facts is a line of them, without those that are empty.
func facts(small ...string) g.Node {
	meta := g.Group{}
	for _, fact := range small {
		if fact != "" {
			meta = append(meta, h.Span(g.Text(fact)))
		}
	}
	return h.Span(h.Class("meta"), meta)
}

func badge(class, text string) g.Node {
	return h.Span(h.Class("badge "+class), g.Text(text))
}

// table shows rows of cells.
func table(head []string, rows [][]string) g.Node {
	line := func(cells []string, cell func(...g.Node) g.Node) g.Node {
		return h.Tr(g.Map(cells, func(text string) g.Node { return cell(g.Text(text)) }))
	}
	return h.Div(h.Class("scroll"), h.TabIndex("0"), h.Table(line(head, h.Th),
		g.Map(rows, func(cells []string) g.Node { return line(cells, h.Td) })))
}

// preformatted is text in its own lines. Where it is wider than the page it scrolls, also by keys.
func preformatted(content ...g.Node) g.Node { return h.Pre(h.TabIndex("0"), g.Group(content)) }
