package integration

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A terminal that does not read delays no page and no answer, and whoever can connect writes
// nothing on it.
func TestConsoleBesideItsTerminal(t *testing.T) {
	t.Parallel()
	g := openPage(t)
	id, _ := g.ask("rm -rf build")
	before := g.terminal.text()
	for range 20 {
		c, err := net.Dial("tcp", strings.TrimPrefix(g.base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = c.Write([]byte("\x16\x03\x01 this is no request\r\n\r\n"))
		c.Close()
	}
	for range 5 { // the code of no question
		g.send("POST", g.path+"q/"+id, g.form(id, "000000", "approve"), nil)
	}
	if _, _, body := g.send("GET", g.path, nil, nil); !strings.Contains(body, id) {
		t.Error(body)
	}
	if n := strings.Count(strings.TrimPrefix(g.terminal.text(), before), "\n"); n > 4 {
		t.Errorf("%d lines: %s", n, g.terminal.text())
	}

	if _, err := g.tty.WriteString("\x13"); err != nil { // Ctrl-S
		t.Fatal(err)
	}
	if out := g.p.run("tada-run 'rm -rf other'; echo status $?"); !strings.Contains(out,
		"status 75") {
		t.Fatal(out)
	}
	for _, path := range []string{g.path, g.path + "q/" + id} {
		done := make(chan int, 1)
		go func() {
			status, _, _ := g.send("GET", path, nil, nil)
			done <- status
		}()
		select {
		case status := <-done:
			if status != http.StatusOK {
				t.Error(path, status)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("it waits for a terminal that does not read")
		}
	}
	if status, _, body := g.send("POST", g.path+"q/"+id, g.form(id, "", "deny"),
		nil); status != http.StatusOK || !strings.Contains(body, "denied") {
		t.Errorf("%d %s", status, body)
	}
	if _, err := g.tty.WriteString("\x11"); err != nil {
		t.Fatal(err)
	}
	if err := g.terminal.shows("denied"); err != nil {
		t.Error(err, g.terminal.text())
	}
}
