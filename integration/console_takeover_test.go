package integration

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// paired gives a browser a passkey of that person.
func (b *browser) paired(g *page, name string) {
	b.t.Helper()
	b.authenticator()
	b.open(pairingLink(b.t, g.p, g.base, name))
	b.click("main button")
	b.shows("paired: " + name)
}

// screenText is what the terminal on the page shows, line by line.
const screenText = `[...document.querySelectorAll(".xterm-rows > div")].map((e) => ` +
	`e.textContent.replaceAll("\u00a0", " ").trimEnd()).join("\n")`

// draws waits until the terminal on the page shows a text.
func (b *browser) draws(want string) {
	b.t.Helper()
	b.until("(" + screenText + ").includes(" + strconv.Quote(want) + ")")
}

// line types a line at the terminal on the page.
func (b *browser) line(text string) {
	b.t.Helper()
	b.run(`document.querySelector(".xterm-helper-textarea").focus()`)
	b.call("Input.insertText", object{"text": text}, nil)
	b.key("Enter", "\r")
}

// press clicks a button of the terminal once it is offered.
func (b *browser) press(do string) {
	b.t.Helper()
	button := `[data-do="` + do + `"]`
	offered := strconv.Quote(button + ":not([hidden]):not(:disabled)")
	b.until(`!!document.querySelector(` + offered + `)`)
	b.click(button)
}

// consoleOf is the console of a desktop, with a browser in it that shows the terminal of a session.
func consoleOf(t *testing.T, d *desktop, b *browser, id string) *page {
	t.Helper()
	g := consoleOn(t, d.place, "--listen localhost:0")
	g.enter(nil)
	b.enter(g)
	b.open(g.base + g.path + "run/" + id)
	b.click(`main a[href$="/terminal"]`)
	b.until(`!!document.querySelector(".xterm-rows")`)
	return g
}

// C-8.2.1: a person watches a session in a browser, takes over with a passkey, types, and gives
// back; everybody reads who it was, and so does the record.
func TestTakeoverInABrowser(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	d, a, id := inside(t, 100, 30)
	a.line("echo from the fi''rst")
	a.shows("from the first")
	g := consoleOf(t, d, b, id)
	b.draws("from the first")
	b.shows("its owner is in control")
	b.everywhere("terminal")
	b.line("echo watching > typed")
	a.line("echo se''cond")
	b.draws("second")

	b.paired(g, "ada")
	b.open(g.base + g.path + "run/" + id + "/terminal")
	b.press("take over")
	b.shows("you are in control")
	a.shows("(console, passkey of ada) took over")
	b.everywhere("terminal-driven")
	b.line("echo 'by \"hand\"' > made; stty size; echo do''ne")
	b.draws("done")
	if text, err := os.ReadFile(filepath.Join(d.dir, "made")); err != nil ||
		string(text) != "by \"hand\"\n" {
		t.Errorf("%q %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(d.dir, "typed")); err == nil {
		t.Error("keys of who watches reached the program")
	}
	b.line("clear; cat > pasted")
	b.until("!(" + screenText + `).includes("done")`)
	b.run(`{
	const data = new DataTransfer();
	data.setData("text/plain", ("x".repeat(79) + "\n").repeat(2500));
	document.querySelector(".xterm-helper-textarea").dispatchEvent(
		new ClipboardEvent("paste", {clipboardData: data, bubbles: true}));
	}`)
	d.eventually("all that was pasted", func() bool {
		info, err := os.Stat(filepath.Join(d.dir, "pasted"))
		return err == nil && info.Size() == 2500*80
	})
	b.call("Input.dispatchKeyEvent", object{"type": "keyDown", "key": "d", "modifiers": 2,
		"windowsVirtualKeyCode": 68}, nil)
	b.draws("inner$")
	b.press("give back")
	b.shows("its owner is in control")
	b.shows("gave control back: ")
	a.shows("gave control back")
	a.line("stty size")
	a.shows("30 100")
	b.press("freeze")
	b.shows("frozen: nothing of it runs")
	a.shows("frozen by")
	b.press("continue")
	b.shows("its owner is in control")
	a.line("echo go''es on")
	b.draws("goes on")
	b.press("end")
	b.shows("it has ended")
	a.shows("outer>")

	log := d.run("tadactl --json log --since 1h")
	for _, want := range []string{"attach", "takeover", "handback", "freeze", "continue", "kill"} {
		line := regexp.MustCompile(`(?m)^.*"kind":"ctl.` + want + `".*$`).FindString(log)
		if !regexp.MustCompile(`"by":"uid \d+ at pts/\d+","device":"console`).MatchString(line) {
			t.Errorf("%s: %s", want, line)
		}
	}
	if list := b.complained("pubKeyCredParams"); len(list) > 0 {
		t.Errorf("the browser complains: %q", list)
	}
	if out := d.run("tadactl audit verify; echo status $?"); !strings.Contains(out, "status 0") {
		t.Error(out)
	}
}

// Who took over with a passkey that is revoked drives no longer, also in a browser that the link of
// the terminal let in: the session is frozen until a person continues it.
func TestRevokedPasskeyDrivesNoLonger(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	d, a, id := inside(t, 100, 30)
	a.line("echo from the fi''rst")
	a.shows("from the first")
	g := consoleOf(t, d, b, id)
	b.paired(g, "ada")
	b.open(g.base + g.path + "run/" + id + "/terminal")
	b.press("take over")
	b.shows("you are in control")
	s, _ := g.p.on("tadactl key revoke ada; echo left $?")
	if err := s.shows("left 0"); err != nil {
		t.Fatal(err, s.text())
	}
	b.shows("frozen")
	b.line("echo late > late")
	time.Sleep(time.Second)
	if _, err := os.Stat(filepath.Join(d.dir, "late")); err == nil {
		t.Error("keys of a revoked passkey reached the program")
	}
}
