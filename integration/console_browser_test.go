package integration

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A browser is Chromium on a page, and what it complained of.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu         sync.Mutex
	complaints []string
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("needs Chromium, and there is none")
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), append(
		chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.DisableGPU)...)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewContext(ctx)
	t.Cleanup(stop)
	b := &browser{t: t, ctx: ctx}
	chromedp.ListenTarget(ctx, func(ev any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := ev.(type) {
		case *log.EventEntryAdded:
			b.complaints = append(b.complaints, e.Entry.Text)
		case *runtime.EventExceptionThrown:
			b.complaints = append(b.complaints, e.ExceptionDetails.Error())
		}
	})
	if err := chromedp.Run(ctx, log.Enable()); err != nil { // the browser lives as long as this ctx
		t.Fatal(err)
	}
	return b
}

// do does something in the browser, within a minute.
func (b *browser) do(actions ...chromedp.Action) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 20*time.Second)
	defer cancel()
	if err := chromedp.Run(ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// text is what a person reads on the page.
func (b *browser) text() (text string) {
	b.t.Helper()
	b.do(chromedp.Evaluate("document.body?.innerText ?? ''", &text))
	return text
}

// shows waits until the page has a text.
func (b *browser) shows(want string) {
	b.t.Helper()
	text := ""
	for range 200 {
		if text = b.text(); strings.Contains(text, want) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("%q is not on the page:\n%s", want, text)
}

// fits requires that the page is not wider than a window of that many pixels, and keeps a picture
// of it where TEST_SCREENSHOTS says.
func (b *browser) fits(name string, width int64) {
	b.t.Helper()
	var wide int64
	var picture []byte
	b.do(emulation.SetDeviceMetricsOverride(width, 900, 1, width < 500))
	b.do(chromedp.Evaluate("document.documentElement.scrollWidth", &wide))
	b.do(chromedp.CaptureScreenshot(&picture))
	if wide > width {
		b.t.Errorf("%s: %d pixels wide in a window of %d", name, wide, width)
	}
	if dir := os.Getenv("TEST_SCREENSHOTS"); dir != "" {
		file := filepath.Join(dir, fmt.Sprintf("%s-%d.png", name, width))
		if err := os.WriteFile(file, picture, 0o600); err != nil {
			b.t.Error(err)
		}
	}
}

// everywhere is fits on a telephone, a tablet and a desk, light and dark.
func (b *browser) everywhere(name string) {
	b.t.Helper()
	for _, width := range []int64{360, 768, 1440} {
		b.fits(name, width)
	}
	b.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: "dark"}}))
	b.fits(name+"-dark", 360)
	b.do(emulation.SetEmulatedMedia())
}

// The console in a real browser: a question appears while the list is open, is read and answered;
// the run appears, and its page follows it; the replay plays; nothing that a command has written is
// markup, and the browser has nothing to complain of.
func TestConsoleInABrowser(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	g := openPage(t)
	b.do(chromedp.Navigate(g.base + g.path))
	b.shows("no open questions")
	b.everywhere("empty")

	id, code := g.ask(`rm -rf build "<img src=x onerror=document.title=1>"`)
	b.shows(id)
	b.everywhere("questions")
	b.do(chromedp.KeyEvent("j"), chromedp.KeyEvent("\r"))
	b.shows("Approve once")
	b.everywhere("question")
	opened := time.Now()
	g.read(id, opened)
	b.do(chromedp.SendKeys("input[name=code]", strings.ToLower(code), chromedp.ByQuery),
		chromedp.Click("button.approve", chromedp.ByQuery))
	b.shows("approved: " + id)
	b.do(chromedp.Click("main a", chromedp.ByQuery))
	b.shows("no open questions")

	b.do(chromedp.Navigate(g.base + g.path + "runs"))
	b.shows("approved")
	gate := filepath.Join(g.p.dir, "gate")
	done := make(chan string)
	go func() {
		done <- g.p.run(`tada-run 'echo "<b>first</b>"; until test -e gate; do sleep 0.1; done; ` +
			`echo second > written; echo last'`)
	}()
	b.shows("running")
	b.everywhere("runs")
	b.do(chromedp.Click("main li a .running", chromedp.ByQuery))
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

	b.do(chromedp.Click(`main a[href$="/replay"]`, chromedp.ByQuery),
		chromedp.WaitVisible(".ap-player", chromedp.ByQuery))
	b.do(chromedp.Navigate(g.base + g.path + "policy"))
	b.shows("no grants")
	b.everywhere("policy")
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.complaints) > 0 {
		t.Errorf("the browser complains: %q", b.complaints)
	}
}
