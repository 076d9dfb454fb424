package integration

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// changed runs a command that may run, and returns the id of its run.
func (p *place) changed(command string) string {
	p.t.Helper()
	if out := p.run("tada-run '" + command + "'; echo status $?"); !strings.Contains(out,
		"status 0") {
		p.t.Fatal(out)
	}
	ids := p.runIDs()
	return ids[len(ids)-1]
}

// runIDs are the runs of the record, oldest first.
func (p *place) runIDs() []string { return p.ids("tadactl sessions --all --json") }

// waiting are the open questions.
func (p *place) waiting() []string { return p.ids("tadactl pending --json") }

// ids are those in a list that a command prints.
func (p *place) ids(command string) (ids []string) {
	p.t.Helper()
	var list []struct{ ID string }
	if out := p.run(command); json.Unmarshal([]byte(out), &list) != nil || len(list) == 0 {
		p.t.Fatal(out)
	}
	for _, one := range list {
		ids = append(ids, one.ID)
	}
	return ids
}

// From the page of a run a person takes it back: the page shows what that does, a passkey or the
// code confirms exactly that, and what has changed since is refused. An undo is taken back as well.
func TestUndoOnAPage(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	p := newPlace(t)
	file := filepath.Join(p.dir, "notes")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	holds := func(want string) {
		t.Helper()
		if text, err := os.ReadFile(file); err != nil || string(text) != want {
			t.Errorf("the file holds %q (%v), want %q", text, err, want)
		}
	}
	write("one\n")
	base, path := consoleAt(t, p, "--listen localhost:0")
	g := &page{t: t, p: p, base: base, path: path}
	g.enter(nil)
	b.authenticator()
	b.pair(p, base, "ada")
	b.enter(g)
	id := p.changed("echo two > notes; echo made > more")
	holds("two\n")

	b.open(base + g.path + "run/" + id)
	b.shows("+two")
	b.everywhere("run-changed")
	b.click(`main a[href$="/undo"]`)
	b.shows("rewrite " + file)
	b.shows("remove " + filepath.Join(p.dir, "more"))
	b.everywhere("undo")
	b.click("button.act")
	b.shows("2 paths put back")
	holds("one\n")
	if _, err := os.Lstat(filepath.Join(p.dir, "more")); err == nil {
		t.Error("a new file is still there")
	}

	b.click(`[role=status] a`)
	b.until(`document.querySelector('main a[href$="/undo"]')?.innerText === "Redo"`)
	b.click(`main a[href$="/undo"]`)
	b.shows("Redo")
	b.click("button.act")
	b.shows("2 paths put back")
	holds("two\n")

	// what somebody has changed since is named, and stays unless the person wants both
	write("three\n")
	b.open(base + g.path + "run/" + id + "/undo")
	b.shows("1 path left as is")
	b.everywhere("undo-conflict")
	b.click(`main a[href$="both=yes"]`)
	b.shows("beside " + file)

	// what was shown is no longer what would be done
	b.open(base + g.path + "run/" + id + "/undo?both=yes")
	b.shows("beside " + file)
	if err := os.Remove(filepath.Join(p.dir, "more")); err != nil {
		t.Fatal(err)
	}
	b.click("button.act")
	b.until(`document.querySelector("[role=status]").textContent.includes("changed since")`)
	holds("three\n")

	if out := p.run("tadactl log --kind console --json"); strings.Count(out, `"do":"undo"`) != 1 ||
		strings.Count(out, `"do":"redo"`) != 1 {
		t.Error(out)
	}
	if out := p.run("tadactl audit verify; echo status $?"); !strings.Contains(out, "status 0") {
		t.Error(out)
	}
	if list := b.complained("409", "pubKeyCredParams"); len(list) > 0 {
		t.Errorf("the browser complains: %q", list)
	}
}

// What confirms an undo is for one run and one plan: nothing is undone without it, with a wrong
// code, for another run or a second time.
func TestUndoIsConfirmed(t *testing.T) {
	t.Parallel()
	g := openPage(t)
	first, second := g.p.changed("echo one > one"), g.p.changed("echo two > two")
	on := func(id string) string {
		_, _, body := g.send("GET", g.path+"run/"+id+"/undo", nil, nil)
		m := regexp.MustCompile(`data-on="([^"]*)"`).FindStringSubmatch(body)
		if m == nil {
			t.Fatal(body)
		}
		return m[1]
	}
	post := func(path, text string) (int, string) {
		t.Helper()
		status, _, body := g.send("POST", g.path+path, nil, func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
			r.Header.Set("Content-Type", "application/json")
		})
		return status, body
	}
	undo := func(do, on, rest string) (int, string) {
		return post("undo", `{"do":"`+do+`","on":"`+on+`"`+rest+`}`)
	}
	begin := func(on string) (nonce, code string) {
		t.Helper()
		_, body := post("act/begin", `{"do":"undo","on":"`+on+`"}`)
		m := regexp.MustCompile(`"nonce":"([0-9a-f]+)"`).FindStringSubmatch(body)
		if m == nil {
			t.Fatal(body)
		}
		known := g.terminal.text()
		post("act/code", `{"do":"undo","on":"`+on+`","nonce":"`+m[1]+`"}`)
		for range 500 {
			text := strings.ReplaceAll(strings.TrimPrefix(g.terminal.text(), known), "\n", "")
			if c := regexp.MustCompile(`code ([0-9A-Z]{6})$`).FindStringSubmatch(
				strings.TrimSpace(text)); c != nil {
				return m[1], c[1]
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("no code: %q", g.terminal.text())
		return "", ""
	}
	nonce, code := begin(on(first))
	with := `,"nonce":"` + nonce + `","code":"` + code + `"`
	for name, try := range map[string]func() (int, string){
		"without":     func() (int, string) { return undo("undo", on(first), "") },
		"other run":   func() (int, string) { return undo("undo", on(second), with) },
		"other steps": func() (int, string) { return undo("undo", on(first)+"0", with) },
		"other act":   func() (int, string) { return undo("redo", on(first), with) },
		"wrong code": func() (int, string) {
			return undo("undo", on(first), `,"nonce":"`+nonce+`","code":"000000"`)
		},
		"no run": func() (int, string) { return undo("undo", "x y", with) },
	} {
		if status, body := try(); status != http.StatusConflict {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	for _, name := range []string{"one", "two"} {
		if _, err := os.Stat(filepath.Join(g.p.dir, name)); err != nil {
			t.Error(err)
		}
	}
	was := on(first)
	if status, body := undo("undo", was, with); status != 200 ||
		!strings.Contains(body, "1 path put back") {
		t.Fatal(status, body)
	}
	if status, body := undo("undo", was, with); status == 200 {
		t.Errorf("twice: %s", body)
	}
	if _, err := os.Stat(filepath.Join(g.p.dir, "two")); err != nil {
		t.Error("the other run was taken back")
	}
}
