package integration

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/launcher"
)

// askers ask many questions, as that of one real command. An agent by itself gets no further than
// ten, and all together no further than two hundred: this store has other limits.
type askers struct {
	t     *testing.T
	store *approval.Store
	plan  map[string]any
	n     int
}

func (p *place) askers(t *testing.T, id string) *askers {
	t.Helper()
	l, err := launcher.Place{State: p.state, Account: filepath.Join(filepath.Dir(p.state),
		"account")}.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Ready(); err != nil {
		t.Fatal(err)
	}
	e, err := l.Envelope(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := canonical.Parse(e.Payload)
	if err != nil {
		t.Fatal(err)
	}
	a := &askers{t: t, plan: tree.(map[string]any)}
	o := l.StoreOptions()
	o.MaxPending, o.MaxHour, o.MaxOpen = 1<<20, 1<<20, 1<<20
	if a.store, err = approval.Open(bolt.File(l.Home().Approvals(), o), o); err != nil {
		t.Fatal(err)
	}
	return a
}

// ask has so many more questions open, ten of each agent.
func (a *askers) ask(n int) {
	a.t.Helper()
	for range n {
		a.n++
		a.plan["agent_name"] = fmt.Sprintf("?agent-%d", a.n/10)
		call := a.plan["tool_calls"].([]any)[0].(map[string]any)["args"].(map[string]any)
		call["command"] = fmt.Sprintf("rm -rf build/%d && npm test -- --shard=%[1]d/500", a.n)
		a.again()
	}
}

// again asks with the plan as it is.
func (a *askers) again() {
	a.t.Helper()
	payload, err := canonical.Append(nil, a.plan)
	if err != nil {
		a.t.Fatal(err)
	}
	if _, _, err := a.store.Request(context.Background(), approval.Request{
		Session: fmt.Sprint("s", a.n/10), Payload: payload}); err != nil {
		a.t.Fatal(err)
	}
}

// Five hundred open questions of fifty agents: the list is there, one more question changes one row
// of it, the focus stays and who hears the page is told. An event of which the list knows nothing
// costs no list. How long it takes is only reported.
func TestFiveHundredQuestions(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	g := openPage(t)
	first, _ := g.ask("rm -rf build")
	a := g.p.askers(t, first)
	a.ask(49)
	b.enter(g)
	few := b.painted(g, 50)
	a.ask(450)
	many := b.painted(g, 500)
	t.Logf("first paint of 50 and of 500 questions: %v and %v ms; the answer %v and %v ms", few[0],
		many[0], few[1], many[1])
	// ten times as many cost no more than that; three are for a machine that does other things
	if many[0] > 3*10*max(few[0], 10) {
		t.Errorf("first paint %v ms, and %v for a tenth of it", many[0], few[0])
	}
	b.everywhere("questions-500")

	for range 3 {
		b.key("j", "j")
	}
	focus := `document.activeElement.getAttribute("href")`
	at := b.run(focus)
	b.run(`{
		window.added = 0; window.removed = 0;
		new MutationObserver((list) => list.forEach((m) => {
			added += m.addedNodes.length; removed += m.removedNodes.length;
		})).observe(document.querySelector("ul.list"), {childList: true});
	}`)
	a.ask(1)
	b.until(`document.title == "(501) tada-run"`)
	b.until(`document.querySelector(".told").textContent.startsWith("1 new")`)
	if text := b.run(`added + " " + removed`); text != "1 0" {
		t.Errorf("rows added and removed for one question: %s", text)
	}
	if now := b.run(focus); now != at || !strings.Contains(at, "q/") {
		t.Errorf("the focus was at %s, and is at %s", at, now)
	}

	status, header, _ := g.send("GET", g.path, nil, nil)
	tag := header.Get("ETag")
	if status != 200 || tag == "" {
		t.Fatal(status, header)
	}
	status, _, body := g.send("GET", g.path, nil,
		func(r *http.Request) { r.Header.Set("If-None-Match", tag) })
	if status != http.StatusNotModified || body != "" {
		t.Errorf("%d %s", status, body)
	}
	if list := b.complained(); len(list) > 0 {
		t.Errorf("the browser complains: %q", list)
	}
}

// painted opens the list once it has so many questions, and returns the times of the first paint
// and of the end of the answer, in milliseconds.
func (b *browser) painted(g *page, n int) (ms [2]float64) {
	b.t.Helper()
	for range 100 {
		b.open(g.base + g.path)
		if b.run(`document.querySelectorAll("ul.list > li").length`) == strconv.Itoa(n) {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.until(`performance.getEntriesByName("first-contentful-paint").length == 1`)
	if now := b.run(`document.title`); now != fmt.Sprintf("(%d) tada-run", n) {
		b.t.Fatal(now)
	}
	for i, script := range []string{
		`performance.getEntriesByName("first-contentful-paint")[0].startTime`,
		`performance.getEntriesByType("navigation")[0].responseEnd`} {
		var err error
		if ms[i], err = strconv.ParseFloat(b.run(script), 64); err != nil {
			b.t.Fatal(err)
		}
	}
	return ms
}

// The keys of the pages move the focus, and answer nothing.
func TestConsoleKeys(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	g := openPage(t)
	id, _ := g.ask("rm -rf build")
	other, _ := g.ask("rm -rf ./build")
	b.enter(g)
	b.shows(other[:8])
	b.key("?", "?")
	b.until(`document.querySelector(".keys").open`)
	b.key("?", "?")
	b.until(`!document.querySelector(".keys").open`)
	for _, key := range []string{"j", "k"} { // to the first one, where there is none before
		b.key(key, key)
		now := b.run(`[...document.querySelectorAll("li > a")].indexOf(document.activeElement)`)
		if now != "0" {
			t.Errorf("%s: %s", key, now)
		}
	}
	b.open(g.base + g.path + "q/" + id)
	b.shows("Approve once")
	for key, name := range map[string]string{"a": "code", "d": "message"} {
		b.run("document.activeElement.blur()")
		b.key(key, key)
		b.until(fmt.Sprintf("document.activeElement.name == %q && !document.activeElement.value",
			name))
		b.key("Escape", "\x1b")
		b.until("document.activeElement == document.body")
	}
	for _, key := range []string{"y", "n", "d", "a", "Enter", " ", "x", "j", "k"} {
		b.run("document.activeElement.blur()")
		b.key(key, map[string]string{"Enter": "\r"}[key]+strings.TrimPrefix(key, "Enter"))
	}
	b.run("document.activeElement.blur()")
	b.key("a", "a")
	b.key("Enter", "\r") // without a code
	if out := g.p.run("tadactl pending"); strings.Count(out, "rm -rf") < 2 {
		t.Error(out)
	}
	if out := g.p.run("tadactl log --kind approval --json"); strings.Contains(out, "decided") {
		t.Error(out)
	}

	// when the console is gone, the page says so, in words that are read out
	b.open(g.base + g.path)
	b.shows(id[:8])
	if b.run(`document.querySelector(".gone").hidden`) != "true" {
		t.Error("the console is here")
	}
	g.tty.Write([]byte{3})
	b.until(`!document.querySelector("[role=alert].gone").hidden`)
	b.shows("the console does not answer")
	b.everywhere("gone")
}
