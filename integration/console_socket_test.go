package integration

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// A socket is the connection of a page to a run's terminal, without the page.
type socket struct {
	g    *page
	id   string
	conn *websocket.Conn
	now  struct {
		Draw, State, Said           string
		Epoch                       uint32
		Cols, Rows, Took            int
		Session, You, Frozen, Ended bool
	}
	drawn strings.Builder // all that was to be drawn
}

// dial opens the connection as a browser on the page of a terminal does, changed by edit. The
// status is that of the answer.
func (g *page) dial(id string, edit func(http.Header)) (*websocket.Conn, int) {
	g.t.Helper()
	return g.dialAt("run/"+id+"/terminal/socket", edit)
}

// dialAt is dial for any page with such a connection.
func (g *page) dialAt(path string, edit func(http.Header)) (*websocket.Conn, int) {
	g.t.Helper()
	h := http.Header{"Origin": {g.base}, "Sec-Fetch-Site": {"same-origin"},
		"Sec-Fetch-Mode": {"websocket"}, "Cookie": {g.cookie.Name + "=" + g.cookie.Value}}
	o := &websocket.DialOptions{HTTPHeader: h}
	if edit != nil {
		edit(h)
		o.Host = h.Get("Host")
		h.Del("Host")
	}
	ctx, cancel := context.WithTimeout(g.t.Context(), patience)
	defer cancel()
	c, r, err := websocket.Dial(ctx, g.base+g.path+path, o)
	if r == nil {
		g.t.Fatal(err)
	}
	if err == nil {
		g.t.Cleanup(func() { _ = c.CloseNow() })
		c.SetReadLimit(1 << 20)
	}
	return c, r.StatusCode
}

func (g *page) socket(id string) *socket {
	g.t.Helper()
	c, status := g.dial(id, nil)
	if status != http.StatusSwitchingProtocols {
		g.t.Fatal(status)
	}
	return &socket{g: g, id: id, conn: c}
}

// next reads one turn, and says that it is drawn. It returns the error of a connection that ended.
func (s *socket) next() error {
	ctx, cancel := context.WithTimeout(s.g.t.Context(), patience)
	defer cancel()
	_, text, err := s.conn.Read(ctx)
	if err != nil {
		return err
	}
	s.now.Said, s.now.Draw = "", ""
	if err := json.Unmarshal(text, &s.now); err != nil {
		s.g.t.Fatal(err)
	}
	s.drawn.WriteString(s.now.Draw)
	s.wish(object{"do": "drawn"})
	return nil
}

func (s *socket) until(what string, ok func() bool) {
	s.g.t.Helper()
	for !ok() {
		if err := s.next(); err != nil {
			s.g.t.Fatalf("%s: %v; last: %+v", what, err, s.now)
		}
	}
}

func (s *socket) said(want string) {
	s.g.t.Helper()
	s.until(want, func() bool { return strings.Contains(s.now.Said, want) })
	s.now.Said = ""
}

// send sends what the console may end the connection for, or may have ended it already.
func (s *socket) send(kind websocket.MessageType, body []byte) {
	_ = s.conn.Write(s.g.t.Context(), kind, body)
}

func (s *socket) wish(w object) {
	text, _ := json.Marshal(w)
	s.send(websocket.MessageText, text)
}

func (s *socket) keys(text string) {
	s.send(websocket.MessageBinary,
		append(binary.BigEndian.AppendUint32(nil, s.now.Epoch), text...))
}

// confirmed is an act that was begun and whose code was read on the terminal.
func (g *page) confirmed(act, on string) object {
	g.t.Helper()
	post := func(path string, body object) (answer struct{ Nonce string }) {
		text, _ := json.Marshal(body)
		r, err := http.NewRequest("POST", g.base+g.path+path, strings.NewReader(string(text)))
		if err != nil {
			g.t.Fatal(err)
		}
		r.Header.Set("Origin", g.base)
		r.AddCookie(g.cookie)
		resp, err := once.Do(r)
		if err != nil {
			g.t.Fatal(err)
		}
		defer resp.Body.Close()
		if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || resp.StatusCode != 200 {
			g.t.Fatal(resp.Status, err)
		}
		return answer
	}
	nonce := post("act/begin", object{"do": act, "on": on}).Nonce
	known := len(g.terminal.text())
	post("act/code", object{"do": act, "on": on, "nonce": nonce})
	line := regexp.MustCompile(`to ` + act + `  code ([0-9A-Z]{6})`)
	for range 500 {
		if m := line.FindStringSubmatch(g.terminal.text()[known:]); m != nil {
			return object{"nonce": nonce, "code": m[1]}
		}
		time.Sleep(10 * time.Millisecond)
	}
	g.t.Fatalf("no code: %q", g.terminal.text())
	return nil
}

// takes takes over with what confirms it.
func (s *socket) takes(confirmed object) {
	s.wish(object{"do": "take over", "cols": 90, "rows": 20, "confirmed": confirmed})
}
