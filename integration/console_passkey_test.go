package integration

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// authenticator gives the browser a device for passkeys, whose user always agrees.
func (b *browser) authenticator() {
	b.t.Helper()
	b.call("WebAuthn.enable", object{}, nil)
	b.call("WebAuthn.addVirtualAuthenticator", object{"options": object{"protocol": "ctap2",
		"transport": "internal", "hasResidentKey": true, "hasUserVerification": true,
		"isUserVerified": true, "automaticPresenceSimulation": true}}, nil)
}

// pairingLink is the link that pairs a device of a person.
func pairingLink(t *testing.T, p *place, base, name string) string {
	t.Helper()
	s, _ := p.on("tadactl key pair --name " + name + "; echo left $?")
	if err := s.shows("left 0"); err != nil {
		t.Fatal(err, s.text())
	}
	link := regexp.MustCompile(base + `/pair#[A-Za-z0-9_-]{43}`).FindString(
		strings.ReplaceAll(s.text(), "\n", ""))
	if link == "" {
		t.Fatalf("no link: %s", s.text())
	}
	return link
}

// A device is paired by the link of the terminal and approves a question with its passkey; the
// record proves it. Revoked, it is offered nothing more.
func TestPasskeyInABrowser(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	p := newPlace(t).asking()
	base, path := consoleAt(t, p, "--listen localhost:0")
	if !strings.HasPrefix(base, "http://localhost:") {
		t.Fatal(base)
	}
	g := &page{t: t, p: p, base: base, path: path}
	g.enter(nil)
	b.authenticator()
	link := pairingLink(t, p, base, "ada")
	b.open(link)
	b.everywhere("pair")
	b.click("main button")
	b.shows("paired: ada")
	b.open("about:blank")
	b.open(link)
	b.click("main button")
	b.shows("tadactl key pair") // a link is good once

	id := askOnly(t, p, "rm -rf build")
	b.enter(g)
	b.open(base + g.path + "q/" + id)
	b.shows("Approve with passkey")
	b.everywhere("question-passkey")
	g.read(id, time.Now())
	b.click("button.passkey")
	b.shows("approved: " + id)
	if out := p.run("tada-run 'rm -rf build'; echo status $?"); !strings.Contains(out,
		"status 0") {
		t.Error(out)
	}
	if out := p.run("tadactl audit verify; echo status $?"); !strings.Contains(out, "status 0") {
		t.Error(out)
	}

	s, _ := p.on("tadactl key revoke ada; echo left $?")
	if err := s.shows("left 0"); err != nil {
		t.Fatal(err, s.text())
	}
	id = askOnly(t, p, "rm -rf other")
	b.open(base + g.path + "q/" + id)
	b.shows("Approve once")
	if text := b.text(); strings.Contains(text, "passkey") {
		t.Errorf("after it was revoked: %s", text)
	}
	// the second use of the link, and what is said of keys that no passkey here has
	if list := b.complained("409", "pubKeyCredParams"); len(list) > 0 {
		t.Errorf("the browser complains: %q", list)
	}
}

// askOnly makes an agent ask, and returns the question's id.
func askOnly(t *testing.T, p *place, command string) string {
	t.Helper()
	if out := p.run("tada-run '" + command + "'; echo status $?"); !strings.Contains(out,
		"status 75") {
		t.Fatal(out)
	}
	id := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`).FindString(p.run("tadactl pending"))
	if id == "" {
		t.Fatal("no question is open")
	}
	return id
}
