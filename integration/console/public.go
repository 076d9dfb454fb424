package console

import (
	"embed"
	"net/http"
	"path"
)

// What makes the console an app that can be installed, and the worker that shows notifications.
// These files hold no secret: a browser reads them without a session.
//
//go:embed assets/app
var app embed.FS

// public are the types of those files, by their names.
var public = map[string]string{
	"manifest.webmanifest": "application/manifest+json",
	"sw.js":                "text/javascript; charset=utf-8",
	"icon.svg":             "image/svg+xml",
	"icon-192.png":         "image/png",
	"icon-512.png":         "image/png",
}

// The further sources of a page of the app, and of one that starts the worker. The images are the
// icons that the manifest names.
const (
	ofApp    = "; manifest-src 'self'; img-src 'self'"
	ofWorker = ofApp + "; worker-src 'self'"
)

// file sends one of the public files. The worker shows an icon with its messages.
func (s visit) file(w http.ResponseWriter, r *http.Request) {
	name := path.Base(r.URL.Path)
	text, err := app.ReadFile("assets/app/" + name)
	if err != nil {
		s.refuse(w, http.StatusNotFound, err)
		return
	}
	w.Header().Set("Content-Type", public[name])
	w.Header().Set("Content-Security-Policy", "default-src 'none'; img-src 'self'")
	_, _ = w.Write(text)
}
