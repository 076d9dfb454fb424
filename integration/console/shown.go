package console

import (
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
)

// classes are the names of the tones in the style sheet.
var classes = [...]string{render.Body: "", render.Label: "label", render.Low: "low",
	render.High: "high", render.Critical: "critical", render.Danger: "danger",
	render.Lost: "lost", render.Kept: "kept"}

// firstPage is the first page of a question: every row of the renderer, in its order.
func firstPage(p render.Page, after string) g.Node {
	first, last := p.Rows[0], p.Rows[len(p.Rows)-1]
	return h.Article(h.Class("question"), h.H1(spansOf(first)),
		rowsOf(p.Rows[1:len(p.Rows)-1]),
		h.P(h.Class("soft"), spansOf(last)),
		g.If(after != "", h.P(g.Text(after))))
}

// rowsOf is a list of sections, each with its rows.
func rowsOf(rows []render.Row) g.Node {
	list := g.Group{}
	for _, r := range rows {
		if r.Label != "" {
			list = append(list, h.Dt(g.Text(r.Label)))
		}
		class := "said"
		if r.Kind == render.Code {
			class = "line"
		}
		list = append(list, h.Dd(h.Class(class),
			g.If(r.Number != "", h.Span(h.Class("number"), g.Text(r.Number+" "))), spansOf(r)))
	}
	return h.Dl(h.Class("page"), list)
}

// spansOf is the text of a row in the classes of its tones.
func spansOf(r render.Row) g.Node {
	all := g.Group{}
	for _, s := range r.Spans {
		text := g.Text(s.Text)
		if r.Kind == render.Value {
			text = worded(s.Text)
		}
		if class := classes[s.Tone]; class != "" {
			text = h.Span(h.Class(class), text)
		}
		all = append(all, text)
	}
	return all
}

// worded is a sentence in which names stand in letters that all differ: in most others l is like I.
func worded(text string) g.Node {
	all := g.Group{}
	run, exact := "", false
	end := func() {
		if name := strings.TrimRight(run, " "); exact {
			all = append(all, h.Code(g.Text(name)))
			run = run[len(name):]
		}
		all = append(all, g.Text(run))
		run = ""
	}
	for word := range strings.SplitAfterSeq(text, " ") {
		if is := !isProse(word); is != exact {
			end()
			exact = is
		}
		run += word
	}
	end()
	return all
}

// isProse reports whether a word is of small letters, or a number, and so like no other.
func isProse(word string) bool {
	word = strings.TrimRight(strings.TrimLeft(word, "("), " .,;:)")
	return strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == "" ||
		strings.Trim(word, "0123456789") == ""
}

// details are all that the plan says, and every value that it binds by its name.
func details(full render.Page, open bool) g.Node {
	said, bound := []render.Row{}, g.Group{}
	for _, r := range full.Rows {
		switch r.Kind {
		case render.Listed:
			bound = append(bound, h.Li(g.Text(textOf(r))))
		case render.Rule:
		default:
			said = append(said, r)
		}
	}
	return g.Group{
		h.Details(g.If(open, g.Attr("open")), h.Summary(g.Text("Details")), rowsOf(said)),
		h.Details(g.If(open, g.Attr("open")), h.Summary(g.Text("Everything bound, by name")),
			h.Ul(h.Class("bound"), bound))}
}

func textOf(r render.Row) (text string) {
	for _, s := range r.Spans {
		text += s.Text
	}
	return text
}

// foretold are the changes that the plan names; nothing if it names none.
func foretold(e approval.Envelope) g.Node {
	list := render.Changes(e.Payload)
	if len(list) == 0 {
		return nil
	}
	class := map[string]string{"delete": "del", "create": "add"}
	lines := g.Group{}
	for _, c := range list {
		amount := ""
		if c.Amount != "" {
			amount = " (" + c.Amount + ")"
		}
		lines = append(lines, h.Li(h.Class(class[c.Word]), g.Text(c.Word+" "),
			h.Code(g.Text(c.Path)), g.Text(amount)))
	}
	return h.Details(h.Summary(g.Textf("Changes (%d)", len(list))), h.Ul(h.Class("bound"), lines))
}
