package console_test

import (
	"net/http"
	"strings"
	"testing"
)

// formOf is the body of the form that ends a session: of this browser, or of the only other one.
func (g *guest) formOf(own bool) string {
	g.Helper()
	_, page := g.send("GET", g.root+"devices", "", nil)
	for item := range strings.SplitSeq(page, "<li>") {
		if strings.Contains(item, "<form") && strings.Contains(item, "this one") == own {
			return "session=" + hidden(g.T, item, "session") + "&proof=" +
				hidden(g.T, item, "proof")
		}
	}
	g.Fatalf("no form: %s", page)
	return ""
}

// A session ends itself and others, without a code, and only by a form of its own page.
func TestEndSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g, other := w.enter(), w.enter()
	form := g.formOf(false)
	for name, try := range map[string]struct {
		by   *guest
		body string
		edit func(*http.Request)
	}{
		"of another site": {g, form, func(r *http.Request) {
			r.Header.Set("Origin", "https://evil.example")
		}},
		"of another port": {g, form, func(r *http.Request) {
			r.Header.Set("Origin", "http://localhost:1")
		}},
		"of no page": {g, form, func(r *http.Request) { r.Header.Del("Origin") }},
		"that the browser tells of": {g, form, func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
		}},
		"without a proof": {g, strings.Split(form, "&")[0], nil},
		"with the proof of another": {g, strings.Split(form, "&")[0] + "&" +
			strings.Split(g.formOf(true), "&")[1], nil},
		"of the page of another session": {other, form, nil},
		"without a cookie": {&guest{world: w, root: g.root, agent: firefox}, form,
			nil},
	} {
		if resp, _ := try.by.send("POST", try.by.root+"devices/end", try.body,
			try.edit); resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d", name, resp.StatusCode)
		}
	}
	if status := other.status("GET", other.root, ""); status != http.StatusOK {
		t.Fatalf("ended by one of these: %d", status)
	}
	if resp, _ := g.send("POST", g.root+"devices/end", form,
		nil); resp.StatusCode != http.StatusSeeOther {
		t.Errorf("%d", resp.StatusCode)
	}
	if status := other.status("GET", other.root, ""); status != http.StatusForbidden {
		t.Errorf("after it was ended: %d", status)
	}
	resp, _ := g.send("POST", g.root+"devices/end", g.formOf(true), nil)
	if gone := resp.Cookies(); resp.Header.Get("Location") != "/" || len(gone) != 1 ||
		gone[0].MaxAge >= 0 || gone[0].Path != g.root {
		t.Errorf("%v", resp.Header)
	}
	if status := g.status("GET", g.root, ""); status != http.StatusForbidden {
		t.Errorf("after signing out: %d", status)
	}
	if w.count("ended") != 2 {
		t.Errorf("%+v", w.visitors())
	}
}
