package launcher

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/launcher/session/wire"
)

// A session without input, with viewers, takes no processor time.
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
