package integration

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	vt "github.com/tada-run/tada-run/audit/screen"
)

// demoCast is the recording that README links to.
const demoCast = "../docs/demo.cast"

// TestDemoCast records the demo, with a person at a terminal who takes back and approves, and
// compares it with the recording that README links to. UPDATE=1 writes that anew.
func TestDemoCast(t *testing.T) {
	t.Parallel()
	p, _ := demoPlace(t)
	s, tty := p.asPerson("TMPDIR=/tmp exec tadactl demo") // a long name would be broken
	answerYes(t, s, tty)
	seeTheRest(t, s, tty)
	if err := tty.Wait(); err != nil {
		t.Fatal(err, s.text())
	}
	s.drained()
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(demoCast, []byte(spellCast(s.text())), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	recorded, err := readCast(read(t, demoCast))
	if err != nil {
		t.Fatal(err)
	}
	if had, has := pictured(recorded), pictured(s.text()); had != has {
		t.Errorf("%s is not what the demo prints; if that is intended: make golden\n%s\nnow:\n%s",
			demoCast, had, has)
	}
}

// spellCast is an asciicast of what was printed, at a speed at which it can be read: the times
// follow from the text.
func spellCast(printed string) string {
	var b strings.Builder
	b.WriteString(`{"version": 2, "width": 100, "height": 40, "title": "tadactl demo"}` + "\n")
	at := 0.5
	printed = strings.ReplaceAll(printed, again, "\x00"+again)
	for part := range strings.SplitAfterSeq(printed, "\n") {
		for i, text := range strings.Split(part, "\x00") {
			if i > 0 {
				at += 0.4 // a key was typed
			}
			data, err := json.Marshal(text)
			if err != nil {
				panic(err) // it is a string
			}
			fmt.Fprintf(&b, "[%.2f, \"o\", %s]\n", at, data)
			for _, long := range []string{"[press Enter]", "type yes", "read it first", "$ "} {
				if strings.Contains(text, long) {
					at += 2
				}
			}
			at += 0.02
		}
	}
	return b.String()
}

// again begins a question that is drawn over itself.
const again = "\r\x1b[10A\x1b[J"

// readCast is what a cast prints.
func readCast(text string) (string, error) {
	head, events, _ := strings.Cut(text, "\n")
	if !json.Valid([]byte(head)) {
		return "", fmt.Errorf("the head is no JSON: %s", head)
	}
	var b strings.Builder
	for line := range strings.Lines(events) {
		var at float64
		var code, data string
		if err := json.Unmarshal([]byte(line), &[]any{&at, &code, &data}); err != nil {
			return "", fmt.Errorf("%w: %s", err, line)
		}
		b.WriteString(data)
	}
	return b.String(), nil
}

// chance matches what differs between two tellings.
var chance = regexp.MustCompile(`tada-demo-\d+|undo [0-9a-z]{16}|[0-9a-f]{64}|«[^»]*»|━+|` +
	`plan( [0-9a-f]{4}){3}|type \w+ to approve|Esc: cancel: \w+`)

// pictured is what a person has seen, on a terminal that is high and wide enough, without that.
func pictured(printed string) string {
	s := vt.New(160, 200)
	_, _ = s.Write([]byte(printed))
	return chance.ReplaceAllString(strings.TrimSpace(s.String()), "...")
}
