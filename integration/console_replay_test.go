package integration

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/tada-run/tada-run/integration/scale"
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

// The replay of a long transcript begins as soon as that of a short one, and so does a jump to its
// end once it was played. The figures are logged; make bench-console makes a transcript of 1 GB.
func TestLongReplayInABrowser(t *testing.T) {
	t.Parallel()
	long := 16
	if n, err := strconv.Atoi(os.Getenv("BENCH_LONG")); err == nil {
		long = n
	}
	b := newBrowser(t)
	g := openPage(t)
	b.enter(g)
	first := map[int][]float64{}
	for _, size := range []int{1, long} {
		known := castsOf(t, g.p)
		g.p.run("tada-run 'echo long'")
		id := ""
		for name := range castsOf(t, g.p) {
			if !known[name] {
				id = strings.TrimSuffix(name, ".cast")
			}
		}
		cast := filepath.Join(g.p.state, "sessions", id+".cast")
		if err := os.Remove(cast); err != nil {
			t.Fatal(err)
		}
		if _, err := scale.Long(cast, int64(size)<<20); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			b.open(g.base + g.path + "run/" + id + "/replay")
			b.draws("00:0")
			painted := b.run(`performance.getEntriesByName("drawn")[0].startTime`)
			at, err := strconv.ParseFloat(painted, 64)
			if err != nil {
				t.Fatal(err)
			}
			first[size] = append(first[size], at)
		}
		slices.Sort(first[size])
		began := time.Now()
		b.click("[data-key=G]")
		for last := began.Add(5 * time.Minute); time.Now().Before(last); {
			if b.run(`document.querySelector(".state").textContent`) == "paused" {
				break // it is the first time that all of it is played
			}
			time.Sleep(20 * time.Millisecond)
		}
		end := time.Since(began)
		b.click("[data-key=g]")
		b.until(`document.querySelector("[name=position]").value == 0`)
		began = time.Now()
		b.click("[data-key=G]")
		b.until(`document.querySelector("[name=position]").value == 1000`)
		t.Logf("%d MiB: first picture after %.0f ms, end %v, again %v", size, first[size][2], end,
			time.Since(began))
	}
	if first[long][2] > 5*first[1][2] {
		t.Errorf("first picture of a long transcript after %v ms, of a short one %v", first[long],
			first[1])
	}
}

// castsOf are the names of the transcripts of a place.
func castsOf(t *testing.T, p *place) map[string]bool {
	t.Helper()
	list, err := os.ReadDir(filepath.Join(p.state, "sessions"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, e := range list {
		names[e.Name()] = strings.HasSuffix(e.Name(), ".cast")
	}
	return names
}

// What a viewer does while a scene is drawn is done, in its order; what no page sends ends the
// replay, as many cues at once do.
func TestReplaySocket(t *testing.T) {
	t.Parallel()
	g := openPage(t)
	g.p.run("tada-run 'echo one; sleep 1; echo two'")
	id := strings.TrimSuffix(slices.Collect(maps.Keys(castsOf(t, g.p)))[0], ".cast")
	path := "run/" + id + "/replay/socket"
	for name, edit := range map[string]func(http.Header){
		"no origin":      func(h http.Header) { h.Del("Origin") },
		"another origin": func(h http.Header) { h.Set("Origin", "http://127.0.0.1:1") },
		"another host":   func(h http.Header) { h.Set("Host", "localhost:1") },
		"another site":   func(h http.Header) { h.Set("Sec-Fetch-Site", "cross-site") },
		"no cookie":      func(h http.Header) { h.Del("Cookie") },
	} {
		if _, status := g.dialAt(path, edit); status != http.StatusForbidden {
			t.Errorf("%s: %d", name, status)
		}
	}
	if _, status := g.dialAt("run/"+id[:15]+"x/replay/socket", nil); status != 404 {
		t.Errorf("of a run that there is not: %d", status)
	}
	send := func(c *websocket.Conn, text string) {
		_ = c.Write(t.Context(), websocket.MessageText, []byte(text))
	}
	scene := func(c *websocket.Conn) (s struct {
		At     float64
		Paused bool
	}, err error) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		_, text, err := c.Read(ctx)
		if err == nil {
			err = json.Unmarshal(text, &s)
		}
		return s, err
	}
	c, _ := g.dialAt(path, nil)
	for paused := false; !paused; {
		s, err := scene(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{`{"do":"key","key":"G"}`, `{"do":"key","key":"x"}`,
			`{"do":"seek","at":-1e300}`, `{"do":"key","key":"G"}`, `{"do":"drawn"}`,
			`{"do":"drawn"}`} {
			send(c, text)
		}
		paused = s.Paused && s.At >= 1
	}
	for name, text := range map[string]string{"no JSON": "x", "no cue": `{"do":"fly"}`,
		"too long": `{"do":"find","text":"` + strings.Repeat("x", 1<<20) + `"}`,
		"too many": strings.Repeat(`{"do":"key","key":"space"}`+"\n", 2000)} {
		c, _ := g.dialAt(path, nil)
		for line := range strings.Lines(text) {
			send(c, line)
		}
		var err error
		for err == nil {
			_, err = scene(c)
		}
		if errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: it goes on", name)
		}
	}
}
