package console

import (
	"net/http"
	"strings"
)

// guard returns why a request is refused, whoever sends it.
func (s *Server) guard(r *http.Request) error {
	origin, sites := r.Header.Values("Origin"), r.Header.Values("Sec-Fetch-Site")
	site := strings.Join(sites, ", ") // of more than one, none is right
	_, host, _ := strings.Cut(s.base, "://")
	switch {
	case r.Host != host:
		return errHost
	case r.Method != http.MethodGet && r.Method != http.MethodPost:
		return errMethod
	case len(origin) > 1, len(origin) == 1 && origin[0] != s.base,
		r.Method == http.MethodPost && len(origin) == 0:
		return errOrigin
	case site != "" && site != "same-origin" && (site != "none" || r.Method != http.MethodGet):
		// "none": a person typed the address
		return errOrigin
	}
	return nil
}

// headers keep a browser from doing more with the page than showing it.
func headers(h http.Header) {
	for name, value := range map[string]string{
		"Content-Security-Policy":      still, // a page says more
		"Content-Type":                 "text/html; charset=utf-8",
		"Cache-Control":                "no-store",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		// with no-referrer a form's Origin would be null
		"Referrer-Policy":        "same-origin",
		"X-Content-Type-Options": "nosniff",
		"X-Frame-Options":        "DENY",
	} {
		h.Set(name, value)
	}
}
