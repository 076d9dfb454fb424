package integration

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// phones are two browsers, paired with the passkeys of two people, at a console whose policy has a
// line more. It returns the process of the console too.
func phones(t *testing.T, policy string) (g *page, ada, bob *browser, console *os.Process) {
	t.Helper()
	ada, bob = newBrowser(t), newBrowser(t)
	p := newPlace(t).asking()
	if err := os.WriteFile(filepath.Join(p.state, "config.yaml"), []byte(deletionsAsk+policy),
		0o600); err != nil {
		t.Fatal(err)
	}
	g = consoleOn(t, p, "--listen localhost:0")
	g.enter(nil)
	ada.paired(g, "ada")
	bob.paired(g, "bob")
	for _, b := range []*browser{ada, bob} {
		b.click("main a") // to the questions
		b.root()
	}
	return g, ada, bob, g.process()
}

// process is the console, found by its state directory.
func (g *page) process() *os.Process {
	g.t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		g.t.Fatal(err)
	}
	for _, dir := range all {
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		environ, _ := os.ReadFile(filepath.Join(dir, "environ"))
		if !strings.HasPrefix(string(line), "tadactl\x00console\x00") ||
			!strings.Contains(string(environ), g.p.state) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			g.t.Fatal(err)
		}
		process, err := os.FindProcess(pid)
		if err != nil {
			g.t.Fatal(err)
		}
		return process
	}
	g.t.Fatal("the console does not run")
	return nil
}

// asks opens the question on a paired browser, once it can be approved there.
func (b *browser) asks(g *page, id string) {
	b.t.Helper()
	b.open(g.base + b.root() + "q/" + id)
	b.shows("Approve with passkey")
}

// Two people must approve: each does it with a passkey of their own, and neither can do it twice.
func TestTwoPeopleInBrowsers(t *testing.T) {
	t.Parallel()
	g, ada, bob, _ := phones(t, "approval: {people: 2, from_risk: 1}\n")
	id := askOnly(t, g.p, "rm -rf build")
	ada.asks(g, id)
	opened := time.Now()
	bob.asks(g, id)
	g.read(id, opened)
	ada.click("button.passkey")
	ada.shows("counted, 1 of 2")
	ada.asks(g, id)
	ada.click("button.passkey")
	ada.until(`document.querySelector("[role=status]").textContent.length > 0`)
	if text := ada.run(`document.querySelector("[role=status]").textContent`); strings.Contains(
		text, "approved") {
		t.Errorf("one person was two: %s", text)
	}
	if out := g.p.run("tada-run 'rm -rf build'; echo status $?"); !strings.Contains(out,
		"status 75") {
		t.Errorf("after one of two: %s", out)
	}
	bob.click("button.passkey")
	bob.shows("approved: " + id)
	if out := g.p.run("tada-run 'rm -rf build'; echo status $?"); !strings.Contains(out,
		"status 0") {
		t.Error(out)
	}
	if out := g.p.run("tadactl audit verify; echo status $?"); !strings.Contains(out, "status 0") {
		t.Error(out)
	}
}

// Two devices answer at the same moment: one answer counts, the other person is told, and the
// command runs once.
func TestTwoDevicesAtOnce(t *testing.T) {
	t.Parallel()
	g, ada, bob, _ := phones(t, "")
	done := make(chan string, 1)
	go func() { done <- g.p.run("tada-run --wait 60s 'rm -rf build; echo ran >> runs'") }()
	id := ""
	for id == "" {
		time.Sleep(50 * time.Millisecond)
		id = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`).FindString(g.p.run("tadactl pending"))
	}
	ada.asks(g, id)
	opened := time.Now()
	bob.asks(g, id)
	g.read(id, opened)
	var both sync.WaitGroup
	said := make([]string, 2)
	for i, b := range []*browser{ada, bob} {
		both.Go(func() {
			b.run(`document.querySelector("button.passkey").click()`)
			for range 300 {
				said[i], _ = b.eval(`document.querySelector("[role=status]").textContent`)
				if said[i] != "" {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	both.Wait()
	approved := 0
	for _, text := range said {
		if strings.Contains(text, "approved: "+id) {
			approved++
		} else if text == "" {
			t.Error("one of them was told nothing")
		}
	}
	if approved != 1 {
		t.Errorf("%d of two answers counted: %q", approved, said)
	}
	<-done
	if text, err := os.ReadFile(filepath.Join(g.p.dir, "runs")); string(text) != "ran\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// The telephone's clock is an hour off, in either direction: nothing depends on it.
func TestClockOfATelephone(t *testing.T) {
	t.Parallel()
	g, ada, _, _ := phones(t, "")
	for _, hours := range []int{1, -2} { // the second is added to the first
		ada.call("Page.addScriptToEvaluateOnNewDocument", object{"source": `(() => {
			const real = Date, by = ` + strconv.Itoa(hours) + ` * 3600000;
			globalThis.Date = class extends real {
				constructor(...a) { super(...(a.length ? a : [real.now() + by])); }
				static now() { return real.now() + by; }
			}; })()`}, nil)
		if err := os.MkdirAll(filepath.Join(g.p.dir, "build"), 0o700); err != nil {
			t.Fatal(err)
		}
		id := askOnly(t, g.p, "rm -rf build")
		ada.asks(g, id)
		if ada.run(`Math.abs(Date.now() - performance.timeOrigin) > 3000000`) != "true" {
			t.Fatal("the clock is right")
		}
		g.read(id, time.Now())
		ada.click("button.passkey")
		ada.shows("approved: " + id)
		if out := g.p.run("tada-run 'rm -rf build'; echo status $?"); !strings.Contains(out,
			"status 0") {
			t.Error(out)
		}
	}
}

// The machine sleeps while the answer comes: it counts when the machine wakes up, if the question
// is still open then; else the person is told.
func TestConsoleSleeps(t *testing.T) {
	t.Parallel()
	g, ada, _, console := phones(t, "")
	id := askOnly(t, g.p, "rm -rf build")
	ada.asks(g, id)
	g.read(id, time.Now())
	if err := console.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ada.run(`document.querySelector("button.passkey").click()`)
	time.Sleep(time.Second)
	if text := ada.run(`document.querySelector("[role=status]").textContent`); text != "" {
		t.Errorf("it said %q while it slept", text)
	}
	if err := console.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	ada.shows("approved: " + id)
	if out := g.p.run("tada-run 'rm -rf build'; echo status $?"); !strings.Contains(out,
		"status 0") {
		t.Error(out)
	}

	id = askOnly(t, g.p, "rm -rf other")
	ada.asks(g, id)
	g.read(id, time.Now())
	if err := console.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ada.run(`document.querySelector("button.passkey").click()`)
	g.p.run("tadactl deny " + id)
	if err := console.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	ada.until(`document.querySelector("[role=status]").textContent.length > 0`)
	if text := ada.text(); strings.Contains(text, "approved: ") {
		t.Errorf("a question that was denied meanwhile: %s", text)
	}
}
