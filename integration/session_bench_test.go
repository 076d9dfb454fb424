package integration

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// BenchmarkAttachedKeystroke types a key into "tadactl attach --take" on a terminal and waits until
// it is drawn there: it passes the client, the socket, the lease, the record, the private terminal,
// and comes back through the model of it. In turns, on the same machine in the same second, it does
// the same with a bare terminal. The difference of the 99th percentiles is what counts.
func BenchmarkAttachedKeystroke(b *testing.B) {
	p := newPlace(b)
	on := func(line string) *os.File {
		cmd := p.command("exec " + line)
		tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = cmd.Process.Kill(); tty.Close(); _ = cmd.Wait() })
		return tty
	}
	seen := func(c <-chan []byte, text string) {
		limit := time.After(20 * time.Second)
		for got := []byte(nil); !bytes.Contains(got, []byte(text)); {
			select {
			case more := <-c:
				got = append(got, more...)
			case <-limit:
				b.Fatalf("%q never came: %q", text, got)
			}
		}
	}
	read := func(tty *os.File) <-chan []byte { // reads of a terminal cannot have a deadline
		c := make(chan []byte, 1024)
		go func() {
			for {
				buf := make([]byte, 4096)
				n, err := tty.Read(buf)
				if err != nil {
					return
				}
				c <- buf[:n]
			}
		}()
		return c
	}
	front := read(on("tada-run --session -- cat"))
	go func() {
		for range front {
		}
	}()
	id := ""
	for end := time.Now().Add(20 * time.Second); id == "" &&
		time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if f := strings.Fields(p.run("tadactl sessions")); len(f) > 3 && f[3] == "session" {
			id = f[0]
		}
	}
	b.Cleanup(func() { p.run("tadactl kill " + id) })
	through, direct := on("tadactl attach --take "+id), on("cat")
	drawn, echoed := read(through), read(direct)
	seen(drawn, "You are in control")
	one := func(tty *os.File, c <-chan []byte, i int) time.Duration {
		key := string("QWERTYUIOPNVXZ"[i%14]) // none that ends a control sequence
		began := time.Now()
		_, _ = tty.WriteString(key)
		seen(c, key)
		return time.Since(began)
	}
	var plain, driven []time.Duration
	for i := 0; b.Loop(); i++ {
		plain, driven = append(plain, one(direct, echoed, i)),
			append(driven, one(through, drawn, i))
		if i%50 == 49 { // a line of a screen has an end
			_, _ = direct.WriteString("\x15A")
			_, _ = through.WriteString("\x15A")
			seen(echoed, "A")
			seen(drawn, "A")
			for end := time.After(20 * time.Millisecond); end != nil; {
				select {
				case <-echoed:
				case <-drawn:
				case <-end:
					end = nil
				}
			}
		}
	}
	at := func(list []time.Duration, percent int) float64 {
		slices.Sort(list)
		return float64(list[(len(list)-1)*percent/100].Nanoseconds()) / 1e6
	}
	b.ReportMetric(at(plain, 99), "ms-p99-direct")
	b.ReportMetric(at(driven, 99), "ms-p99-attached")
	b.ReportMetric(at(driven, 50), "ms-p50-attached")
	b.ReportMetric(at(driven, 99)-at(plain, 99), "ms-p99-over")
}
