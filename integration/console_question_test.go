package integration

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

// pushes makes a repository in which a push asks, and can be allowed until further notice.
func (p *place) pushes() *place {
	p.t.Helper()
	out := p.run(`git init -q && git remote add origin https://github.test/acme/app.git && ` +
		`git add -A && git -c user.name=a -c user.email=b commit -q --allow-empty -m x && ` +
		`for b in feature/one feature/two; do git branch -f $b; done; echo made $?`)
	if !strings.HasSuffix(out, "made 0\n") {
		p.t.Fatal(out)
	}
	return p
}

// What an approval on the page can allow from then on is what the terminal offers, with what else
// it would have allowed; it takes the code, and the record has it. What is not offered is not
// taken.
func TestLastingApprovalOnAPage(t *testing.T) {
	t.Parallel()
	g := openPage(t)
	g.p.pushes()
	other, _ := g.ask("git push origin feature/two")
	id, code := g.ask("git push origin feature/one")
	_, _, body := g.send("GET", g.path+"q/"+id, nil, nil)
	opened := time.Now()
	body = regexp.MustCompile(`<[^>]*>`).ReplaceAllString(body, "")
	for _, want := range []string{"until it is revoked: git push origin feature/*",
		"would also have allowed: git push origin feature/two (1 time)",
		"at most: any name behind feature/"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in %s", want, body)
		}
	}
	if strings.Contains(body, "within an hour") {
		t.Error("a risk that is high is offered for a while")
	}
	g.read(id, opened)
	for _, value := range []string{"3", "99", "-1", "02", "time", "x", " 2"} {
		form := g.form(id, code, "approve")
		form.Set("lasts", value)
		if status, _, body := g.send("POST", g.path+"q/"+id, form, nil); status != 409 ||
			!strings.Contains(body, "does not offer") {
			t.Errorf("%q: %d %s", value, status, body)
		}
	}
	form := g.form(id, "WRONG0", "approve")
	form.Set("lasts", "2")
	if status, _, _ := g.send("POST", g.path+"q/"+id, form, nil); status != http.StatusForbidden {
		t.Errorf("with a wrong code: %d", status)
	}
	form = g.form(id, code, "approve")
	form.Set("lasts", "2")
	if status, _, body := g.send("POST", g.path+"q/"+id, form, nil); status != 200 ||
		!strings.Contains(body, "approved and remembered") {
		t.Fatal(status, body)
	}
	if out := g.p.run("tadactl grants"); !strings.Contains(out, `"git push origin feature/*"`) {
		t.Error(out)
	}
	if out := g.p.run("tada-run 'git push origin feature/two'"); !strings.Contains(out,
		"allowed by grant") {
		t.Error(out)
	}
	_ = other

	id, _ = g.ask("git push --force origin feature/one")
	_, _, body = g.send("GET", g.path+"q/"+id, nil, nil)
	if strings.Contains(body, `name="lasts"`) {
		t.Errorf("a push with force may last: %s", body)
	}
	revoke(t, g)
}

// The same plan is allowed some times more, where the terminal allows that: with the code, and with
// the number and the time in what a passkey signs.
func TestApprovalForAWhileOnAPage(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	p := newPlace(t).asking()
	base, path := consoleAt(t, p, "--listen localhost:0")
	g := &page{t: t, p: p, base: base, path: path}
	g.enter(nil)
	b.authenticator()
	b.pair(p, base, "ada")
	b.enter(g)
	id := askOnly(t, p, "rm -rf build")
	b.open(base + g.path + "q/" + id)
	b.shows("Exactly this, 5 times within an hour")
	b.everywhere("question-while")
	g.read(id, time.Now())
	b.run(`document.querySelector("input[name=lasts][value=time]").click()`)
	b.click("button.passkey")
	b.shows("approved and remembered: " + id)
	if out := p.run("tadactl grants"); !strings.Contains(out, "used 0 of 5, until ") {
		t.Error(out)
	}
	if out := p.run("tada-run 'rm -rf build'; tadactl grants"); !strings.Contains(out,
		"allowed by grant") || !strings.Contains(out, "used 1 of 5, until ") {
		t.Error(out)
	}
	if out := p.run("tadactl audit verify; echo status $?"); !strings.Contains(out, "status 0") {
		t.Error(out)
	}
}

// revoke ends the only grant on the page of the policy: nothing else is needed than the proof of
// that page.
func revoke(t *testing.T, g *page) {
	t.Helper()
	_, _, body := g.send("GET", g.path+"policy", nil, nil)
	_, form, ok := strings.Cut(body, `<form method="post" action="`+g.path+`grants/`)
	if !ok {
		t.Fatal(body)
	}
	id, rest, _ := strings.Cut(form, "/revoke")
	_, proof, _ := strings.Cut(rest, `name="proof" value="`)
	proof, _, _ = strings.Cut(proof, `"`)
	path := g.path + "grants/" + id + "/revoke"
	for _, bad := range []string{"", strings.Repeat("0", 64)} {
		if status, _, _ := g.send("POST", path, url.Values{"proof": {bad}}, nil); status != 403 {
			t.Errorf("proof %q: %d", bad, status)
		}
	}
	if status, _, _ := g.send("POST", g.path+"grants/"+strings.Repeat("0", 36)+"/revoke",
		url.Values{"proof": {proof}}, nil); status != 403 {
		t.Errorf("the proof of another grant: %d", status)
	}
	if status, _, body := g.send("POST", path, url.Values{"proof": {proof}}, nil); status != 200 ||
		!strings.Contains(body, "revoked") {
		t.Errorf("%d %s", status, body)
	}
	if out := g.p.run("tadactl grants"); strings.Contains(out, id) {
		t.Error(out)
	}
	if out := g.p.run("tadactl log --kind approval --json"); !strings.Contains(out, "page") {
		t.Error(out)
	}
}

// The choice is inside of what a passkey signs: one that is swapped on its way is refused, and the
// record proves the one that was chosen.
func TestLastingApprovalByPasskey(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	p := newPlace(t).asking().pushes()
	base, path := consoleAt(t, p, "--listen localhost:0")
	g := &page{t: t, p: p, base: base, path: path}
	g.enter(nil)
	b.authenticator()
	b.pair(p, base, "ada")
	b.enter(g)
	id := askOnly(t, p, "git push origin feature/one")
	b.open(base + g.path + "q/" + id)
	b.shows("Always, until it is revoked: git push origin feature/*")
	b.everywhere("question-lasting")
	g.read(id, time.Now())
	swap := func(field, value string) {
		b.run(fmt.Sprintf(`{
			const send = globalThis.send ??= window.fetch;
			window.fetch = (to, with_) => {
				if (to.endsWith("assert/finish")) {
					with_.body = JSON.stringify({...JSON.parse(with_.body), %s: %s});
				}
				return send(to, with_);
			};
		}`, field, value))
	}
	b.run(`document.querySelector("input[name=lasts][value='1']").click()`)
	for _, value := range []string{`"2"`, `""`} {
		swap("lasts", value)
		b.click("button.passkey")
		b.until(`document.querySelector("[role=status]").textContent != ""`)
		if text := b.run(`document.querySelector("[role=status]").textContent`); strings.Contains(
			text, "approved") {
			t.Fatalf("swapped for %s: %s", value, text)
		}
		b.run(`document.querySelector("[role=status]").textContent = ""`)
	}
	swap("lasts", `"1"`)
	b.click("button.passkey")
	b.shows("approved and remembered: " + id)
	if out := p.run("tadactl grants"); !strings.Contains(out, `"git push origin feature/one"`) {
		t.Error(out)
	}
	if out := p.run("tadactl audit verify; echo status $?"); !strings.Contains(out, "status 0") {
		t.Error(out)
	}
}

// pair makes a passkey of a person by the link of the terminal.
func (b *browser) pair(p *place, base, name string) {
	b.t.Helper()
	b.open(pairingLink(b.t, p, base, name))
	b.click("main button")
	b.shows("paired: " + name)
}
