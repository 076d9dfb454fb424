package console

import (
	"bytes"
	"encoding/json"
	"html"
	"os"
	"regexp"
	"strings"
	"testing"

	g "maragu.dev/gomponents"

	"github.com/tada-run/tada-run/approval/render"
)

// golden are the payloads of the questions that package render has pages of.
func golden(t *testing.T) map[string][]byte {
	t.Helper()
	text, err := os.ReadFile("../../approval/render/testdata/questions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	list := map[string][]byte{}
	for line := range bytes.Lines(text) {
		var q struct {
			Name    string
			Payload json.RawMessage
		}
		if err := json.Unmarshal(line, &q); err != nil {
			t.Fatal(err)
		}
		list[q.Name] = q.Payload
	}
	if len(list) < 40 {
		t.Fatalf("only %d questions", len(list))
	}
	return list
}

var tag = regexp.MustCompile(`<[^>]*>`)

// textIn is the text of a node, without white space.
func textIn(t *testing.T, n g.Node) string {
	t.Helper()
	var b strings.Builder
	if err := n.Render(&b); err != nil {
		t.Fatal(err)
	}
	return bare(html.UnescapeString(tag.ReplaceAllString(b.String(), " ")))
}

// bare is a text without white space, and without what draws and breaks lines on a terminal.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \n━┊│", r) {
			return -1
		}
		return r
	}, s)
}

// The page of a question is that of the terminal, word for word and in its order: the same as where
// a terminal has room for all of it. What it leaves out it names.
func TestFirstPageIsTheTerminals(t *testing.T) {
	for name, payload := range golden(t) {
		p := render.Render(payload, render.Options{Flowing: true, Phrase: "otter quilt"})
		o := render.Options{Width: 2000, Phrase: "otter quilt"}
		want := bare(render.Render(payload, o).Text())
		if got := textIn(t, firstPage(p, "")); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
		full := render.Render(payload, render.Options{Flowing: true, Full: true})
		all, shown := textIn(t, details(full, true)), 0
		for _, r := range full.Rows {
			if r.Kind == render.Rule {
				continue
			}
			shown++
			if !strings.Contains(all, bare(textOf(r))) {
				t.Errorf("%s: the details have no %q", name, textOf(r))
			}
		}
		if shown < 10 {
			t.Errorf("%s: %d rows", name, shown)
		}
	}
}

// The marked words keep their marks and their classes.
func TestFirstPageMarks(t *testing.T) {
	p := render.Render(golden(t)["force-push"], render.Options{Flowing: true})
	var b strings.Builder
	if err := firstPage(p, "").Render(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<span class="critical">R3 CRITICAL</span>`,
		`git push <span class="danger">⟪--force⟫</span>`, `<span class="lost">; cannot be undone`,
		`<code>github.com/acme/app</code>`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in %s", want, b.String())
		}
	}
}

// A word that could be read as another one is in letters that all differ.
func TestProse(t *testing.T) {
	for word, is := range map[string]bool{"files ": true, "(about ": true, "910 ": true,
		"undone; ": true, "paypaI.com ": false, ".env ": false, "Il": false, "a1 ": false,
		"⟦U+202E⟧": false, "deletes": true} {
		if isProse(word) != is {
			t.Errorf("%q: %v", word, !is)
		}
	}
}
