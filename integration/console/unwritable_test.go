package console_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval"
)

// While the log cannot be written, nobody is let in and nothing is approved, confirmed or granted;
// afterwards all of it works, with the link that the terminal shows then.
func TestLogThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.pair("ada")
	g := w.enter()
	e := w.ask()
	_, page := g.send("GET", g.root+"q/"+e.ID, "", nil)
	link := w.link("")
	ticket, options := g.begin()
	begun := func() (nonce string, response []byte) {
		_, text := g.post(g.root+"act/begin", object{"do": "notify", "on": "x"}, nil)
		var b struct {
			Nonce   string
			Options json.RawMessage
		}
		if err := json.Unmarshal(text, &b); err != nil {
			t.Fatal(err)
		}
		return b.Nonce, d.Get(b.Options, w.base)
	}
	nonce, response := begun()
	log := filepath.Join(w.l.Home().Audit(), "log.jsonl")
	if _, err := os.Stat(log); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(log, log+".aside"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(log, 0o700); err != nil {
		t.Fatal(err)
	}
	if resp, _ := w.guest().send("GET", link, "", nil); resp.StatusCode !=
		http.StatusForbidden || len(resp.Cookies()) > 0 {
		t.Errorf("a link: %d", resp.StatusCode)
	}
	if w.guest().finish(ticket, d.Get(options, w.base)) {
		t.Error("a passkey signs in")
	}
	a := approval.Act{Do: "notify", On: "x", Nonce: nonce}
	if _, err := w.desk.ActByPasskey(a, w.base, "", response); err == nil {
		t.Error("an act is confirmed")
	}
	if _, err := w.desk.ActByCode(a, ""); err == nil {
		t.Error("an act is confirmed by code")
	}
	form := "answer=deny&plan=" + hidden(t, page, "plan") + "&proof=" + hidden(t, page, "proof")
	if status := g.status("POST", g.root+"q/"+e.ID, form); status == http.StatusOK {
		t.Error("a denial")
	}
	if err := os.Remove(log); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(log+".aside", log); err != nil {
		t.Fatal(err)
	}
	w.link(link)
	if !strings.Contains(w.terminal(), "was not let in: ") {
		t.Error(w.terminal())
	}
	w.enter()
	if status := g.status("POST", g.root+"q/"+e.ID, form); status != http.StatusOK {
		t.Errorf("a denial afterwards: %d", status)
	}
}
