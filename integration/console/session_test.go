package console_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
)

// A stolen path needs its cookie, and a stolen cookie its path.
func TestSessionNeedsPathAndCookie(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g, other := w.enter(), w.enter()
	w.ask()
	for name, try := range map[string]struct{ path, cookie string }{
		"a stolen path":             {g.root, ""},
		"a stolen cookie, no path":  {"/runs", g.cookie.Value},
		"a stolen cookie, another":  {other.root, g.cookie.Value},
		"a cookie that was guessed": {g.root, strings.Repeat("0", 64)},
		"no cookie's value":         {g.root, "="},
		"the path as the cookie":    {g.root, strings.Trim(g.root, "/")},
		"a path in upper case":      {strings.ToUpper(g.root), g.cookie.Value},
		"a longer path":             {"/0" + g.root[1:], g.cookie.Value},
	} {
		thief := &guest{world: w, agent: firefox}
		resp, text := thief.send("GET", try.path, "", func(r *http.Request) {
			if try.cookie != "" {
				r.Header.Set("Cookie", g.cookie.Name+"="+try.cookie)
			}
		})
		if resp.StatusCode != http.StatusForbidden || len(resp.Cookies()) > 0 ||
			strings.Contains(text, "asked") {
			t.Errorf("%s: %d %s", name, resp.StatusCode, text)
		}
	}
	if !g.cookie.HttpOnly || g.cookie.SameSite != http.SameSiteStrictMode ||
		g.cookie.MaxAge != 7*24*60*60 || g.cookie.Domain != "" || len(g.cookie.Value) != 64 ||
		g.cookie.Value == strings.Trim(g.root, "/") {
		t.Errorf("%+v", g.cookie)
	}
	// a server on another port of the same host adds cookies of the same name
	resp, _ := g.send("GET", g.root, "", func(r *http.Request) {
		r.Header.Set("Cookie", g.cookie.Name+"=evil; "+g.cookie.String()[:len(g.cookie.Name)+65]+
			"; "+g.cookie.Name+"=evil")
	})
	if resp.StatusCode != http.StatusOK {
		t.Errorf("locked out by a cookie of another port: %d", resp.StatusCode)
	}
}

// Whoever has both reads and denies, and approves nothing.
func TestStolenSessionApprovesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pair("ada")
	g := w.enter()
	thief := &guest{world: w, root: g.root, cookie: g.cookie, agent: "curl/8"}
	e, denied := w.ask(), w.ask()
	form := func(id, answer, code string) string {
		_, page := thief.send("GET", thief.root+"q/"+id, "", nil)
		return "answer=" + answer + "&code=" + code + "&plan=" + hidden(t, page, "plan") +
			"&proof=" + hidden(t, page, "proof")
	}
	for i, code := range []string{"", "000000", "ZZZZZZ", "111111"} {
		if status := thief.status("POST", thief.root+"q/"+e.ID,
			form(e.ID, "approve", code)); status != http.StatusForbidden {
			t.Errorf("code %d: %d", i, status)
		}
	}
	_, page := thief.send("GET", thief.root+"q/"+e.ID, "", nil)
	step := map[string]any{"question": e.ID, "plan": e.PlanHash, "proof": hidden(t, page, "proof"),
		"calls": map[string]bool{e.Calls[0]: true}, "response": map[string]any{}}
	if resp, text := thief.post(thief.root+"assert/finish", step,
		nil); resp.StatusCode == http.StatusOK {
		t.Errorf("without a passkey: %s", text)
	}
	if status := thief.status("POST", thief.root+"q/"+denied.ID,
		form(denied.ID, "deny", "")); status != http.StatusOK {
		t.Errorf("a denial: %d", status)
	}
	if e, err := w.l.Envelope(t.Context(), e.ID); err != nil || e.Decision != nil {
		t.Errorf("%+v, %v", e.Decision, err)
	}
	if e, err := w.l.Envelope(t.Context(), denied.ID); err != nil ||
		e.State != approval.Rejected {
		t.Errorf("%v, %v", e.State, err)
	}
	// each wrong code is in the record, with the device
	if n := w.count("refused"); n != 4 { // three codes, and the assertion
		t.Errorf("%d refusals: %+v", n, w.visitors())
	}
}

// A link lets one browser in, which a person has opened.
func TestLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	link := w.link("")
	g := &guest{world: w, agent: firefox}
	for name, header := range map[string][2]string{
		"prefetched":          {"Sec-Purpose", "prefetch"},
		"prerendered":         {"Sec-Purpose", "prefetch;prerender"},
		"prefetched, old":     {"Purpose", "prefetch"},
		"previewed, old":      {"X-Purpose", "preview"},
		"by Firefox, old":     {"X-Moz", "prefetch"},
		"by a script":         {"Sec-Fetch-Mode", "cors"},
		"as a picture":        {"Sec-Fetch-Mode", "no-cors"},
		"from another site":   {"Sec-Fetch-Site", "cross-site"},
		"from another port":   {"Sec-Fetch-Site", "same-site"},
		"with another origin": {"Origin", "http://localhost:1"},
	} {
		if resp, _ := g.send("GET", link, "", func(r *http.Request) {
			r.Header.Set(header[0], header[1])
		}); resp.StatusCode != http.StatusForbidden || len(resp.Cookies()) > 0 {
			t.Errorf("%s: %d", name, resp.StatusCode)
		}
	}
	if status := g.status("POST", link, ""); status != http.StatusForbidden {
		t.Errorf("posted: %d", status)
	}
	if status := g.status("GET", link+"runs", ""); status != http.StatusForbidden {
		t.Errorf("a page below the link: %d", status)
	}
	w.enter() // still good
	if status := g.status("GET", link, ""); status != http.StatusForbidden {
		t.Errorf("used a second time: %d", status)
	}
	if !strings.Contains(w.terminal(), "Firefox on Linux is let in, by link") {
		t.Error(w.terminal())
	}
}

// Nobody but the server chooses a session: what a browser brings along is not taken over.
func TestSessionFixation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	chosen := strings.Repeat("ab", 32)
	g := &guest{world: w, agent: firefox}
	edit := func(r *http.Request) { r.Header.Set("Cookie", "session="+chosen) }
	if resp, _ := g.send("GET", "/"+chosen+"/", "", edit); resp.StatusCode !=
		http.StatusForbidden {
		t.Errorf("a session that was never begun: %d", resp.StatusCode)
	}
	link := w.link("")
	resp, _ := g.send("GET", link, "", edit)
	if !g.enters(resp) || g.cookie.Value == chosen || strings.Contains(g.root, chosen) {
		t.Errorf("%v", resp.Header)
	}
	w.link(link)
	other := w.enter()
	if other.root == g.root || other.cookie.Value == g.cookie.Value {
		t.Error("two browsers have one session")
	}
}

// A session ends 12 hours after its last request, and 7 days after it began. A clock that is set
// back gives it no time.
func TestSessionExpires(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	idle, used := w.enter(), w.enter()
	for range 14 {
		w.pass(12*time.Hour - time.Minute)
		if status := used.status("GET", used.root, ""); status != http.StatusOK {
			t.Fatal("used all the time: ", status)
		}
	}
	if status := idle.status("GET", idle.root, ""); status != http.StatusForbidden {
		t.Errorf("not used for a week: %d", status)
	}
	w.pass(-time.Hour)
	if status := used.status("GET", used.root, ""); status != http.StatusOK {
		t.Errorf("the clock was set back: %d", status)
	}
	w.pass(13 * time.Minute) // 14 minutes are left
	if status := used.status("GET", used.root, ""); status != http.StatusOK {
		t.Errorf("before the end of its 7 days: %d", status)
	}
	w.pass(time.Minute)
	if status := used.status("GET", used.root, ""); status != http.StatusForbidden {
		t.Errorf("after 7 days: %d", status)
	}
	late := w.enter()
	w.pass(12 * time.Hour)
	if status := late.status("GET", late.root, ""); status != http.StatusForbidden {
		t.Errorf("after 12 hours: %d", status)
	}
	w.stop()
	if w.count("began") != 3 || w.count("ended") != 3 {
		t.Errorf("%+v", w.visitors())
	}
}

// The 33rd session ends the one that was used least lately.
func TestManySessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var all []*guest
	for range 32 {
		all = append(all, w.enter())
		w.pass(time.Second)
	}
	all[0].status("GET", all[0].root, "")
	w.pass(time.Second)
	all = append(all, w.enter())
	for i, g := range all {
		want := http.StatusOK
		if i == 1 {
			want = http.StatusForbidden
		}
		if status := g.status("GET", g.root, ""); status != want {
			t.Errorf("session %d: %d, not %d", i, status, want)
		}
	}
}

// With the console its sessions end; another one knows none of them.
func TestConsoleRestarted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g, link := w.enter(), w.link("")
	w.stop()
	if w.count("ended") != 1 {
		t.Errorf("%+v", w.visitors())
	}
	w.start()
	for _, path := range []string{g.root, link} {
		if status := g.status("GET", path, ""); status != http.StatusForbidden {
			t.Errorf("of the console before: %d", status)
		}
	}
	if g := w.enter(); g.status("GET", g.root, "") != http.StatusOK {
		t.Error("nobody gets in")
	}
}
