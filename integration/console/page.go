package console

import (
	"bytes"
	"html/template"
	"net/http"
)

// A view is what the template of a page is given.
type view struct {
	Title string
	Here  string // the page that the navigation marks
	Root  string
	Live  string // where its events come from, if the page is kept up to date
	Back  bool
	Body  any
}

func (view) Style() template.CSS { return template.CSS(style) }
func (view) Script() template.JS { return template.JS(script) }

// root is the address of the first page, as a path.
func (s *Server) root() string { return "/" + s.token + "/" }

// show writes a page. One that cannot be made is an error as a whole.
func (s *Server) show(w http.ResponseWriter, status int, name string, v view) {
	v.Root = s.root()
	policy := still
	if v.Live != "" {
		v.Live = v.Root + "events"
		policy = live
	}
	var page bytes.Buffer
	if err := pages.ExecuteTemplate(&page, name, v); err != nil {
		status, policy = http.StatusInternalServerError, still
		page.Reset()
		_ = pages.ExecuteTemplate(&page, "message", view{Title: "tada-run", Root: v.Root,
			Body: err.Error()})
	}
	w.Header().Set("Content-Security-Policy", policy)
	w.WriteHeader(status)
	_, _ = page.WriteTo(w)
}

// refuse shows an error.
func (s *Server) refuse(w http.ResponseWriter, status int, err error) {
	s.show(w, status, "message", view{Title: "tada-run", Body: err.Error()})
}

// done shows the result of an answer.
func (s *Server) done(w http.ResponseWriter, id, word string) {
	s.show(w, http.StatusOK, "message", view{Title: "tada-run", Here: "inbox", Back: true,
		Body: word + ": " + id})
}
