package integration

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// sessionOn is a session and a console, with a browser's session.
func sessionOn(t *testing.T) (g *page, d *desktop, a *window, id string) {
	t.Helper()
	d, a, id = inside(t, 100, 30)
	g = consoleOn(t, d.place, "")
	g.enter(nil)
	return g, d, a, id
}

// Only the page of a session reaches a terminal: no other site, no other name of the server, nobody
// without the cookie.
func TestTerminalSocketIsGuarded(t *testing.T) {
	t.Parallel()
	g, d, _, id := sessionOn(t)
	g.p.run("tada-run true")
	over := regexp.MustCompile(`"sid":"([^"]+)"`).FindStringSubmatch(
		g.p.run("tadactl --json log --kind exec.end"))[1]
	set := func(name, value string) func(http.Header) {
		return func(h http.Header) { h.Set(name, value) }
	}
	without := func(name string) func(http.Header) {
		return func(h http.Header) { h.Del(name) }
	}
	for what, test := range map[string]struct {
		id     string
		edit   func(http.Header)
		status int
	}{
		"the page":             {id, nil, 101},
		"an older browser":     {id, without("Sec-Fetch-Site"), 101},
		"another site":         {id, set("Origin", "http://evil.example"), 403},
		"another port":         {id, set("Origin", "http://127.0.0.1:1"), 403},
		"another scheme":       {id, set("Origin", "https"+g.base[len("http"):]), 403},
		"a page without one":   {id, set("Origin", "null"), 403},
		"no origin":            {id, without("Origin"), 403},
		"two origins":          {id, func(h http.Header) { h.Add("Origin", g.base) }, 403},
		"cross-site":           {id, set("Sec-Fetch-Site", "cross-site"), 403},
		"same-site":            {id, set("Sec-Fetch-Site", "same-site"), 403},
		"what a person typed":  {id, set("Sec-Fetch-Mode", "navigate"), 403},
		"another name":         {id, set("Host", "evil.example"), 403},
		"no cookie":            {id, without("Cookie"), 403},
		"another cookie":       {id, set("Cookie", "session="+strings.Repeat("0", 64)), 403},
		"no run":               {strings.Repeat("0", 36), nil, 404},
		"a run that has ended": {over, nil, 404},
	} {
		c, status := g.dial(test.id, test.edit)
		if status != test.status {
			t.Errorf("%s: %d", what, status)
		}
		if c != nil {
			_ = c.CloseNow()
		}
	}
	path := g.path + "run/" + id + "/terminal"
	for _, test := range []struct {
		method, path string
		status       int
	}{{"GET", path + "/socket", 403}, {"POST", path + "/socket", 403}, {"POST", path, 403},
		{"GET", g.path + "run/" + over + "/terminal", 200},
		{"GET", g.path + "run/x/terminal", 404}} {
		if status, _, _ := g.send(test.method, test.path, nil, nil); status != test.status {
			t.Errorf("%s %s: %d", test.method, test.path, status)
		}
	}
	var open []*websocket.Conn
	d.eventually("16 places, once those from before have left", func() bool {
		c, status := g.dial(id, nil)
		if status == 101 {
			open = append(open, c)
		}
		return len(open) == 16
	})
	if _, status := g.dial(id, nil); status != http.StatusServiceUnavailable {
		t.Errorf("a browser more: %d", status)
	}
	_ = open[0].CloseNow()
	d.eventually("a place", func() bool {
		c, status := g.dial(id, nil)
		return c != nil && status == 101
	})
}

// C-8.2.1: keys reach the program only over the connection for which a person has confirmed that
// she takes over, once and for this run.
func TestTerminalKeysNeedAConfirmation(t *testing.T) {
	t.Parallel()
	g, d, a, id := sessionOn(t)
	s := g.socket(id)
	s.until("the session", func() bool { return s.now.Session })
	s.keys("touch unconfirmed\r")
	s.said("only watching")
	s.wish(object{"do": "give back"})
	s.said("only watching")
	for _, act := range []string{"take over", "continue", "end"} {
		s.wish(object{"do": act})
		s.said("confirmed already")
		s.wish(object{"do": act, "confirmed": object{"nonce": strings.Repeat("0", 32),
			"code": "000000"}})
		s.said("confirmed already")
	}
	s.takes(g.confirmed("take over", "00000000-0000-7000-8000-000000000000"))
	s.said("confirmed already")
	s.takes(g.confirmed("continue", id))
	s.said("confirmed already")

	wrong := g.confirmed("take over", id)
	right := wrong["code"]
	wrong["code"] = "000000"
	s.takes(wrong)
	s.said("not the code")
	other := consoleOn(t, d.place, "") // which did not begin it
	other.enter(nil)
	o := other.socket(id)
	wrong["code"] = right
	o.takes(wrong)
	o.said("confirmed already")
	s.takes(wrong)
	s.until("control", func() bool { return s.now.You })
	s.keys("touch confirmed; stty size\r")
	s.until("the size", func() bool { return strings.Contains(s.drawn.String(), "20 90") })
	o.until("the driver", func() bool {
		return strings.Contains(o.now.State, "(console, code of the terminal) is in control")
	})
	o.keys("touch other\r")
	o.said("only watching")
	o.takes(other.confirmed("take over", id))
	o.said("already has control")

	s.wish(object{"do": "give back", "epoch": s.now.Epoch})
	s.until("the end of control", func() bool { return !s.now.You })
	s.takes(wrong)
	s.said("confirmed already")
	s.keys("touch afterwards\r")
	s.said("only watching")
	a.line("ls; echo li''sted")
	a.shows("listed")
	for name, want := range map[string]bool{"unconfirmed": false, "confirmed": true,
		"other": false, "afterwards": false} {
		if _, err := os.Stat(filepath.Join(d.dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What no page sends ends the connection, and so do more keys than a session takes at once.
func TestTerminalSocketTakesNothingElse(t *testing.T) {
	t.Parallel()
	g, _, _, id := sessionOn(t)
	for what, send := range map[string]func(*socket){
		"no JSON":        func(s *socket) { s.send(websocket.MessageText, []byte("x")) },
		"no known wish":  func(s *socket) { s.wish(object{"do": "private"}) },
		"half an epoch":  func(s *socket) { s.send(websocket.MessageBinary, []byte("x")) },
		"too many keys":  func(s *socket) { s.keys(strings.Repeat("x", 64<<10+1)) },
		"a giant":        func(s *socket) { s.keys(strings.Repeat("x", 1<<20)) },
		"another number": func(s *socket) { s.wish(object{"do": "size", "cols": "x"}) },
	} {
		s := g.socket(id)
		s.until("the session", func() bool { return s.now.Session })
		send(s)
		var err error
		for err == nil {
			err = s.next()
		}
		if t.Context().Err() != nil || strings.Contains(err.Error(), "deadline") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A browser that does not draw gets nothing more until it has drawn, and then the screen as it is.
func TestTerminalOfASlowBrowser(t *testing.T) {
	t.Parallel()
	g, _, a, id := sessionOn(t)
	s := g.socket(id)
	s.until("the prompt", func() bool { return strings.Contains(s.drawn.String(), "inner$") })
	// s.next has said that the last turn is drawn; of the next one nothing is said
	a.line("clear; seq 300000; echo the e''nd")
	if _, _, err := s.conn.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.shows("the end")
	s.drawn.Reset()
	s.wish(object{"do": "drawn"})
	turns := 0
	s.until("the end", func() bool {
		turns++
		return strings.Contains(s.drawn.String(), "the end")
	})
	if turns > 20 || strings.Contains(s.drawn.String(), "150000") {
		t.Errorf("%d turns had waited", turns)
	}
}

// A person who drives and loses her connection leaves the session frozen, not to the program that
// she took it from.
func TestTerminalCutOff(t *testing.T) {
	t.Parallel()
	g, d, a, id := sessionOn(t)
	s := g.socket(id)
	s.takes(g.confirmed("take over", id))
	s.until("control", func() bool { return s.now.You })
	s.keys("echo dri''ven\r")
	a.shows("driven")
	_ = s.conn.CloseNow()
	a.shows("(console, code of the terminal) had control")
	log := d.run("tadactl --json log --kind ctl.freeze")
	if !regexp.MustCompile(`"device":"console, code of the terminal".*"lost":"uid \d+ at pts/\d+"`).
		MatchString(log) {
		t.Error(log)
	}
	s = g.socket(id)
	s.until("that it is frozen", func() bool { return s.now.Frozen })
	s.wish(object{"do": "continue", "confirmed": g.confirmed("continue", id)})
	s.until("that it goes on", func() bool { return !s.now.Frozen })
	a.line("echo go''es on")
	a.shows("goes on")

	// the browser is shut out, and so is what it drives
	s.takes(g.confirmed("take over", id))
	s.until("control", func() bool { return s.now.You })
	_, _, devices := g.send("GET", g.path+"devices", nil, nil)
	form := url.Values{}
	for _, name := range []string{"session", "proof"} {
		form.Set(name, regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).
			FindStringSubmatch(devices)[1])
	}
	g.send("POST", g.path+"devices/end", form, nil)
	var err error
	for err == nil {
		err = s.next()
	}
	if c, status := g.dial(id, nil); c != nil || status != http.StatusForbidden {
		t.Error(status)
	}
	d.eventually("that it is frozen", func() bool {
		return strings.Count(d.run("tadactl log --kind ctl.freeze"), "lost=") == 2
	})
}

// A program cannot make the page do anything: what is sent to it is drawn here, and the bytes of
// the program are not in it.
func TestTerminalOfAHostileProgram(t *testing.T) {
	t.Parallel()
	g, d, a, id := sessionOn(t)
	d.hostile()
	s := g.socket(id)
	a.line("./show")
	a.shows("survived")
	s.until("the end", func() bool { return strings.Contains(s.drawn.String(), "survived") })
	known := regexp.MustCompile(`^([^\x00-\x1f\x7f-\x9f]|\x1b\[[?!]?[0-9;]*[HJGKhlmpr]|\x1b>)*$`)
	if text := s.drawn.String(); !known.MatchString(text) {
		for _, part := range regexp.MustCompile(`\x1b[^HJGKhlmpr>]*.`).FindAllString(text, -1) {
			if !known.MatchString(part) {
				t.Errorf("%q is sent", part)
			}
		}
	}
}
