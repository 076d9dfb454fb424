package integration

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The whole of a long command is on the page of its run and on that of its question; lists and
// titles have enough of it to tell it from others. A program that failed does not look well.
func TestLongCommandsOnPages(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	g := openPage(t)
	b.enter(g)
	long := "false " + strings.Repeat("x=1 ", 2000)
	if out := g.p.run("tada-run '" + long + "'; echo status $?"); out != "status 1\n" {
		t.Fatal(out)
	}
	b.open(g.base + g.path + "runs")
	b.shows("exit 1")
	if text := b.text(); len(text) > 1000 || !strings.Contains(text, "chars cut") {
		t.Errorf("the list has %d characters: %.2000s", len(text), text)
	}
	b.click("main li a .failed")
	b.shows("Whole command")
	if n := len(b.run(`document.querySelector("main h1").innerText`)); n > 300 {
		t.Errorf("a title of %d characters", n)
	}
	b.everywhere("run-long")
	b.click("main summary")
	if text := b.text(); !strings.Contains(text, strings.TrimSpace(long)) {
		t.Errorf("not the whole command: %.2000s", text)
	}

	id, code := g.ask(strings.Repeat("echo one\n", 300) + "rm -rf build")
	b.open(g.base + g.path + "q/" + id)
	b.click(`main a[href="#answer"]`)
	b.until(`document.querySelector("[name=code]").getBoundingClientRect().bottom <= innerHeight`)
	b.everywhere("question-long")

	// what is wrong leads back to the question
	b.run(`document.querySelector("[name=code]").value = "WRONG0"`)
	b.click("button[value=approve]")
	b.shows("that is not the code")
	b.click("main a")
	b.shows("Code for " + id[:8])
	b.run(fmt.Sprintf(`document.querySelector("[name=code]").value = %q`, code))
	b.click("button[value=deny]")
	b.shows("denied: " + id)
}

// A console at another name does not offer a passkey that can be of no use there. Paired again, a
// device hears why it is not in words.
func TestPasskeyOfAnotherName(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	p := newPlace(t).asking()
	base, path := consoleAt(t, p, "--listen localhost:0")
	b.authenticator()
	b.open(pairingLink(t, p, base, "ada"))
	b.click("main button")
	b.shows("paired: ada")
	if n := b.run(`document.querySelectorAll("main button").length`); n != "0" {
		t.Errorf("%s buttons after the device was paired", n)
	}
	b.everywhere("paired")
	b.open("about:blank")
	b.open(pairingLink(t, p, base, "ada"))
	b.click("main button")
	b.shows("this device is paired already")

	id := askOnly(t, p, "rm -rf build")
	g := &page{t: t, p: p, base: base, path: path}
	g.enter(nil)
	if _, body := g.get("q/" + id); !strings.Contains(body, "Approve with passkey") {
		t.Error("it is not offered where it is of use")
	}
	_, path = consoleAt(t, p, "--url https://box.example")
	bars, err := os.ReadDir(filepath.Join(p.state, "run", "barred"))
	if err != nil || len(bars) != 2 {
		t.Fatalf("%v, %v", bars, err)
	}
	for _, bar := range bars {
		if strings.HasSuffix(base, ":"+bar.Name()) {
			continue
		}
		g = &page{t: t, p: p, base: "http://127.0.0.1:" + bar.Name(), path: path}
		there := func(r *http.Request) { r.Host = "box.example" }
		g.enter(there)
		status, _, body := g.send("GET", g.path+"q/"+id, nil, there)
		if status != 200 || strings.Contains(body, "with passkey") {
			t.Errorf("%d %s", status, plainText(body))
		}
	}
}
