package integration

import (
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
