package render_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/integration/hermetic"
)

// A question is a plan that a real command line led to.
type question struct {
	Name    string
	Payload json.RawMessage
}

// questions are those of testdata/questions.jsonl: command lines that agents ran, and attacks.
func questions(t *testing.T) (list []question) {
	text, err := os.ReadFile("testdata/questions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var q question
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			t.Fatal(err)
		}
		if _, err := canonical.Parse(q.Payload); err != nil {
			t.Fatalf("%s: %v", q.Name, err)
		}
		list = append(list, q)
	}
	if len(list) < 40 {
		t.Fatalf("only %d questions", len(list))
	}
	return list
}

// commandOf is the text of the only call of a question.
func (q question) command(t *testing.T) string {
	var p struct {
		Calls []struct{ Args struct{ Command string } } `json:"tool_calls"`
	}
	if err := json.Unmarshal(q.Payload, &p); err != nil {
		t.Fatal(err)
	}
	return p.Calls[0].Args.Command
}

// reasons are how many rules ask.
func (q question) reasons(t *testing.T) int {
	var p struct{ Reasons []any }
	if err := json.Unmarshal(q.Payload, &p); err != nil {
		t.Fatal(err)
	}
	return len(p.Reasons)
}

// The first page as it is on screens of 80 and of 100 columns, in colours and without.
func TestQuestions(t *testing.T) {
	for name, width := range map[string]int{"80": 80, "100": 100, "colours": 80} {
		var b strings.Builder
		for _, q := range questions(t) {
			// the last column is the cursor's
			p := render.Render(q.Payload, render.Options{Width: width - 1, Phrase: "otter quilt"})
			fmt.Fprintf(&b, "%s\n", q.Name)
			lines := p.Lines
			if name == "colours" {
				lines = p.Coloured()
			}
			for _, line := range lines {
				b.WriteString(strings.ReplaceAll(line, "\x1b", "^[") + "\n")
			}
			b.WriteByte('\n')
		}
		golden(t, "testdata/questions-"+name+".txt", b.String())
	}
}

// The page in docs/approvals.md is one of them.
func TestQuestionInDocs(t *testing.T) {
	docs, err := os.ReadFile("../../docs/approvals.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range questions(t) {
		if q.Name != "force-push" {
			continue
		}
		p := render.Render(q.Payload, render.Options{Width: 79, Phrase: "otter quilt"})
		page := "```text\n" + strings.Join(p.Lines, "\n") + "\n```\n"
		if !strings.Contains(string(docs), page) {
			t.Errorf("not in docs/approvals.md:\n%s", page)
		}
	}
}

// golden compares a text with that of a file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	hermetic.Golden(t, *update, path, got)
}

// A simple line takes ten rows of a screen with the keys, a line of three parts sixteen, and all
// fit on a screen of 24 rows. A page that can be approved hides no byte of the command.
func TestQuestionsAreShort(t *testing.T) {
	const keys = 1
	for _, q := range questions(t) {
		p := render.Render(q.Payload, render.Options{Width: 79, Phrase: "otter quilt"})
		checkInert(t, p, 79)
		command, rows := q.command(t), len(p.Lines)+keys
		parts := 1 + strings.Count(command, "&&") + strings.Count(command, "|") +
			strings.Count(command, ";") + strings.Count(command, "\n")
		switch {
		case rows > 24, parts == 1 && len(command) <= 70 && q.reasons(t) <= 2 && rows > 10,
			parts <= 3 && len(command) <= 210 && rows > 16:
			t.Errorf("%s: %d rows\n%s", q.Name, rows, p.Text())
		}
		if got := shownCommand(t, p); !p.Truncated && got != command {
			t.Errorf("%s: shown as %q", q.Name, got)
		}
	}
}
