package integration

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A browser is Chromium with one page, and what it complained of. It is told what to do by the
// Chrome DevTools Protocol over two pipes. A library for that opens files when a program starts,
// and the program of these tests is also tada-run, which some of them leave hardly a descriptor.
type browser struct {
	t       *testing.T
	out     *os.File
	session string

	mu         sync.Mutex
	last       int
	waiting    map[int]chan cdpMessage
	complaints []string
	events     map[string]json.RawMessage // the last of each kind
}

// A cdpMessage is what the browser sends: the answer to a call, or an event.
type cdpMessage struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct{ Message string }
}

// browsers has the tests that may use browsers now: not more than two, because each has a
// processor's work to do.
var (
	browsers = make(chan struct{}, 2)
	browse   sync.Map // *testing.T
)

// browsing waits until this test may use browsers.
func browsing(t *testing.T) {
	if _, already := browse.LoadOrStore(t, true); !already {
		browsers <- struct{}{}
		t.Cleanup(func() { <-browsers })
	}
}

func newBrowser(t *testing.T) *browser { return newBrowserIn(t, t.TempDir()) }

// newBrowserIn starts one whose settings are in a folder.
func newBrowserIn(t *testing.T, profile string) *browser {
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
	browsing(t)
	theirIn, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	in, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu",
		"--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe",
		"--user-data-dir="+profile)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // 3 and 4
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	b := &browser{t: t, out: out, waiting: map[int]chan cdpMessage{},
		events: map[string]json.RawMessage{}}
	go b.read(in)
	t.Cleanup(func() {
		out.Close() // the browser ends
		_ = cmd.Wait()
		in.Close()
	})
	var page struct{ TargetID, SessionID string }
	b.call("Target.createTarget", object{"url": "about:blank"}, &page)
	b.call("Target.attachToTarget", object{"targetId": page.TargetID, "flatten": true}, &page)
	b.session = page.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		b.call(domain+".enable", object{}, nil)
	}
	return b
}

// read takes what the browser sends.
func (b *browser) read(in *os.File) {
	r := bufio.NewReader(in)
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var a cdpMessage
		if json.Unmarshal(text[:len(text)-1], &a) != nil {
			continue
		}
		b.mu.Lock()
		switch {
		case b.waiting[a.ID] != nil:
			b.waiting[a.ID] <- a
			delete(b.waiting, a.ID)
		case a.ID != 0:
		case a.Method == "Log.entryAdded", a.Method == "Runtime.exceptionThrown":
			b.complaints = append(b.complaints, string(a.Params))
		default:
			b.events[a.Method] = a.Params
		}
		b.mu.Unlock()
	}
}

// call makes one call of the protocol.
func (b *browser) call(method string, with object, result any) {
	b.t.Helper()
	if err := b.try(method, with, result); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
}

// try makes one call, and waits at most two minutes for the answer.
func (b *browser) try(method string, with object, result any) error {
	b.mu.Lock()
	b.last++
	id, answer := b.last, make(chan cdpMessage, 1)
	b.waiting[id] = answer
	b.mu.Unlock()
	call := object{"id": id, "method": method, "params": with}
	if b.session != "" {
		call["sessionId"] = b.session
	}
	text, err := json.Marshal(call)
	if err == nil {
		_, err = b.out.Write(append(text, 0))
	}
	if err != nil {
		return err
	}
	select {
	case a := <-answer:
		if a.Error != nil {
			return errors.New(a.Error.Message)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(a.Result, result)
	case <-time.After(2 * time.Minute):
		return errors.New("no answer")
	}
}

// run evaluates JavaScript in the page, as if a person had done it, and returns its text.
func (b *browser) run(script string) string {
	b.t.Helper()
	text, err := b.eval(script)
	if err != nil {
		b.t.Fatalf("%s: %v", script, err)
	}
	return text
}

func (b *browser) eval(script string) (string, error) {
	var r struct {
		Result           struct{ Value any }
		ExceptionDetails *struct{ Text string }
	}
	err := b.try("Runtime.evaluate", object{"expression": script, "userGesture": true,
		"awaitPromise": true, "returnByValue": true}, &r)
	if err == nil && r.ExceptionDetails != nil {
		err = errors.New(r.ExceptionDetails.Text)
	}
	return fmt.Sprint(r.Result.Value), err
}

// open goes to an address.
func (b *browser) open(url string) {
	b.t.Helper()
	b.call("Page.navigate", object{"url": url}, nil)
	b.until(`document.readyState == "complete"`)
}

// until waits until something is true in the page, at most as long as try: a busy machine is slow.
func (b *browser) until(condition string) {
	b.t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); {
		// an error is that of a page which is about to be another
		if is, err := b.eval(condition); err == nil && is == "true" {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("%s is not true; the page: %s", condition, b.text())
}

// text is what a person reads on the page.
func (b *browser) text() string {
	b.t.Helper()
	return b.run(`document.body?.innerText ?? ""`)
}

// shows waits until the page has a text.
func (b *browser) shows(want string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`(document.body?.innerText ?? "").includes(%q)`, want))
}

// click presses what a selector finds.
func (b *browser) click(selector string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`!!document.querySelector(%q)`, selector))
	b.run(fmt.Sprintf(`document.querySelector(%q).click()`, selector))
}

// key presses a key.
func (b *browser) key(name, text string) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.call("Input.dispatchKeyEvent", object{"type": kind, "key": name, "text": text,
			"windowsVirtualKeyCode": int(strings.ToUpper(text)[0])}, nil)
	}
}

// fits requires that the page is not wider than a window of that many pixels and looks as it is
// kept. It leaves a picture where TEST_SCREENSHOTS says.
func (b *browser) fits(name string, width int) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", object{"width": width, "height": 900,
		"deviceScaleFactor": 1, "mobile": width < 500}, nil)
	fits := fmt.Sprintf("document.documentElement.scrollWidth <= %d", width)
	if b.run(fits) != "true" {
		b.t.Errorf("%s is wider than a window of %d pixels", name, width)
	}
	var picture struct{ Data string }
	b.call("Page.captureScreenshot", object{}, &picture)
	png, err := base64.StdEncoding.DecodeString(picture.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	name = fmt.Sprintf("%s-%d", name, width)
	b.same(name, png)
	if dir := os.Getenv("TEST_SCREENSHOTS"); filepath.IsAbs(dir) {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
			b.t.Error(err)
		}
	}
}

// everywhere is fits on a telephone, a tablet and a desk, and accessible, light and dark.
func (b *browser) everywhere(name string) {
	b.t.Helper()
	for _, width := range []int{360, 768, 1440} {
		b.fits(name, width)
	}
	scheme := func(value string) {
		b.call("Emulation.setEmulatedMedia", object{"features": []object{
			{"name": "prefers-color-scheme", "value": value}}}, nil)
	}
	scheme("dark")
	b.fits(name+"-dark", 360)
	b.accessible(name + ", dark")
	scheme("")
	b.accessible(name)
}

// complained returns what the browser complained of, but for what contains one of these texts.
func (b *browser) complained(but ...string) (list []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.complaints {
		known := false
		for _, text := range but {
			known = known || strings.Contains(c, text)
		}
		if !known {
			list = append(list, c)
		}
	}
	return list
}
