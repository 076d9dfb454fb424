package integration

import (
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// plainText is the text of a page, as a person reads it.
func plainText(body string) string {
	_, body, _ = strings.Cut(body, "<main>")
	body = regexp.MustCompile(`</(li|span|p|h[1-6]|dd|dt|code)>`).ReplaceAllString(body, "\n")
	return html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(body, ""))
}

// get reads a page of the session.
func (g *page) get(path string) (status int, body string) {
	g.t.Helper()
	status, _, body = g.send("GET", g.path+path, nil, nil)
	return status, body
}

// The list of runs goes on at a link, and so does a search; no run is in two parts or in none.
func TestOlderRuns(t *testing.T) {
	t.Parallel()
	g := openPage(t)
	const runs = 113
	out := g.p.run(`for n in $(seq 113); do tada-run "true number $n" || exit; done; ` +
		`echo status $?`)
	if !strings.HasSuffix(out, "status 0\n") {
		t.Fatal(out)
	}
	count := regexp.MustCompile(`true number (\d+)`)
	older := regexp.MustCompile(`href="[^"]*/(runs\?[^"]*)" rel="next"`)
	follow := func(path string) (all, parts []string) {
		t.Helper()
		for path != "" {
			status, body := g.get(path)
			if status != 200 {
				t.Fatal(status, body)
			}
			part := count.FindAllStringSubmatch(plainText(body), -1)
			for _, m := range part {
				all = append(all, m[1])
			}
			parts = append(parts, path)
			if m := older.FindStringSubmatch(body); m != nil {
				path = html.UnescapeString(m[1])
			} else {
				path = ""
			}
		}
		return all, parts
	}
	all, parts := follow("runs")
	if len(all) != runs || len(parts) != 3 || all[0] != "113" || all[112] != "1" ||
		all[50] != "63" {
		t.Errorf("%d runs in %q: %q", len(all), parts, all)
	}
	// the text stays in the link
	all, parts = follow("runs?text=" + url.QueryEscape("number 1"))
	if len(all) != 25 || len(parts) != 1 {
		t.Errorf("%d runs in %q: %q", len(all), parts, all)
	}
	all, parts = follow("runs?text=" + url.QueryEscape("true number"))
	if len(all) != runs || len(parts) != 3 || !strings.Contains(parts[1], "text=true+number") {
		t.Errorf("%d runs in %q: %q", len(all), parts, all)
	}
	for _, bad := range []string{"x", "../../etc", strings.Repeat("0", 36), "%00"} {
		if status, _ := g.get("runs?before=" + bad); status != http.StatusBadRequest {
			t.Errorf("before %q: %d", bad, status)
		}
	}
	// the id of no run stands for its time
	if status, body := g.get("runs?before=0000000000000000"); status != 200 ||
		!strings.Contains(plainText(body), "no such runs") {
		t.Errorf("%d %s", status, plainText(body))
	}
}

// The page of the policy says from which file each part comes, for a workspace too.
func TestPolicyOnAPage(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	g := openPage(t)
	file := filepath.Join(g.p.dir, ".tada", "config.yaml")
	if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("security: {command_level: always}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, body := g.get("policy")
	if text := plainText(body); !strings.Contains(text, filepath.Join(g.p.state, "config.yaml")) ||
		strings.Contains(text, file) || !strings.Contains(text, "outside of any workspace") {
		t.Error(text)
	}
	_, body = g.get("policy?dir=" + url.QueryEscape(g.p.dir))
	text := plainText(body)
	for _, want := range []string{"In force in " + g.p.dir, "security.command_level",
		".tada/config.yaml:1", "Defaults"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	for _, bad := range []string{"repo", "/no/such/folder", "../x"} {
		status, body := g.get("policy?dir=" + url.QueryEscape(bad))
		if status != http.StatusConflict {
			t.Errorf("%q: %d %s", bad, status, plainText(body))
		}
	}
	b.enter(g)
	b.open(g.base + g.path + "policy?dir=" + url.QueryEscape(g.p.dir))
	b.run(`document.querySelectorAll("details").forEach((e) => e.open = true)`)
	b.everywhere("policy-workspace")
}

// What could spare questions is what tadactl policy learn finds, with its evidence; nothing on the
// page accepts it.
func TestLearnedOnAPage(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	g := openPage(t)
	g.p.pushes()
	id, code := g.ask("git push origin feature/one")
	form := g.form(id, code, "approve")
	g.read(id, time.Now())
	if status, _, body := g.send("POST", g.path+"q/"+id, form, nil); status != 200 {
		t.Fatal(status, body)
	}
	g.p.run("tada-run 'git push origin feature/one'")
	learned := g.p.run("tadactl policy learn")
	rule := regexp.MustCompile(`rules\.commands: \[.*\]`).FindString(learned)
	if rule == "" {
		t.Fatal(learned)
	}
	_, body := g.get("policy/learned")
	text := plainText(body)
	for _, want := range []string{rule, "git push origin feature/one", "could allow",
		"allowed 1 time", "tadactl policy learn"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if strings.Contains(body, "<form") {
		t.Errorf("the page has a form: %s", body)
	}
	b.enter(g)
	b.open(g.base + g.path + "policy")
	b.click(`main a[href$="policy/learned"]`)
	b.shows("could allow")
	b.everywhere("learned")
}
