package integration

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// enter opens the first page in the session of g.
func (b *browser) enter(g *page) {
	b.t.Helper()
	b.call("Network.setCookie", object{"name": g.cookie.Name, "value": g.cookie.Value,
		"url": g.base + g.path, "path": g.path, "httpOnly": true, "sameSite": "Strict",
		"secure": g.cookie.Secure}, nil)
	b.open(g.base + g.path)
}

// root is the path of the session that the page is in.
func (b *browser) root() string {
	b.t.Helper()
	b.until(`/^\/[0-9a-f]{64}\//.test(location.pathname)`)
	return b.run(`location.pathname.slice(0, 66)`)
}

// A person signs in with a passkey, sees the devices, signs out and in again; at the terminal the
// passkey is revoked, and the page that is open shows nothing more.
func TestSignInInABrowser(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	p := newPlace(t).asking()
	base, _ := consoleAt(t, p, "--listen localhost:0")
	b.authenticator()
	b.open(base + "/")
	b.shows("this browser is not signed in")
	b.everywhere("entrance")
	b.open(pairingLink(t, p, base, "ada"))
	b.click("main button")
	b.shows("paired: ada")
	b.click("main a") // who has paired is signed in
	b.shows("no open questions")
	first := b.root()

	b.click(`nav a[href$="/devices"]`)
	b.shows("this one")
	b.shows("up to risk 3")
	b.everywhere("devices")
	b.click("main form button")
	b.shows("this browser is not signed in")
	if cookies := b.run(`document.cookie`); cookies != "" {
		t.Errorf("a script can read %s", cookies)
	}
	b.open(base + first)
	b.shows("this session has ended")
	b.open(base + "/")
	b.click("main button")
	b.shows("no open questions")
	second := b.root()
	if second == first {
		t.Error("the same session as before")
	}
	b.open(base + "/") // it remembers the session
	b.shows("no open questions")
	if b.root() != second {
		t.Error("another session")
	}

	id := askOnly(t, p, "rm -rf build")
	b.shows(id[:8])
	s, _ := p.on("tadactl key revoke ada; echo left $?")
	if err := s.shows("left 0"); err != nil {
		t.Fatal(err, s.text())
	}
	b.shows("this session has ended")
	if text := b.text(); strings.Contains(text, id) {
		t.Errorf("still shown: %s", text)
	}
	b.click("main button")
	b.until(`document.querySelector("[role=status]").textContent != ""`)
	if at := b.run("location.pathname"); at != second {
		t.Errorf("let in to %s", at)
	}
	log := p.run("tadactl log --json --kind console.session")
	for _, want := range []string{`"did":"began"`, `"how":"passkey"`, `"how":"pairing"`,
		"its passkey was revoked", "Chrome on Linux, passkey "} {
		if !strings.Contains(log, want) {
			t.Errorf("no %s in %s", want, log)
		}
	}
	if list := b.complained("403", "409", "pubKeyCredParams"); len(list) > 0 {
		t.Errorf("the browser complains: %q", list)
	}
}

// A browser that takes no cookies is told so; storage is blocked with them.
func TestConsoleWithoutCookies(t *testing.T) {
	t.Parallel()
	profile := t.TempDir()
	if err := os.Mkdir(filepath.Join(profile, "Default"), 0o700); err != nil {
		t.Fatal(err)
	}
	settings := `{"profile":{"default_content_setting_values":{"cookies":2}}}`
	if err := os.WriteFile(filepath.Join(profile, "Default", "Preferences"), []byte(settings),
		0o600); err != nil {
		t.Fatal(err)
	}
	b := newBrowserIn(t, profile)
	base, link := consoleAt(t, newPlace(t).asking(), "--listen localhost:0")
	b.open(base + link)
	b.shows("this browser has sent no cookie; allow cookies for this page")
	b.open(base + "/")
	b.shows("this browser is not signed in")
	b.until(`!document.querySelector("main button").hidden`)
	if list := b.complained("403"); len(list) > 0 {
		t.Errorf("the browser complains: %q", list)
	}
}

// Without JavaScript a person opens the link, reads, and signs out.
func TestConsoleWithoutJavaScript(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	p := newPlace(t).asking()
	base, link := consoleAt(t, p, "--listen localhost:0")
	b.call("Emulation.setScriptExecutionDisabled", object{"value": true}, nil)
	b.open(base + link)
	b.shows("no open questions")
	id := askOnly(t, p, "rm -rf build")
	b.shows(id[:8]) // the page asks for itself again
	b.open(base + b.root() + "devices")
	b.shows("this one")
	b.click("main form button")
	b.shows("this browser is not signed in")
	b.shows("That needs JavaScript.")
	if b.run(`document.querySelector("main button").hidden`) != "true" {
		t.Error("there is a button that does nothing")
	}
}

// A session that ends loses the terminal that is open in it: neither what it shows goes on, nor
// keys reach it.
func TestEndedSessionLosesItsTerminal(t *testing.T) {
	t.Parallel()
	g, d, a, id := sessionOn(t)
	s := g.socket(id)
	s.takes(g.confirmed("take over", id))
	s.until("control", func() bool { return s.now.You })
	if log := d.run("tadactl --json log --kind ctl.attach"); !strings.Contains(log,
		`"device":"console, a browser on another system"`) {
		t.Error(log)
	}
	_, _, body := g.send("GET", g.path+"devices", nil, nil)
	form := url.Values{}
	for _, name := range []string{"session", "proof"} {
		m := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(body)
		if m == nil {
			t.Fatal(body)
		}
		form.Set(name, m[1])
	}
	if status, _, body := g.send("POST", g.path+"devices/end", form,
		nil); status != http.StatusSeeOther {
		t.Fatal(status, body)
	}
	for s.next() == nil {
	}
	a.shows("had control") // and lost it
}
