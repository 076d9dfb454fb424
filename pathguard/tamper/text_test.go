package tamper

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/hermetic"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	hermetic.Golden(t, *update, filepath.Join("testdata", name), got)
}

func findings() *TamperError {
	a, b := strings.Repeat("a1b2c3d4", 8), strings.Repeat("e5f60718", 8)
	was := Seen{Form: Regular, Mode: 0o644, Size: 3, Raw: a, Text: a}
	now := Seen{Form: Regular, Mode: 0o644, Size: 4, Raw: b, Text: b}
	return &TamperError{Root: "/ws", Findings: []Finding{
		{Path: "/ws/TODO.md", Kind: Changed, Was: was, Now: now, Digest: strings.Repeat("d", 64)},
		{Path: "/home/u/.tada/config.yaml", Kind: Deleted, Was: was,
			Digest: strings.Repeat("e", 64)},
		{Path: "/ws/a\x1b[2Jb.md", Kind: Created, Now: now, Digest: strings.Repeat("f", 64)},
	}}
}

// the texts are a contract.
func TestTexts(t *testing.T) {
	e := findings()
	golden(t, "tamper_error.en.txt", e.Text(English))
	golden(t, "tamper_error.zh.txt", e.Text(Chinese))
	golden(t, "tamper_error.json", e.JSON()+"\n")
	if got := e.Error(); got != `3 protected files were changed from outside: "TODO.md" (changed), "/home/u/.tada/config.yaml" (deleted), "a\x1b[2Jb.md" (created); try: tadactl tamper diff` {
		t.Error(got)
	}
	// of one file no message speaks of several, nor the other way round
	one := &TamperError{Root: e.Root, Findings: e.Findings[:1]}
	for _, in := range []Locale{English, Chinese} {
		if w := wording[in]; !strings.HasSuffix(one.Text(in), "\n\n"+w.ways) ||
			!strings.HasSuffix(e.Text(in), "\n\n"+w.several) {
			t.Errorf("one:\n%s\nseveral:\n%s", one.Text(in), e.Text(in))
		}
	}
	for _, some := range []*TamperError{{}, one, e} {
		if en, zh := some.In(English), some.In(Chinese); en != some.Error() || en == zh ||
			!strings.HasSuffix(zh, "请尝试: tadactl tamper diff") || some.In(Locale(9)) != en {
			t.Errorf("%q is %q", en, zh)
		}
	}
	many := &TamperError{Root: e.Root, Findings: append(e.Findings, e.Findings...)}
	if got := many.Error(); !strings.HasPrefix(got, "6 protected files were changed") ||
		!strings.Contains(got, `(created) and 3 more; try`) {
		t.Error(got)
	}
	own := &TamperError{Root: "/", Findings: e.Findings[1:2]}
	if got := own.Error(); got != `protected file "/home/u/.tada/config.yaml": deleted from outside; try: tadactl tamper diff` {
		t.Error(got)
	}
	if ToolText != "TamperError: External modification detected. Use 'accept_tamper' tool to resolve." {
		t.Error("programs know another text")
	}
	for range 20 {
		e.Findings = append(e.Findings, e.Findings[0])
	}
	if text := e.Text(English); !strings.Contains(text, "... +15\n") ||
		strings.Count(text, "\n") > 40 {
		t.Errorf("a long list reads\n%s", text)
	}
	en, zh := wording[English], wording[Chinese] // every text is there in every language
	for kind := range en.title {
		if zh.title[kind] == "" || zh.title[kind] == en.title[kind] {
			t.Errorf("%s: %q", kind, zh.title[kind])
		}
	}
	for _, text := range []string{zh.expected, zh.actual, zh.none, zh.ways, zh.several,
		detected[Chinese]} {
		if text == "" {
			t.Errorf("a Chinese text is missing: %+v", zh)
		}
	}
	for _, text := range []string{zh.ways, zh.several, en.several} {
		if strings.Count(text, "tadactl") != strings.Count(en.ways, "tadactl") {
			t.Errorf("%q tells other commands than %q", text, en.ways)
		}
	}
	if len(zh.title) != len(en.title) {
		t.Errorf("%+v is not %+v", zh, en)
	}
	var zero *TamperError = &TamperError{}
	if zero.Error() == "" || zero.Text(Locale(9)) == "" {
		t.Error("the zero error says nothing")
	}
}

// seven columns, one line, and back.
func TestLine(t *testing.T) {
	e := Event{
		Time: time.Date(2026, 1, 25, 10, 11, 12, 0, time.FixedZone("", 3600)), Action: ActionAccept,
		User: "dg/claude-code", Interface: MCP,
		Task: "T-210.3", Path: "TODO.md", Checksum: strings.Repeat("a1b2c3d4", 8),
		Text: "Accepted external changes: a | b\nFAKE",
	}
	want := `2026-01-25T09:11:12Z | dg/claude-code | MCP | FORCE_ACCEPT | T-210.3 | a1b2c3d4 | Accepted external changes: a \x7c b\x0aFAKE (TODO.md)`
	if got := e.Line(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := (Event{}).Line(); got != "0001-01-01T00:00:00Z | - | - | - | - | - | -" {
		t.Error(got)
	}
	for _, i := range []Interface{CLI, MCP, Shell, Hook} {
		cells, err := parseLine(Event{Interface: i}.Line())
		if err != nil || cells[2] != string(i) {
			t.Errorf("%s: %q %v", i, cells, err)
		}
	}
	pieces := []string{"|", " | ", "\n", "\r", "\x00", "\x1b[2J", "\\", "-", "", "\"", "'",
		"\u202e", "\u3164", "\xff", "\U000e0041", "漢字", "a", " ", "é", "\\x7c"}
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var b strings.Builder
		for range r.IntN(6) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.String()
	}
	for range 1000 {
		e := Event{User: text(), Interface: Interface(text()), Action: Action(text()), Task: text(),
			Checksum: text(), Text: text()}
		line := e.Line()
		cells, err := parseLine(line)
		if err != nil || len(strings.Split(line, " | ")) != 7 ||
			strings.ContainsAny(line, "\n\r\x00\x1b") {
			t.Fatalf("%q: %v", line, err)
		}
		if cells[1] != e.User || cells[4] != e.Task || cells[6] != e.Text ||
			cells[3] != string(e.Action) {
			t.Fatalf("%+v became %q", e, cells)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("a | b", "c\n")
	f.Add("-", `\`)
	f.Fuzz(func(t *testing.T, user, text string) {
		cells, err := parseLine(Event{User: user, Text: text}.Line())
		if err != nil || cells[1] != user || cells[6] != text {
			t.Fatalf("%q %q: %q %v", user, text, cells, err)
		}
	})
}

func FuzzParseLine(f *testing.F) {
	f.Add("a | b | c | d | e | f | g")
	f.Fuzz(func(t *testing.T, line string) { _, _ = parseLine(line) })
}

func TestEventBody(t *testing.T) {
	e := Event{Seq: 7, Time: time.Unix(1, 5).UTC(), Action: ActionDetected, User: "u",
		Interface: Hook, Session: "s", Path: "/a", Kind: Moved, Was: "w", Checksum: "c",
		Digest: "d", Archive: "x", Auto: true, Text: "t", Task: "k"}
	if got := EventOf(e.Body()); got != e {
		t.Errorf("%+v\nbecame\n%+v", e, got)
	}
	if got := EventOf(map[string]any{"event": 3, "auto": "x", "path": nil}); got != (Event{}) {
		t.Errorf("%+v", got)
	}
	for _, a := range []Action{ActionRegister, ActionWrite, ActionDetected, ActionAdopted,
		ActionShown, ActionAccept, ActionRestore, ActionSetting, ActionPruned} {
		if kind := (Event{Action: a}).RecordKind(); !strings.HasPrefix(kind, "tamper.") ||
			kind == "tamper.other" {
			t.Errorf("%s is recorded as %q", a, kind)
		}
	}
}

// What is shown moves no cursor, and two texts never look the same.
func TestInert(t *testing.T) {
	for in, want := range map[string]string{
		"plain ~": "plain ~", "a\tb": "a⟨U+0009⟩b", "\x1b[2J": "⟨U+001B⟩[2J", "\r": "⟨U+000D⟩",
		"\xff\xfe": "⟨FF⟩⟨FE⟩", "\u202e": "⟨U+202E⟩",
		"\u200b": "⟨U+200B⟩", "\u3164": "⟨U+3164⟩", "\u2800": "⟨U+2800⟩", "\U000e0041": "⟨U+E0041⟩",
		"\ufe0f": "⟨U+FE0F⟩", "漢字é": "漢字é",
		"⟨U+0009⟩": "⟨U+27E8⟩U+0009⟨U+27E9⟩", "\u00a0": "⟨U+00A0⟩", "\u0085": "⟨U+0085⟩",
		"\ufffd": "\ufffd", "\x7f": "⟨U+007F⟩",
	} {
		if got := Inert(in); got != want {
			t.Errorf("Inert(%q) = %q, want %q", in, got, want)
		}
	}
}

func sample() *manifest {
	m := newManifest()
	m.seq, m.mode = 9, modeState{true, true, true}
	h := strings.Repeat("ab", 32)
	m.records["/ws/TODO.md"] = &record{Seen: Seen{Form: Regular, Mode: 0o644, Size: 5, Raw: h,
		Text: h, stamp: stamp{1, 2, 5, 3, 4, 0o100644}}, Path: "/ws/TODO.md", Pattern: "TODO.md",
		settled: true, kept: true}
	m.records["/ws/a b\n"] = &record{Seen: Seen{Form: Link, Target: "x \"y\"", Raw: h, Real: "/r"},
		Path: "/ws/a b\n", Pattern: "a*"}
	m.records["/ws/gone"] = &record{Path: "/ws/gone", Pattern: "gone"}
	m.grants = []grant{{"id 1", "owner", []string{"/ws/TODO.md", "/x y"}}, {"", "", nil}}
	m.saves = []save{{path: "/ws/TODO.md", raw: h, event: Event{Seq: 3, Text: "x"}}}
	m.shown["/ws/TODO.md"], m.told["/ws/gone"] = h, h
	m.events = []Event{{Seq: 8, Time: time.Unix(1, 0).UTC(), Action: ActionWrite}}
	return m
}

func TestManifest(t *testing.T) {
	text := string(sample().encode())
	golden(t, "manifest.txt", text)
	m, err := decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if again := string(m.encode()); again != text {
		t.Errorf("read and written again:\n%s\nwas\n%s", again, text)
	}
	for i := range text { // every byte counts
		if _, err := decode([]byte(text[:i] + string(text[i]^0x20) + text[i+1:])); !errors.Is(err,
			ErrCorrupt) {
			t.Errorf("byte %d: %v", i, err)
		}
		if _, err := decode([]byte(text[:i])); !errors.Is(err, ErrCorrupt) {
			t.Errorf("cut at %d: %v", i, err)
		}
	}
}

// sealed is a text with the header and the sum that it needs to be read at all.
func sealed(body string) string {
	text := manifestHeader + body
	return text + "sum " + hexSum([]byte(text)) + "\n"
}

func TestManifestRefuses(t *testing.T) {
	h := strings.Repeat("ab", 32)
	for _, body := range []string{
		"seq\n", "seq x\n", "seq 1 2\n", "what 1\n", "\n", "seq 1", "mode true\n", "mode yes no\n",
		"shown - \"x\"\n", "shown abc \"x\"\n", "shown " + h + " x\n",
		"shown " + h + " `x`\n", "shown " + h + " \"x\" \n", "grant \"x\"\n",
		"grant \"x\" \"y\" z\n", "event {\n", "event\n", "save " + h + " \"x\"\n",
		"file nothing\n", "file file 8 0 0 0 0 0 0 true true - - \"\" \"\" \"\" \"\"\n", "seq -1\n",
	} {
		if _, err := decode([]byte(sealed(body))); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%q: %v", body, err)
		}
	}
	if m, err := decode([]byte(sealed(""))); err != nil || len(m.records) != 0 {
		t.Errorf("an empty one: %v", err)
	}
}

func FuzzManifest(f *testing.F) {
	text := string(sample().encode())
	f.Add(text[len(manifestHeader) : len(text)-sumLine])
	for line := range strings.Lines(text) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, body string) {
		_, _ = decode([]byte(body))
		m, err := decode([]byte(sealed(body)))
		if err != nil {
			return
		}
		once := m.encode()
		again, err := decode(once)
		if err != nil {
			t.Fatalf("%q was written as %q: %v", body, once, err)
		}
		if string(again.encode()) != string(once) {
			t.Fatalf("%q, then %q", once, again.encode())
		}
	})
}

// parseLine returns the seven columns of a line that [Event.Line] made, unescaped.
func parseLine(line string) ([7]string, error) {
	var cells [columns]string
	parts := strings.Split(line, " | ")
	if len(parts) != columns {
		return cells, fmt.Errorf("a line of the log has %d columns, not %d", columns, len(parts))
	}
	for i, p := range parts {
		text, err := unescape(p)
		if err != nil {
			return cells, fmt.Errorf("column %d: %w", i+1, err)
		}
		cells[i] = text
	}
	return cells, nil
}

func unescape(s string) (string, error) {
	if s == "-" {
		return "", nil
	}
	return strconv.Unquote(`"` + strings.ReplaceAll(s, `"`, `\"`) + `"`)
}
