package console_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/passkey/passkeytest"
	"github.com/tada-run/tada-run/approval/plan/plantest"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/console"
	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/pairing"
	"github.com/tada-run/tada-run/launcher/permit"
)

func TestMain(m *testing.M) { os.Exit(hermetic.Tests(m).Run()) }

// A world is a console with a clock of its own, and what its terminal shows.
type world struct {
	*testing.T
	l    *launcher.Launcher
	desk *pairing.Desk
	base string
	stop func()

	mu    sync.Mutex
	now   time.Time
	said  string
	asked int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	l, err := launcher.Place{State: filepath.Join(t.TempDir(), "state")}.Open()
	if err != nil {
		t.Fatal(err)
	}
	l.Caller, l.Marks = atTerminal, ""
	w := &world{T: t, l: l, desk: pairing.Open(l.Approvals), now: time.Now()}
	w.start()
	return w
}

func atTerminal() approval.Caller {
	return approval.Caller{
		Peer:     approval.PeerFacts{Known: true, Terminal: true},
		Rules:    approval.PeerRules{},
		Line:     []approval.Process{{PID: 2, Name: "tadactl"}, {PID: 1, Name: "login"}},
		Terminal: approval.Terminal{Device: "tty4:1", Keys: true},
	}
}

// start starts the console, and returns when it answers.
func (w *world) start() {
	w.Helper()
	s, err := console.Listen(w.l, console.Address{Listen: "localhost:0"}, rand.Reader, w.clock,
		func(line string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.said += line + "\n"
		})
	if err != nil {
		w.Fatal(err)
	}
	w.said = s.URL()
	u, err := url.Parse(s.URL())
	if err != nil {
		w.Fatal(err)
	}
	w.base = u.Scheme + "://" + u.Host
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			w.Error(err)
		}
	})
	w.Cleanup(w.stop)
	g := &guest{world: w, agent: firefox}
	if status := g.status("GET", "/", ""); status != http.StatusOK {
		w.Fatal(status)
	}
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// terminal is what the terminal shows so far.
func (w *world) terminal() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.said
}

var links = regexp.MustCompile(`http://localhost:\d+(/[0-9a-f]{64}/)`)

// link is the path of the newest link on the terminal, which must be another one than last.
func (w *world) link(last string) string {
	w.Helper()
	for range 500 {
		all := links.FindAllStringSubmatch(w.terminal(), -1)
		if link := all[len(all)-1][1]; link != last {
			return link
		}
		time.Sleep(10 * time.Millisecond)
	}
	w.Fatalf("no new link: %s", w.terminal())
	return ""
}

// A guest is a browser: what it sends with each request.
type guest struct {
	*world
	root   string
	cookie *http.Cookie
	agent  string
}

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

var once = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
	return http.ErrUseLastResponse
}}

// send makes one request as a browser does, changed by edit.
func (g *guest) send(method, path, body string, edit func(*http.Request)) (*http.Response, string) {
	g.Helper()
	r, err := http.NewRequest(method, g.base+path, strings.NewReader(body))
	if err != nil {
		g.Fatal(err)
	}
	if g.cookie != nil {
		r.AddCookie(g.cookie)
	}
	r.Header.Set("User-Agent", g.agent)
	if method == http.MethodPost {
		r.Header.Set("Origin", g.base)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if edit != nil {
		edit(r)
	}
	resp, err := once.Do(r)
	if err != nil {
		g.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		g.Fatal(err)
	}
	return resp, string(text)
}

func (g *guest) status(method, path, body string) int {
	g.Helper()
	resp, _ := g.send(method, path, body, nil)
	return resp.StatusCode
}

// enters takes the session that an answer begins; it reports whether there is one.
func (g *guest) enters(resp *http.Response) bool {
	for _, c := range resp.Cookies() {
		g.root, g.cookie = c.Path, c
		return true
	}
	return false
}

// enter opens the newest link with a new browser.
func (w *world) enter() *guest {
	w.Helper()
	g := &guest{world: w, agent: firefox}
	link := w.link("")
	resp, text := g.send("GET", link, "", nil)
	if resp.StatusCode != http.StatusSeeOther || !g.enters(resp) ||
		resp.Header.Get("Location") != g.root {
		w.Fatal(resp.StatusCode, text)
	}
	w.link(link)
	return g
}

// post sends a step of a ceremony.
func (g *guest) post(path string, body any, edit func(*http.Request)) (*http.Response, []byte) {
	g.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		g.Fatal(err)
	}
	resp, answer := g.send("POST", path, string(text), edit)
	return resp, []byte(answer)
}

// pair pairs a device at the terminal.
func (w *world) pair(name string) *passkeytest.Device {
	w.Helper()
	link, _, err := w.desk.Link(context.Background(), pairing.Wish{Name: name, MaxRisk: 3},
		permit.Factor{})
	if err != nil {
		w.Fatal(err)
	}
	token, ok := strings.CutPrefix(link, w.base+"/pair#")
	if !ok {
		w.Fatal(link)
	}
	d := passkeytest.New(w, false)
	options, err := w.desk.PairBegin(token, w.base)
	if err == nil {
		_, err = w.desk.PairFinish(token, w.base, d.Create(options, w.base))
	}
	if err != nil {
		w.Fatal(err)
	}
	return d
}

// ask asks a question, and returns it once the terminal shows its code.
func (w *world) ask() approval.Envelope {
	w.Helper()
	w.asked++
	if err := w.l.Ready(); err != nil {
		w.Fatal(err)
	}
	var e approval.Envelope
	if err := w.l.Deciding(func() (events []approval.Event, err error) {
		e, _, err = w.l.Store.Request(context.Background(), approval.Request{Session: "s",
			Requester: permit.Person(), Payload: plantest.Small(w, func(p map[string]any) {
				p["n"] = w.asked
			})})
		return e.Events, err
	}); err != nil {
		w.Fatal(err)
	}
	for range 500 {
		if strings.Contains(w.terminal(), e.ID+"  R") {
			return e
		}
		time.Sleep(10 * time.Millisecond)
	}
	w.Fatalf("no code: %s", w.terminal())
	return e
}

// visitors are the entries of the log about sessions.
func (w *world) visitors() (list []approval.Visitor) {
	w.Helper()
	for e, err := range w.l.Entries(audit.Filter{Kinds: []string{approval.KindSession}}) {
		var v approval.Visitor
		if err == nil {
			d := json.NewDecoder(bytes.NewReader(e.Body))
			d.DisallowUnknownFields()
			err = d.Decode(&v)
		}
		if err != nil {
			w.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

// count is how many entries about sessions say that something happened.
func (w *world) count(did string) (n int) {
	w.Helper()
	for _, v := range w.visitors() {
		if v.Did == did {
			n++
		}
	}
	return n
}
