package integration

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// next is the link that the terminal shows once the first one was used.
func (g *page) next() string {
	g.t.Helper()
	link := regexp.MustCompile(g.base + "/[0-9a-f]{64}/")
	for range 500 {
		all := link.FindAllString(strings.ReplaceAll(g.terminal.text(), "\n", ""), -1)
		if len(all) > 1 {
			return all[len(all)-1]
		}
		time.Sleep(10 * time.Millisecond)
	}
	g.t.Fatalf("no other link: %q", g.terminal.text())
	return ""
}

// The console in Firefox: a question appears while the list is open, and is approved with the code;
// another is denied with a message; the run appears and is replayed.
func TestConsoleInFirefox(t *testing.T) {
	t.Parallel()
	f := newFirefox(t)
	g := openPage(t)
	f.open(g.next())
	f.shows("no open questions")
	here, err := f.eval("location.pathname")
	if err != nil {
		t.Fatal(err)
	}
	g.path = here
	id, code := g.ask("rm -rf build")
	f.shows(id[:8])
	f.click("main li a")
	f.shows("Approve once")
	g.read(id, time.Now())
	f.types("input[name=code]", strings.ToLower(code)+enterKey)
	f.shows("approved: " + id)

	other, _ := g.ask("rm -rf other")
	f.open(g.base + g.path + "q/" + other)
	f.types("input[name=message]", "keep it")
	f.click("button.deny")
	f.shows("denied: " + other)
	if out := g.p.run("tada-run 'rm -rf other'"); !strings.Contains(out, "keep it") {
		t.Error(out)
	}
	if out := g.p.run("tada-run 'rm -rf build && echo gone'; echo status $?"); !strings.Contains(
		out, "status") {
		t.Error(out)
	}
	f.open(g.base + g.path + "runs")
	f.shows("rm -rf build")
}

// A passkey in Firefox: the device is paired, is signed in, and approves.
func TestPasskeyInFirefox(t *testing.T) {
	t.Parallel()
	f := newFirefox(t)
	g := consoleOn(t, newPlace(t).asking(), "--listen localhost:0")
	f.authenticator()
	f.open(pairingLink(t, g.p, g.base, "ada"))
	f.click("main button")
	f.shows("paired: ada")
	f.click("main a")
	f.shows("no open questions")
	id := askOnly(t, g.p, "rm -rf build")
	f.shows(id[:8])
	f.click("main li a")
	f.shows("Approve with passkey")
	g.read(id, time.Now())
	f.click("button.passkey")
	f.shows("approved: " + id)
	if out := g.p.run("tada-run 'rm -rf build; echo gone'; echo status $?"); !strings.Contains(
		out, "status") {
		t.Error(out)
	}
}

// A terminal in Firefox: a person who has a passkey there takes it over, types and gives it back.
func TestTakeoverInFirefox(t *testing.T) {
	t.Parallel()
	f := newFirefox(t)
	d, a, id := inside(t, 100, 30)
	a.line("echo from the fi''rst")
	a.shows("from the first")
	g := consoleOn(t, d.place, "--listen localhost:0")
	f.authenticator()
	f.open(pairingLink(t, g.p, g.base, "ada"))
	f.click("main button")
	f.shows("paired: ada")
	f.click("main a")
	f.shows("no open questions")
	here, err := f.eval("location.pathname")
	if err != nil {
		t.Fatal(err)
	}
	f.open(g.base + here + "run/" + id + "/terminal")
	f.until(`document.querySelector(".xterm-rows")?.textContent.includes("from the first")`)
	f.click(`[data-do="take over"]`)
	f.shows("you are in control")
	f.types(".xterm-helper-textarea", "echo from fire''fox > typed"+enterKey)
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		if text, _ := os.ReadFile(filepath.Join(d.dir, "typed")); len(text) > 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if text, err := os.ReadFile(filepath.Join(d.dir, "typed")); string(text) != "from firefox\n" {
		t.Errorf("%q, %v", text, err)
	}
	f.click(`[data-do="give back"]`)
	f.shows("its owner is in control")
}
