package integration

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What a text tries that wants to be more than text: to end what it is in, to run, to turn around
// what is read, and to hide. One may be the name of a file.
const (
	hostileName = `"><img src=x onerror=document.title=1>` + "\u202e\u200b\u2066"
	hostileText = hostileName + `</code></script><script>document.title=1</script>`
)

// E-dsp-9: nothing that comes from outside is markup on any page, whichever field it is in, and
// nothing in it turns around or hides what is read.
func TestNothingIsMarkup(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	g := openPage(t)
	dir := filepath.Join(g.p.dir, hostileName)
	if err := os.MkdirAll(filepath.Join(dir, ".tada"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".tada", "config.yaml"), fmt.Appendf(nil,
		"security: {restricted_paths: ['/x/%s']}\n", hostileText), 0o600); err != nil {
		t.Fatal(err)
	}
	g.p.env = append(g.p.env, "HOSTILE="+hostileText, "NAME="+hostileName, "DIR="+dir)

	g.grantIn(filepath.Join(g.p.dir, `"><img src=x onerror=document.title=1>`))
	open, _ := g.ask("rm -rf build")
	denied, _ := g.ask("rm -rf ./build")
	a := g.p.askers(t, open)
	spoilt(a.plan)
	a.again()
	form := g.form(denied, "", "deny")
	form.Set("message", hostileText)
	if status, _, body := g.send("POST", g.path+"q/"+denied, form, nil); status != 200 {
		t.Fatal(status, plainText(body))
	}
	g.p.run(`cd "$DIR" && tada-run --agent "$HOSTILE" --work-item "$HOSTILE" "rm -rf . # $HOSTILE"`)
	g.p.run(`cd "$DIR" && tada-run --agent "$HOSTILE" --work-item "$HOSTILE" "cat no"`)
	// a file with such a name and such a text, and an output
	if err := os.WriteFile(filepath.Join(g.p.dir, "text"), []byte(hostileText+"\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	last := g.p.changed(`cat text; cat text > "a$(head -c ` + strconv.Itoa(len(hostileName)) +
		` text)"`)

	in, quiet := url.QueryEscape, []string{"learned", "question", "question " + open}
	pages := map[string]string{"questions": "", "question": "q/" + open, "runs": "runs",
		"a run": "run/" + last, "undo": "run/" + last + "/undo", "policy": "policy",
		"policy of a folder": "policy?dir=" + in(dir),
		"no folder":          "policy?dir=" + in("/"+hostileText),
		"learned":            "policy/learned", "search": "runs?text=" + in(hostileText),
		"older": "runs?before=" + in(hostileText), "no page": url.PathEscape(hostileText),
		"no question": "q/" + url.PathEscape(hostileText),
		"no run":      "run/" + url.PathEscape(hostileText),
		"no undo":     "run/" + url.PathEscape(hostileText) + "/undo"}
	for _, q := range g.p.waiting() {
		pages["question "+q] = "q/" + q
	}
	for _, r := range g.p.runIDs() {
		pages["run "+r] = "run/" + r
	}
	if len(pages) < 20 {
		t.Fatalf("%d pages", len(pages))
	}
	b.enter(g)
	for name, path := range pages {
		b.open(g.base + g.path + path)
		b.inert(name)
		shows := b.run(`document.body.innerText.includes("<img src=x") ||
			document.querySelector("input")?.value.includes("<img src=x") === true`)
		if shows != "true" && !slices.Contains(quiet, name) && !strings.HasPrefix(name, "run ") {
			t.Errorf("%s shows nothing of it: %s", name, b.text())
		}
	}
	// and once more as a script puts it there
	b.open(g.base + g.path)
	a.plan["agent_name"] = "another " + hostileText
	a.again()
	b.until(`document.querySelectorAll("ul.list > li").length > 1`)
	b.inert("a new question")
	if list := b.complained("404", "409", "400"); len(list) > 0 {
		t.Errorf("the browser complains: %q", list)
	}
}

// fixed are members of a plan that have a few values only.
var fixed = []string{"tool_call_id", "tool_name", "verdict", "rule", "trust", "toolset_mode",
	"bound"}

// spoilt adds to every other text of a plan what tries to be more than text.
func spoilt(x any) any {
	switch x := x.(type) {
	case map[string]any:
		for key, value := range x {
			if !slices.Contains(fixed, key) {
				x[key] = spoilt(value)
			}
		}
	case []any:
		for i := range x {
			x[i] = spoilt(x[i])
		}
	case string:
		return x + hostileText
	}
	return x
}

// grantIn has something allowed until further notice in a folder, which is made.
func (g *page) grantIn(dir string) {
	g.t.Helper()
	if err := os.Mkdir(dir, 0o755); err != nil {
		g.t.Fatal(err)
	}
	defer func(home string) { g.p.dir = home }(g.p.dir)
	g.p.dir = dir
	g.p.pushes()
	id, code := g.ask("git push origin feature/one")
	form := g.form(id, code, "approve")
	form.Set("lasts", "2")
	g.read(id, time.Now())
	if status, _, body := g.send("POST", g.path+"q/"+id, form, nil); status != 200 {
		g.t.Fatal(status, plainText(body))
	}
}

// inert requires that a page has only its own markup, and no character that hides or turns around.
func (b *browser) inert(name string) {
	b.t.Helper()
	for what, script := range map[string]string{
		"the title": `document.title == "1" || document.title == 1`,
		"a script":  `document.querySelectorAll("script").length > 1`,
		"an element": `document.querySelector("img, iframe, object, embed, svg, base, [style]")` +
			` != null`,
		"a handler": `[...document.querySelectorAll("*")].some((e) =>
			[...e.attributes].some((a) => a.name.startsWith("on")))`,
		"a link": `[...document.links].some((a) => a.origin != location.origin)`,
		"its text": `/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/.test(
			document.body.innerText)`,
	} {
		if b.run(script) != "false" {
			b.t.Errorf("%s: %s: %s", name, what, b.run("document.body.outerHTML.slice(0, 3000)"))
		}
	}
}
