package integration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The console in a real browser: a question appears while the list is open, is read and answered;
// the run appears, and its page follows it; the replay plays; nothing that a command has written is
// markup, and the browser has nothing to complain of.
func TestConsoleInABrowser(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	g := openPage(t)
	b.enter(g)
	b.shows("no open questions")
	b.everywhere("empty")

	id, code := g.ask(`rm -rf build "<img src=x onerror=document.title=1>"`)
	b.shows(id[:8])
	b.everywhere("questions")
	b.key("j", "j")
	b.key("Enter", "\r")
	b.shows("Approve once")
	b.everywhere("question")
	opened := time.Now()
	g.read(id, opened)
	b.run("document.querySelector('input[name=code]').focus()")
	b.call("Input.insertText", object{"text": strings.ToLower(code)}, nil)
	b.key("Enter", "\r") // which approves
	b.shows("approved: " + id)
	b.click("main a")
	b.shows("no open questions")

	b.open(g.base + g.path + "runs")
	b.shows("approved")
	gate := filepath.Join(g.p.dir, "gate")
	done := make(chan string)
	go func() {
		done <- g.p.run(`tada-run 'echo "<b>first</b>"; until test -e gate; do sleep 0.1; done; ` +
			`echo second > written; echo last'`)
	}()
	b.shows("running")
	b.everywhere("runs")
	b.click("main li a .running")
	b.shows("<b>first</b>")
	if text := b.text(); strings.Contains(text, "\nlast\n") {
		t.Errorf("too early: %s", text)
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.shows("last")
	b.shows("exit 0")
	b.shows("+second")
	b.everywhere("run")
	<-done

	b.click(`main a[href$="/replay"]`)
	b.draws("last")
	b.everywhere("replay")
	b.open(g.base + g.path + "policy")
	b.shows("no grants")
	b.everywhere("policy")
	if list := b.complained(); len(list) > 0 {
		t.Errorf("the browser complains: %q", list)
	}
}
