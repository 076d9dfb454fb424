package integration

import (
	"strings"
	"testing"
)

// A replay is played, sought and searched by buttons, by the slider and by keys; it shows what the
// terminal showed and does nothing that it says.
func TestReplayInABrowser(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	g := openPage(t)
	g.p.run(`tada-run 'echo alpha; sleep 0.5; printf "\033]0;title\a\033]52;c;eA==\a` +
		`\033]8;;http://x.example\aLink\033]8;;\a<b>bold</b>\n"; for i in 1 2 3 4 5 6 7 8; do ` +
		`echo line $i; done; sleep 0.3; clear; echo omega'`)
	b.enter(g)
	b.open(g.base + g.path + "runs")
	b.click("main li a")
	b.click(`main a[href$="/replay"]`)
	b.draws("omega")
	b.until(`document.querySelector(".state").textContent == "paused"`)
	b.click(`[data-key=g]`)
	b.until(`!document.querySelector(".xterm-rows").innerText.includes("omega")`)
	b.run(`(() => { const form = document.querySelector("form");
		form.elements.find.value = "line 5"; form.requestSubmit(); })()`)
	b.draws("line 5")
	b.draws("<b>bold</b>")
	b.until(`document.querySelector(".state").textContent == "paused"`)
	b.run(`(() => { const at = document.querySelector("[name=position]");
		at.value = 1000; at.dispatchEvent(new Event("change")); })()`)
	b.draws("omega")
	b.run(`document.querySelector(".xterm-helper-textarea").focus()`)
	b.key("g", "g")
	b.until(`!document.querySelector(".xterm-rows").innerText.includes("omega")`)
	if title := b.run("document.title"); !strings.HasPrefix(title, "tada-run: replay of") {
		t.Errorf("the recorded program changed the title: %q", title)
	}
	if n := b.run(`document.querySelectorAll(".xterm-rows a, .xterm-rows b").length`); n != "0" {
		t.Errorf("%s links or tags of the recorded program", n)
	}
	b.everywhere("replay-paused")
	if list := b.complained(); len(list) > 0 {
		t.Errorf("the browser complains: %q", list)
	}
}
