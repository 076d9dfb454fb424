package integration

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
)

// A page is the inbox in a browser, as the person has it: the link and the codes come from the
// terminal.
type page struct {
	t        testing.TB
	p        *place
	terminal *screen
	tty      *os.File
	base     string // http://127.0.0.1:PORT
	path     string // /SESSION/, or /TOKEN/ of a link that was not opened yet
	cookie   *http.Cookie
}

func openPage(t *testing.T) *page {
	t.Helper()
	return newPlace(t).asking().page("tadactl inbox --web; echo left $?")
}

// page opens the page that a line serves.
func (p *place) page(line string) *page {
	t := p.t
	t.Helper()
	s, tty := p.on(line)
	if err := s.shows("To approve there, type the code"); err != nil {
		t.Fatal(err, s.text())
	}
	m := regexp.MustCompile(`(http://127\.0\.0\.1:\d+)(/[0-9a-f]{64}/)`).FindStringSubmatch(s.text())
	if m == nil {
		t.Fatalf("no address: %q", s.text())
	}
	g := &page{t: t, p: p, terminal: s, tty: tty, base: m[1], path: m[2]}
	g.enter(nil)
	return g
}

// once makes single requests: no redirect is followed, and any certificate will do.
var once = &http.Client{
	Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
	CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}

// enter opens the link, which begins a session.
func (g *page) enter(edit func(*http.Request)) {
	g.t.Helper()
	status, header, body := g.send("GET", g.path, nil, edit)
	cookies := (&http.Response{Header: header}).Cookies()
	if status != http.StatusSeeOther || len(cookies) != 1 ||
		cookies[0].Path != header.Get("Location") {
		g.t.Fatalf("%d %v %s", status, header, body)
	}
	g.path, g.cookie = cookies[0].Path, cookies[0]
}

// ask makes an agent ask, and returns the question's id and its code.
func (g *page) ask(command string) (id, code string) {
	g.t.Helper()
	known := g.terminal.text()
	if out := g.p.run("tada-run '" + command + "'; echo status $?"); !strings.Contains(out,
		"status 75") {
		g.t.Fatal(out)
	}
	return g.announced(known)
}

// announced waits for a question that the terminal shows after what is known of it.
func (g *page) announced(known string) (id, code string) {
	g.t.Helper()
	line := regexp.MustCompile(
		`((?:tada-[0-9a-f]+/)?[0-9a-f-]{36})  R\d  code ([0-9A-Z]{6})  plan`)
	for range 500 {
		if m := line.FindStringSubmatch(strings.TrimPrefix(g.terminal.text(), known)); m != nil {
			return m[1], m[2]
		}
		time.Sleep(10 * time.Millisecond)
	}
	g.t.Fatalf("no code: %q", g.terminal.text())
	return "", ""
}

// read waits until a question that is on the page since then was there for its reading time: a
// sooner approval does not count.
func (g *page) read(id string, since time.Time) {
	g.t.Helper()
	var q struct {
		Risk    int
		Payload json.RawMessage
	}
	if err := json.Unmarshal([]byte(g.p.run("tadactl show --json "+id)), &q); err != nil ||
		len(q.Payload) == 0 {
		g.t.Fatalf("%v: %+v", err, q)
	}
	time.Sleep(time.Until(since.Add(approval.Envelope{Risk: q.Risk,
		Payload: q.Payload}.ReadingTime())))
}

// send makes one request like a browser on the page, changed by edit.
func (g *page) send(method, path string, form url.Values,
	edit func(*http.Request)) (int, http.Header, string) {
	g.t.Helper()
	r, err := http.NewRequest(method, g.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		g.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", g.base)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	if g.cookie != nil {
		r.AddCookie(g.cookie)
	}
	if edit != nil {
		edit(r)
	}
	resp, err := once.Do(r)
	if err != nil {
		g.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header, string(body)
}

// form reads the question's page and fills in its form.
func (g *page) form(id, code, answer string) url.Values {
	g.t.Helper()
	return g.filled("q/"+id, code, answer)
}

// filled is form for the page of a question at a path.
func (g *page) filled(path, code, answer string) url.Values {
	g.t.Helper()
	status, _, body := g.send("GET", g.path+path, nil, nil)
	if status != http.StatusOK {
		g.t.Fatal(status, body)
	}
	form := url.Values{"code": {code}, "answer": {answer}}
	for _, m := range regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)">`).FindAllStringSubmatch(body, -1) {
		form.Set(m[1], m[2])
	}
	return form
}

// The list in a browser shows every line of a command, and what a reason points at of a long one.
func TestTheListOnAPageShowsTheDangerousPart(t *testing.T) {
	t.Parallel()
	g := openPage(t)
	for _, command := range []string{"echo one \\\n | cat; rm -rf build",
		"echo " + strings.Repeat("a", 2000) + "; rm -rf build"} {
		g.ask(command)
	}
	_, _, list := g.send("GET", g.path, nil, nil)
	if strings.Count(list, "rm -rf build") != 2 || strings.Count(list, "chars cut]") != 1 {
		t.Error(list)
	}
}

// runsOnlyKeys reports whether a page has one script, which is the one that its policy allows and
// has no means to send anything, and no other place where one could be.
func runsOnlyKeys(body, policy string) bool {
	_, rest, _ := strings.Cut(body, "<script>")
	script, _, _ := strings.Cut(rest, "</script>")
	sum := sha256.Sum256([]byte(script))
	allowed := "; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"
	sends := regexp.MustCompile(`fetch|XMLHttp|submit|click\(|sendBeacon|location`)
	return strings.Count(body, "<script") == 1 && strings.Contains(policy, allowed) &&
		!sends.MatchString(script) &&
		!regexp.MustCompile(`<[^>]* on[a-z]+=`).MatchString(body)
}

// E-chan-10: the inbox as a page: loopback, random port, a token, and an answer only with the code
// shown in the terminal.
func TestInboxOnAPage(t *testing.T) {
	t.Parallel()
	g := openPage(t)
	id, code := g.ask("rm -rf build")

	// The page shows what the prompt shows, and nothing on it runs but the script of its keys,
	// which its policy names and which sends nothing.
	status, header, body := g.send("GET", g.path+"q/"+id, nil, nil)
	opened := time.Now()
	if status != 200 || !strings.Contains(body,
		"rm -rf <span class=\"danger\">⟪build⟫</span>") || strings.Contains(body, code) ||
		!runsOnlyKeys(body, header.Get("Content-Security-Policy")) {
		t.Errorf("%d %s", status, body)
	}
	if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy,
		"default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") ||
		header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%v", header)
	}
	if status, _, body := g.send("GET", g.path, nil, nil); status != 200 ||
		!strings.Contains(body, id) {
		t.Errorf("%d %s", status, body)
	}

	port := strings.TrimPrefix(g.base, "http://127.0.0.1")
	for name, test := range map[string]struct {
		method, path string
		edit         func(*http.Request)
	}{
		"DNS rebinding": {"GET", g.path,
			func(r *http.Request) { r.Host = "evil.example" + port }},
		"localhost by name": {"GET", g.path,
			func(r *http.Request) { r.Host = "localhost" + port }},
		"another port": {"GET", g.path,
			func(r *http.Request) { r.Host = "127.0.0.1:1" }},
		"a page of another site": {"GET", g.path,
			func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }},
		"a link of another site": {"GET", g.path,
			func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }},
		"a form of another site": {"POST", g.path + "q/" + id,
			func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }},
		"a form of another port": {"POST", g.path + "q/" + id,
			func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") }},
		"a form from nowhere": {"POST", g.path + "q/" + id,
			func(r *http.Request) { r.Header.Del("Origin") }},
		"a form from a file": {"POST", g.path + "q/" + id,
			func(r *http.Request) { r.Header.Set("Origin", "null") }},
		"two origins": {"POST", g.path + "q/" + id,
			func(r *http.Request) { r.Header.Add("Origin", "https://evil.example") }},
		"a form that the browser tells of": {"POST", g.path + "q/" + id,
			func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }},
		"no session":             {"GET", "/runs", nil},
		"no session, a question": {"GET", "/q/" + id, nil},
		"no session, a form":     {"POST", "/q/" + id, nil},
		"a wrong session":        {"GET", "/" + strings.Repeat("0", 64) + "/", nil},
		"the beginning of it":    {"GET", g.path[:20] + "/", nil},
		"a stolen path without the cookie": {"GET", g.path,
			func(r *http.Request) { r.Header.Del("Cookie") }},
		"the cookie with another path": {"GET", "/" + strings.Repeat("1", 64) + "/", nil},
		"another cookie": {"GET", g.path, func(r *http.Request) {
			r.Header.Set("Cookie", g.cookie.Name+"="+strings.Repeat("0", 64))
		}},
		"the path as the cookie": {"GET", g.path, func(r *http.Request) {
			r.Header.Set("Cookie", g.cookie.Name+"="+strings.Trim(g.path, "/"))
		}},
		"a preflight": {"OPTIONS", g.path + "q/" + id,
			func(r *http.Request) { r.Header.Set("Access-Control-Request-Method", "POST") }},
		"another method": {"DELETE", g.path + "q/" + id, nil},
		"a form without what the page gave": {"POST", g.path + "q/" + id, func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader("code=" + code + "&answer=approve"))
			r.ContentLength = -1
		}},
	} {
		form := url.Values{}
		if test.method == "POST" {
			form = g.form(id, code, "approve")
		}
		if status, header, body := g.send(test.method, test.path, form,
			test.edit); status != http.StatusForbidden ||
			header.Get("Access-Control-Allow-Origin") != "" || strings.Contains(body, "rm -rf") {
			t.Errorf("%s: %d %v %s", name, status, header, body)
		}
	}
	if out := g.p.run("tadactl pending"); !strings.Contains(out, id+"  R") {
		t.Fatalf("something of that was an answer: %s", out)
	}

	// With everything right it is an answer, once; the agent's next try runs.
	g.read(id, opened)
	form := g.form(id, strings.ToLower(code), "approve")
	if status, _, body := g.send("POST", g.path+"q/"+id, form, nil); status != 200 ||
		!strings.Contains(body, "approved") {
		t.Errorf("%d %s", status, body)
	}
	if status, _, _ := g.send("POST", g.path+"q/"+id, form, nil); status == 200 {
		t.Error("the same answer counted twice")
	}
	if out := g.p.run("tada-run 'rm -rf build'; echo status $?"); !strings.Contains(out,
		"status 0") {
		t.Error(out)
	}
	if out := g.p.run("tadactl log --json"); !strings.Contains(out, `"web"`) ||
		!strings.Contains(out, `"device":"a browser on another system"`) {
		t.Errorf("the record does not tell the channel and the device: %s", out)
	}
	if out := g.p.run("tadactl log --kind console"); !strings.Contains(out,
		"did=began  how=link  device=") {
		t.Error(out)
	}
	if out := g.p.run("tadactl show " + id); !strings.Contains(out,
		`from "a browser on another system"`) {
		t.Error(out)
	}

	// A denial carries a message, and needs no code.
	id, _ = g.ask("rm -rf other")
	form = g.form(id, "", "deny")
	form.Set("message", "use make clean")
	if status, _, body := g.send("POST", g.path+"q/"+id, form, nil); status != 200 ||
		!strings.Contains(body, "denied") {
		t.Errorf("%d %s", status, body)
	}
	if out := g.p.run("tada-run 'rm -rf other'"); !strings.Contains(out, "use make clean") {
		t.Error(out)
	}

	// Codes cannot be guessed, and the code of another question is refused.
	id, code = g.ask(`rm -rf third "<img src=x>&lt;"`)
	for _, where := range []string{g.path, g.path + "q/" + id} {
		// E-dsp-9: markup is text, in the list and on the page
		if _, _, body := g.send("GET", where, nil, nil); strings.Contains(body, "<img") ||
			!strings.Contains(body, "&lt;img src=x&gt;&amp;lt;") {
			t.Errorf("%s: %s", where, body)
		}
	}
	other, code2 := g.ask("rm -rf fourth")
	for i, wrong := range []string{"", "000000", code2, code} {
		// the last one is right, but too late
		if status, _, body := g.send("POST", g.path+"q/"+id, g.form(id, wrong, "approve"),
			nil); status != http.StatusForbidden {
			t.Errorf("%d: %d %s", i, status, body)
		}
	}
	// Nothing gives the wrong codes back, and an answer is one of the two.
	form = g.form(id, "", "deny")
	form.Set("message", strings.Repeat("x", approval.MaxMessage+1))
	if status, _, _ := g.send("POST", g.path+"q/"+id, form, nil); status != http.StatusBadRequest {
		t.Errorf("a long message: %d", status)
	}
	if status, _, _ := g.send("POST", g.path+"q/"+id, g.form(id, code, "approve"),
		nil); status != http.StatusForbidden {
		t.Errorf("after a denial that was not taken: %d", status)
	}
	if status, _, _ := g.send("POST", g.path+"q/"+id, g.form(id, code, ""),
		nil); status != http.StatusBadRequest {
		t.Errorf("no answer: %d", status)
	}
	// An answer is for the plan that was on the page.
	form = g.form(other, code2, "approve")
	form.Set("plan", strings.Repeat("0", 64))
	if status, _, _ := g.send("POST", g.path+"q/"+other, form,
		nil); status != http.StatusForbidden {
		t.Errorf("another plan: %d", status)
	}
	if out := g.p.run("tadactl pending"); !strings.Contains(out, id) ||
		!strings.Contains(out, other) || strings.Contains(out, "answered") {
		t.Error(out)
	}

	// A run that may reach this machine's servers does not reach this one; without the page, its
	// port is like any other.
	connect := fmt.Sprintf("'exec 3<>/dev/tcp/127.0.0.1/%s && echo reached'; true",
		strings.TrimPrefix(port, ":"))
	if out := g.p.run("bash -c " + connect); !strings.Contains(out, "reached\n") {
		t.Fatal("nobody reaches it:", out)
	}
	if out := g.p.run("tada-run " + connect); strings.Contains(out, "reached\n") ||
		!strings.Contains(out, "questions are answered there") {
		t.Errorf("from a fence: %s", out)
	}
	g.tty.WriteString("\x03")
	if err := g.terminal.shows("left 0"); err != nil {
		t.Error(err, g.terminal.text())
	}
	if _, err := http.Get(g.base + g.path); err == nil {
		t.Error("the page outlives its terminal")
	}
}
