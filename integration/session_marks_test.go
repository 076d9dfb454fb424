package integration

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A told is an event of a transcript, as tadactl export prints it.
type told struct {
	Code, Text, Author string
}

func (d *desktop) events(id string) (list []told) {
	d.t.Helper()
	for i, line := range strings.Split(strings.TrimSpace(d.run("tadactl export --format json "+id)),
		"\n") {
		var e told
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			d.t.Fatalf("line %d is %q: %v", i, line, err)
		}
		if i > 0 { // the header
			list = append(list, e)
		}
	}
	return list
}

// The transcript of a session has a mark at each line that was judged in it, before the line's
// output: what was allowed and why, what was refused, and what a person was asked about. It also
// records the terminal's modes.
func TestLinesAreMarked(t *testing.T) {
	t.Parallel()
	d, a, id := inside(t, 120, 40)
	a.line("echo o''ne")
	a.shows("\none")
	a.line("rm -rf / ; echo NO''NE")
	a.shows("denied")
	a.line("git push origin main")
	a.shows("a command needs your approval") // and waits
	b := d.window("b", 100, 40)
	b.line("clear; tadactl approve $(tadactl pending | cut -d' ' -f1); echo sta''tus $?")
	b.shows("to approve")
	// what was typed before the question could be read does not count
	time.Sleep(700 * time.Millisecond)
	for _, c := range regexp.MustCompile(`type ([2-9A-HJ-NP-Z]+) to approve`).FindStringSubmatch(b.text())[1] {
		b.types(string(c))
	}
	b.shows("status 0")
	a.shows("fatal") // it runs, and there is no repository
	a.line("f() { echo fun''ction; }")
	a.line("f # token=ghp_" + strings.Repeat("a1B2", 9))
	a.shows("\nfunction")
	a.line("stty -echo; echo hid''den; read -r x; stty echo; echo pa''st")
	a.shows("\nhidden")
	a.line("a secret")
	a.shows("\npast")
	a.line("exit 3")
	a.shows("outer>")

	var got, modes []string
	run := regexp.MustCompile(` \([0-9A-Za-z-]{8,}\)$`)
	for _, e := range d.events(id) {
		switch {
		case e.Code == "m":
			if !run.MatchString(e.Text) || e.Author != "tada" {
				t.Errorf("a mark that names no run, or by %q: %q", e.Author, e.Text)
			}
			got = append(got, regexp.MustCompile(`^(asked|approved) \S+:`).ReplaceAllString(run.ReplaceAllString(e.Text, ""), "$1 X:"))
		case e.Code == "o" && strings.Contains(e.Text, "one\r\n"):
			got = append(got, "OUTPUT")
		case e.Code == "t":
			modes = append(modes, e.Text)
		}
	}
	want := []string{
		"allowed: echo o''ne", "OUTPUT", "denied: rm -rf / ; echo NO''NE",
		"asked X: git push origin main",
		"approved X: git push origin main", "allowed: f() { echo fun''ction; }",
	}
	for i, w := range want {
		if i >= len(got) || got[i] != w {
			t.Fatalf("%q, want %q", got, want)
		}
	}
	rest := strings.Join(got[len(want):], "\n")
	if !strings.Contains(rest, "allowed: ...f # token=") || strings.Contains(rest, "ghp_a1B2") {
		t.Errorf("marks: %s", rest)
	}
	all := strings.Join(modes, "\n")
	if !strings.Contains(all, "isig -icanon iexten -echo") ||
		!strings.Contains(all, "isig icanon iexten echo icrnl ixon opost") ||
		!strings.Contains(all, "isig icanon iexten -echo") {
		t.Errorf("the terminal's modes were %q", modes)
	}
	if page := d.run("tadactl export --format html " + id); !strings.Contains(page,
		`"m","denied: rm -rf / ; echo NO''NE`) {
		t.Error("the page does not have the marks")
	}
	if out := d.run("tadactl audit verify --complete; echo status $?"); !strings.Contains(out,
		"status 0") {
		t.Error(out)
	}
	cast, _ := os.ReadFile(filepath.Join(d.state, "sessions", id+".cast"))
	if strings.Contains(string(cast), "ghp_a1B2") || strings.Contains(string(cast), "a secret") {
		t.Error("a credential stands in the transcript")
	}
}
