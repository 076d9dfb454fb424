package launcher

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/tada-run/tada-run/launcher/session/wire"
)

// BenchmarkKeystroke types a key into a session and waits for its echo, recorded, as a client of it; beside that, by
// turns and on the same machine in the same second, into a terminal of its own. What counts is the difference.
func BenchmarkKeystroke(b *testing.B) {
	direct := exec.Command("cat")
	tty, err := pty.Start(direct)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { tty.Close(); _ = direct.Wait() }()
	h := hold(b, "cat")
	var plain, through []time.Duration
	buf := make([]byte, 64)
	for b.Loop() {
		began := time.Now()
		_, _ = tty.Write([]byte("x"))
		if _, err := tty.Read(buf); err != nil {
			b.Fatal(err)
		}
		plain = append(plain, time.Since(began))
		began = time.Now()
		h.front.send(wire.Frame{Kind: wire.Input, Epoch: h.front.epoch, Body: []byte("x")})
		if _, err := h.front.next(wire.Output); err != nil {
			b.Fatal(err)
		}
		through = append(through, time.Since(began))
		if len(plain)%1000 == 0 { // a line of a terminal has an end
			_, _ = tty.Write([]byte("\x15"))
			_, _ = tty.Read(buf)
			h.front.send(wire.Frame{Kind: wire.Input, Epoch: h.front.epoch, Body: []byte("\x15")})
			_, _ = h.front.next(wire.Output)
			h.front.seen.Reset()
		}
	}
	at := func(list []time.Duration, percent int) float64 {
		slices.Sort(list)
		return float64(list[(len(list)-1)*percent/100].Nanoseconds()) / 1e6
	}
	b.ReportMetric(at(plain, 99), "ms-p99-direct")
	b.ReportMetric(at(through, 99), "ms-p99-session")
	b.ReportMetric(at(through, 50), "ms-p50-session")
	b.ReportMetric(at(through, 99)-at(plain, 99), "ms-p99-over")
}

// A session that nobody types into, with viewers, takes no processor time.
func TestIdleSession(t *testing.T) {
	h := hold(t, "cat")
	for range 3 {
		c := h.join()
		c.send(wire.JSON(wire.Hello, 0, wire.Greeting{Cols: 80, Rows: 24}))
		if _, err := c.next(wire.Redraw); err != nil {
			t.Fatal(err)
		}
	}
	ticks := func() (n int) { // of this process, which is the holder
		stat, err := os.ReadFile("/proc/self/stat")
		if err != nil {
			t.Fatal(err)
		}
		f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		for _, text := range f[11:13] {
			v, _ := strconv.Atoi(text)
			n += v
		}
		return n
	}
	least := 1000
	for range 5 { // what else runs in this process is not the session's
		before := ticks()
		time.Sleep(200 * time.Millisecond)
		least = min(least, ticks()-before)
	}
	if least > 0 {
		t.Errorf("an idle session takes at least %d/100 s of processor time in 200 ms", least)
	}
}
