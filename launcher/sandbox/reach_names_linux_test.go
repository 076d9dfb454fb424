package sandbox

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// askMain asks one name server, by one protocol, for a name, and reads the page there.
func askMain(args []string) {
	protocol, server, url := args[0], args[1], args[2]
	ask := &net.Resolver{PreferGo: true,
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, protocol, server)
		}}
	c := http.Client{Timeout: 10 * time.Second,
		Transport: &http.Transport{DialContext: (&net.Dialer{Resolver: ask}).DialContext}}
	r, err := c.Get(url)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	io.Copy(os.Stdout, r.Body)
}

// A page that leads to a host which was not named is not followed, and the record has the host.
func TestRedirect(t *testing.T) {
	other := hostSite(t, "127.0.1.5", pages("other"))
	first := hostSite(t, "127.0.1.4",
		http.RedirectHandler(fmt.Sprintf("http://other.test:%d/", other.port), http.StatusFound))
	names := internet{"first.test": {first.addr}, "other.test": {other.addr}}
	bothLevels(t, func(t *testing.T, p Profile) {
		p = reaching(p, names, "first.test", "127.0.1.0/24")
		s, said, traffic := talk(t, p, "curl", "-sSL", "-m", "10",
			fmt.Sprintf("http://first.test:%d/", first.port))
		if s.Shell() == 0 || strings.Contains(said, "hello") {
			t.Errorf("%d %q", s.Shell(), said)
		}
		if c := only(traffic, "name"); c == nil || c.Host != "other.test" ||
			c.Fix != "other.test" || c.Why == "" {
			t.Errorf("%+v", traffic)
		}
	})
}

// A name that leads to a private address leads nowhere, whichever server is asked and whenever.
func TestRebinding(t *testing.T) {
	inner := hostSite(t, "127.0.1.6", pages("inner"))
	names := internet{"rebound.test": {inner.addr}}
	bothLevels(t, func(t *testing.T, p Profile) {
		p = reaching(p, names, "rebound.test")
		s, said, traffic := talk(t, p, "curl", "-sS", "-m", "10",
			fmt.Sprintf("http://rebound.test:%d/", inner.port))
		if s.Shell() == 0 || strings.Contains(said, "hello") {
			t.Errorf("%d %q", s.Shell(), said)
		}
		if c := only(traffic, "name"); c == nil ||
			!strings.Contains(c.Why, "127.0.1.6 (this machine)") {
			t.Errorf("%+v", traffic)
		}
	})
}

// asked remembers who was asked for.
type asked struct {
	internet
	mu    sync.Mutex
	names []string
}

func (a *asked) Resolve(ctx context.Context, name string) (own, found []netip.Addr, err error) {
	a.mu.Lock()
	a.names = append(a.names, name)
	a.mu.Unlock()
	return a.internet.Resolve(ctx, name)
}

// Questions for names carry nothing out.
func TestNoNamesOut(t *testing.T) {
	bothLevels(t, func(t *testing.T, p Profile) {
		names := &asked{internet: internet{"allowed.test": {netip.MustParseAddr("203.0.113.7")}}}
		p = reaching(p, nil, "allowed.test:443")
		p.Names = names
		script := `for n in stolen.evil.test stolen.allowed.test aLLoWed.test; do getent ahosts $n; done; true`
		s, said, traffic := talk(t, p, "bash", "-c", script)
		if s.Shell() != 0 || !strings.Contains(said, "203.0.113.7") {
			t.Errorf("%d %q", s.Shell(), said)
		}
		names.mu.Lock() // a question whose caller has stopped waiting may still be under way
		defer names.mu.Unlock()
		for _, name := range names.names {
			if name != "allowed.test" {
				t.Errorf("%q was asked for", name)
			}
		}
		if len(names.names) == 0 || only(traffic, "name") == nil {
			t.Errorf("%v %+v", names.names, traffic)
		}
	})
}
