package integration

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Two browsers show one session: one drives, the other reads who does. What the program prints to
// make a page do something does nothing, in neither.
func TestTwoBrowsersAndAHostileProgram(t *testing.T) {
	t.Parallel()
	first, second := newBrowser(t), newBrowser(t)
	d, a, id := inside(t, 80, 24)
	d.hostile()
	g := consoleOf(t, d, first, id)
	other := &page{t: t, p: g.p, terminal: g.terminal, base: g.base, path: g.nextLink()}
	other.enter(nil)
	second.enter(other)
	second.open(other.base + other.path + "run/" + id + "/terminal")
	first.shows("its owner is in control")
	second.shows("its owner is in control")

	a.line("clear; ./show")
	for _, b := range []*browser{first, second} {
		b.draws("survived")
		b.draws(`/script><img src=x onerror="document.title='pwned'"><!--`)
		if title := b.run("document.title"); !strings.HasPrefix(title, "tada-run: terminal of ") {
			t.Error(title)
		}
		if n := b.run(`document.querySelectorAll(".terminal a, .terminal img").length`); n != "1" {
			t.Errorf("%s links and pictures, not only the one to the run", n)
		}
		b.fits("terminal-hostile", 360)
	}

	first.press("take over")
	first.codeOf(g, "take over")
	first.shows("you are in control")
	second.shows("(console, code of the terminal) is in control")
	first.everywhere("terminal-code")
	first.line("clear; ./keyed")
	first.draws("ready")
	first.click(`[data-key=Esc]`)
	first.draws(`key-$'\E'-`)
	first.line("clear; echo wait''ing; cat > typed")
	first.draws("waiting")
	first.line("first")
	second.line("second")
	second.draws("first")
	first.click(`[data-key=Ctrl]`)
	first.until(`document.querySelector("[data-key=Ctrl]").ariaPressed == "true"`)
	first.call("Input.insertText", object{"text": "d"}, nil)
	first.draws("inner$")
	if text, err := os.ReadFile(filepath.Join(d.dir, "typed")); string(text) != "first\n" {
		t.Errorf("%q %v", text, err)
	}
	// Tab is the program's, and Ctrl-] leaves
	first.line("clear; ./keyed")
	first.draws("ready")
	first.presses("Tab", 9, 0)
	first.draws(`key-$'\t'-`)
	first.presses("]", 221, 2)
	first.until(`document.activeElement.dataset.do == "give back"`)
	first.presses("Tab", 9, 0)
	first.until(`document.activeElement.dataset.do == "freeze"`)
	second.press("take over")
	second.codeOf(other, "take over")
	second.shows("already has control")
	first.open("about:blank") // which is a connection that ends
	second.shows("frozen: nothing of it runs")
	for _, b := range []*browser{first, second} {
		if list := b.complained(); len(list) > 0 {
			t.Errorf("the browser complains: %q", list)
		}
	}
}

// nextLink is the link on the terminal for another browser.
func (g *page) nextLink() string {
	g.t.Helper()
	all := regexp.MustCompile(g.base+`(/[0-9a-f]{64}/)`).FindAllStringSubmatch(
		strings.ReplaceAll(g.terminal.text(), "\n", ""), -1)
	return all[len(all)-1][1]
}

// codeOf types the code of an act, which the terminal shows, into the dialog that asks for it.
func (b *browser) codeOf(g *page, act string) {
	b.t.Helper()
	b.until(`document.querySelector("dialog[open] input") == document.activeElement`)
	all := regexp.MustCompile(`to `+act+`  code ([0-9A-Z]{6})`).FindAllStringSubmatch(
		g.terminal.text(), -1)
	b.call("Input.insertText", object{"text": strings.ToLower(all[len(all)-1][1])}, nil)
	b.key("Enter", "\r")
}

// presses presses a key that writes nothing, with modifiers (2 is Ctrl).
func (b *browser) presses(name string, code, modifiers int) {
	b.t.Helper()
	for _, kind := range []string{"rawKeyDown", "keyUp"} {
		b.call("Input.dispatchKeyEvent", object{"type": kind, "key": name,
			"windowsVirtualKeyCode": code, "modifiers": modifiers}, nil)
	}
}

// A run that is no session is shown as it goes on, and nobody is offered its keys.
func TestWatchingARunInABrowser(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	g := openPage(t)
	b.enter(g)
	done := make(chan string)
	go func() {
		done <- g.p.run(`tada-run 'printf "\033[31m<b>first</b>\033[38;2;1;2;200m blue\n"; ` +
			`until test -e gate; do sleep 0.1; done; echo last; sleep 2'`)
	}()
	b.open(g.base + g.path + "runs")
	b.shows("running")
	b.click("main li a .running")
	b.click(`main a[href$="/terminal"]`)
	b.draws("<b>first</b> blue")
	b.everywhere("terminal-alone")
	if n := b.run(`document.querySelectorAll("button:not([hidden])").length`); n != "0" &&
		b.run(`document.querySelector(".keys").hidden`) != "true" {
		t.Error(b.text())
	}
	if err := os.WriteFile(filepath.Join(g.p.dir, "gate"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.draws("last")
	b.shows("it has ended")
	<-done
	b.open(b.run("location.href"))
	b.shows("This run is over")
	if list := b.complained(); len(list) > 0 {
		t.Errorf("the browser complains: %q", list)
	}
}
