package console_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Connections that never finish a request, be it its head or its body, keep nobody out.
func TestSlowConnectionsKeepNobodyOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g := w.enter()
	host := strings.TrimPrefix(w.base, "http://")
	for i := range 900 {
		c, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		switch i % 3 {
		case 0:
			fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: %s\r\nX", host)
		case 1:
			fmt.Fprintf(c, "POST /sign-in/finish HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\n"+
				"Content-Length: 1000\r\n\r\n{", host, w.base)
		}
	}
	begun := time.Now()
	for range 3 { // each on a connection of its own
		r, err := http.NewRequest(http.MethodGet, w.base+g.root, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.AddCookie(g.cookie)
		resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Error(resp.Status)
		}
	}
	if took := time.Since(begun); took > 9*time.Second { // the first of them end after ten
		t.Errorf("they waited %v", took)
	}
}
