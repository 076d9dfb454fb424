package integration

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
)

// From the tap on a button to the command that it approves: not many times what the command takes
// to start without a question. The figures are logged.
func TestTapToRunning(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	p := newPlace(t).asking()
	base, path := consoleAt(t, p, "--listen localhost:0")
	g := &page{t: t, p: p, base: base, path: path}
	g.enter(nil)
	b.paired(g, "ada")
	b.enter(g)
	var taps, starts []time.Duration
	for i := range 5 {
		name := "ran" + strconv.Itoa(i)
		ran := filepath.Join(p.dir, name)
		if err := os.MkdirAll(filepath.Join(p.dir, "build", "x"), 0o700); err != nil {
			t.Fatal(err)
		}
		done := make(chan string, 1)
		go func() { done <- p.run("tada-run --wait 60s 'touch " + name + "; rm -rf build'") }()
		b.open(base + g.path)
		b.click("main li a")
		b.shows("Approve with passkey")
		id := b.run(`document.querySelector("form").dataset.question`)
		g.read(id, time.Now())
		tap := b.run(`(() => { const at = performance.timeOrigin + performance.now();
			document.querySelector("button.passkey").click(); return String(at); })()`)
		at, err := strconv.ParseFloat(tap, 64)
		if err != nil {
			t.Fatal(err)
		}
		out := <-done
		info, err := os.Stat(ran)
		if err != nil {
			t.Fatal(err, out)
		}
		taps = append(taps, info.ModTime().Sub(time.UnixMicro(int64(at*1000))))
		plain := filepath.Join(p.dir, "plain"+strconv.Itoa(i))
		before := time.Now()
		p.run("tada-run 'touch " + filepath.Base(plain) + "'")
		if info, err = os.Stat(plain); err != nil {
			t.Fatal(err)
		}
		starts = append(starts, info.ModTime().Sub(before))
	}
	slices.Sort(taps)
	slices.Sort(starts)
	t.Logf("from the tap to the command %v (%v), without a question %v (medians of %d)", taps[2],
		taps, starts[2], len(taps))
	if taps[2] > 20*starts[2] {
		t.Errorf("a tap takes %v, and a start without a question %v", taps[2], starts[2])
	}
}
