package console_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// 10,000 strangers' failures fill no record, and keep nobody out: neither the owner in a session
// nor one who signs in or opens the link.
func TestStrangersKeepNobodyOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, g := w.pair("ada"), w.enter()
	stranger := w.guest()
	for i := range 10_000 {
		switch i % 3 {
		case 0:
			stranger.post("/sign-in/finish", object{"token": "x", "response": object{}}, nil)
		case 1:
			stranger.send("GET", fmt.Sprintf("/%064d/", i), "", nil)
		case 2:
			stranger.begin()
		}
	}
	if n := w.count("refused"); n == 0 || n > 20 {
		t.Errorf("%d entries", n)
	}
	if n := strings.Count(w.terminal(), "\n"); n > 10 {
		t.Errorf("%d lines on the terminal", n)
	}
	if status := g.status("GET", g.root, ""); status != http.StatusOK {
		t.Errorf("the owner: %d", status)
	}
	e := w.ask()
	_, page := g.send("GET", g.root+"q/"+e.ID, "", nil)
	if status := g.status("POST", g.root+"q/"+e.ID, "answer=deny&plan="+hidden(t, page, "plan")+
		"&proof="+hidden(t, page, "proof")); status != http.StatusOK {
		t.Errorf("the owner denies: %d", status)
	}
	w.signIn(d)
	w.enter()
	w.pass(11 * time.Minute)
	stranger.send("GET", "/"+strings.Repeat("0", 64)+"/", "", nil)
	if n := w.count("refused"); n != 21 {
		t.Errorf("%d entries after the time of the limit", n)
	}
}

// What a browser says about itself is printed nowhere: neither on the terminal nor in the record
// nor on a page.
func TestUserAgentIsNotPrinted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for agent, want := range map[string]string{
		"Firefox/1\u202egnp.exe Linux \x1b]0;x\x07": "Firefox on Linux",
		"Firefox/1\u202egnp.exe Linux":              "Firefox on Linux",
		"<script>alert(1)</script> Chrome/1":        "Chrome on another system",
		strings.Repeat("Evil", 3000):                "a browser on another system",
		"":                                          "a browser on another system",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605 Version/26.0 " +
			"Mobile/15E148 Safari/604.1": "Safari on iPhone",
		"Mozilla/5.0 (Windows NT 10.0; Win64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 " +
			"Edg/140.0": "Edge on Windows",
		"Mozilla/5.0 (Linux; Android 16; K) AppleWebKit/537.36 Chrome/140.0 Mobile " +
			"Safari/537.36": "Chrome on Android",
	} {
		c, err := net.Dial("tcp", strings.TrimPrefix(w.base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		link := w.link("")
		host := strings.TrimPrefix(w.base, "http://")
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\nConnection: close\r\n\r\n",
			link, host, agent)
		text, _ := io.ReadAll(c)
		c.Close()
		if strings.ContainsAny(agent, "\x1b\x07") {
			if strings.HasPrefix(string(text), "HTTP/1.1 303") {
				t.Errorf("%q: %s", agent, text)
			}
			continue
		}
		w.link(link)
		list := w.visitors()
		if v := list[len(list)-1]; v.Device != want || len(v.Device) > 40 {
			t.Errorf("%.80q: %q, not %q", agent, v.Device, want)
		}
	}
	c, err := net.Dial("tcp", strings.TrimPrefix(w.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	// not even read: 64 kB
	fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\n\r\n", w.link(""),
		strings.TrimPrefix(w.base, "http://"), strings.Repeat("x", 64<<10))
	text, _ := io.ReadAll(c)
	if !strings.HasPrefix(string(text), "HTTP/1.1 431") {
		t.Errorf("%.80s", text)
	}
	g := w.enter()
	_, page := g.send("GET", g.root+"devices", "", nil)
	for _, text := range []string{page, w.terminal()} {
		if strings.ContainsAny(text, "\x1b\x07\u202e") || strings.Contains(text, "alert(1)") ||
			strings.Contains(text, "Evil") {
			t.Errorf("%q", text)
		}
	}
}
