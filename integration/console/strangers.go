package console

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// mostStrange is how many failed attempts of all strangers are recorded in triesLife; of one
// address there are mostTries.
const mostStrange = 200

// strangers count the failed attempts of browsers without a session. They limit what is recorded,
// and refuse nobody: what lets a browser in has 256 random bits or is a signature, so nobody gets
// in by trying often, and nobody who tries often keeps its owner out.
type strangers struct {
	mu    sync.Mutex
	since time.Time
	all   int
	hosts map[string]int
}

// failed counts an attempt. few is false when there were so many that no more are recorded; last is
// true for the one before that.
func (t *strangers) failed(r *http.Request, now time.Time) (few, last bool) {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if age := now.Sub(t.since); t.hosts == nil || age < 0 || age >= triesLife {
		t.since, t.all, t.hosts = now, 0, map[string]int{}
	}
	if t.all >= mostStrange || t.hosts[host] >= mostTries {
		return false, false
	}
	t.all++
	t.hosts[host]++
	return true, t.all == mostStrange || t.hosts[host] == mostTries
}
