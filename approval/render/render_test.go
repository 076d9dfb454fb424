package render_test

import (
	"bufio"
	"bytes"
	"flag"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/plan/plantest"
	"github.com/tada-run/tada-run/approval/render"
)

var update = flag.Bool("update", false, "write the golden pages anew")

func TestGoldenPage(t *testing.T) {
	p := plantest.Bytes(t, plantest.Full(plantest.PushCommand))
	for name, o := range map[string]render.Options{"page": {}, "page-narrow": {Width: 40},
		"page-full": {Full: true}} {
		golden(t, "testdata/"+name+".golden", render.Render(p, o).Text())
	}
}

// attacks is the corpus: commands that try to act on the terminal, to hide something, or to look
// like a part of the page.
func attacks(t testing.TB) map[string]string {
	f, err := os.Open("testdata/attacks.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string]string{}
	for s := bufio.NewScanner(f); s.Scan(); {
		v, err := canonical.Parse(s.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		m := v.(map[string]any)
		out[m["name"].(string)] = m["command"].(string)
	}
	if len(out) < 100 {
		t.Fatalf("only %d attacks", len(out))
	}
	return out
}

// everywhere puts a text in every place of a plan where a text can be.
func everywhere(s string) map[string]any {
	p := plantest.Full(s)
	p["agent_says"], p["agent_name"], p["work_item_id"], p["unknown"] = s, s, s,
		map[string]any{s: []any{s}}
	call := p["tool_calls"].([]any)[0].(map[string]any)["args"].(map[string]any)
	call["argv"] = []any{s, s}
	p["context"].(map[string]any)["env"] = map[string]any{s: s}
	p["targets"] = []any{map[string]any{"right": "write", "name": s, "real": s}}
	p["reasons"] = []any{map[string]any{"rule": s, "verdict": "ask", "message": s,
		"span": []any{0, 1}}}
	p["opaque"] = []any{map[string]any{"text": s, "place": s, "why": s}}
	return p
}

const ownMarks = "«»∅⟦⟧⟪⟫␠⏎⇥·→━│┊×✗✎▸⇡"

// checkInert fails for anything that could act on a terminal, be invisible, or move its neighbours.
// It does not use the renderer's own tables.
func checkInert(t testing.TB, p render.Page, width int) {
	t.Helper()
	for _, line := range p.Lines {
		cells := 0
		for _, r := range line {
			cells++
			switch {
			case r >= 0x20 && r < 0x7f, strings.ContainsRune(ownMarks, r):
			case r < 0xa0, r == utf8.RuneError,
				unicode.In(r, unicode.C, unicode.M, unicode.Z, unicode.Lm), !unicode.IsLetter(r),
				r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, r == 0x17b4, r == 0x17b5,
				r == 0x2800,
				unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana,
					unicode.Nko, unicode.Adlam):
				t.Errorf("U+%04X on the page, in %q", r, line)
			case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) ||
				r >= 0xff01 && r <= 0xff60:
				cells++
			}
		}
		if !utf8.ValidString(line) || cells > width {
			t.Errorf("%d cells in %q", cells, line)
		}
	}
}

var code = regexp.MustCompile(`(?s)^(?:([^\x00-\x7f⟦⟧⟪⟫␠⏎⇥])?⟦U\+([0-9A-F]{4,6})⟧|⟦x([0-9A-F]{2})⟧|(.))(?:⟦×([0-9]+)⟧)?`)

// unshow is a second, naive reader of shown text: it shares nothing with Restore.
func unshow(t testing.TB, s string) string {
	t.Helper()
	var out []byte
	for s != "" {
		m := code.FindStringSubmatch(s)
		if m == nil {
			t.Fatalf("cannot read %q", s)
		}
		s = s[len(m[0]):]
		one := map[string]string{"␠": " ", "⏎": "\n", "⇥": "\t", "⟪": "", "⟫": ""}
		var c []byte
		switch {
		case m[2] != "":
			n, _ := strconv.ParseUint(m[2], 16, 32)
			c = utf8.AppendRune(nil, rune(n))
			if m[1] != "" && m[1] != string(c) {
				t.Fatalf("%q has the code point of %q", m[1], c)
			}
		case m[3] != "":
			n, _ := strconv.ParseUint(m[3], 16, 8)
			c = []byte{byte(n)}
		default:
			plain, ok := one[m[4]]
			if !ok {
				plain = m[4]
			}
			c = []byte(plain)
		}
		n := 1
		if m[5] != "" {
			n, _ = strconv.Atoi(m[5])
		}
		out = append(out, bytes.Repeat(c, n)...)
	}
	return string(out)
}

var gutter = regexp.MustCompile(`^(?:run     |        ) (?: *[0-9]*[│┊] )?`)

// commandLines returns the lines of the command on a page, without their prefixes.
func commandLines(p render.Page) []string {
	var out []string
	for i := slices.IndexFunc(p.Lines,
		func(l string) bool { return strings.HasPrefix(l, "run ") }); i >= 0 &&
		i < len(p.Lines); i++ {
		g := gutter.FindString(p.Lines[i])
		if g == "" {
			break
		}
		out = append(out, strings.TrimPrefix(p.Lines[i], g))
	}
	return out
}

// shownCommand reads the command back from the lines that a person sees.
func shownCommand(t testing.TB, p render.Page) string {
	t.Helper()
	return unshow(t, strings.Join(commandLines(p), ""))
}

// B-R5.1, B-T7, E-dsp-1, E-dsp-2, E-dsp-4: every attack, in every place, is inert on the page; the
// person sees every byte of it, and the full page is the payload in another form.
func TestAttacks(t *testing.T) {
	for name, command := range attacks(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkPage(t, everywhere(command), command)
		})
	}
}

func checkPage(t testing.TB, plan map[string]any, command string) {
	t.Helper()
	payload := plantest.Bytes(t, plan)
	for _, width := range []int{40, 80, 133} {
		short := render.Render(payload, render.Options{Width: width})
		full := render.Render(payload, render.Options{Width: width, Full: true})
		checkInert(t, short, width)
		checkInert(t, full, width)
		if full.Truncated {
			t.Error("a full page says that it is cut")
		}
		if got := shownCommand(t, full); got != command {
			t.Errorf("width %d: the full page shows the command as %q, it is %q", width, got,
				command)
		}
		if got := shownCommand(t, short); got != command && !short.Truncated {
			t.Errorf("width %d: the page shows the command as %q, it is %q", width, got, command)
		}
		back, err := render.Decode(full.Text(), width)
		if err != nil || !bytes.Equal(back, payload) {
			t.Errorf("width %d: decoded to %q, %v", width, back, err)
		}
	}
}

// Render takes any bytes, and a full page gives them back.
func TestRenderAnything(t *testing.T) {
	for _, p := range []string{"", "{", "\x1b[2J\xff", "5", `"text"`, "null", "[]", "{}",
		`{"":"","10":null,"a b":1,"\udcff":["\udcfe"]}`, `{"a": 1}`,
		`{"agent_name":5,"agent_says":[],"context":"x","effects":[1],"hazards":{},"opaque":"","reasons":[1,[],{}],"risk":"2","targets":[[]],"tool_calls":[5,{"args":"x"},{"args":{"argv":[1],"command":5}}]}`,
		`{"context":{"cwd":5,"env":[],"env_hash":{}},"effects":{"delete":"x","write":[{}]},"tool_calls":{}}`} {
		for _, width := range []int{-5, 0, 1, 40, 1000} {
			full := render.Render([]byte(p), render.Options{Width: width, Full: true})
			back, err := render.Decode(full.Text(), width)
			if err != nil || string(back) != p {
				t.Errorf("%q came back as %q, %v\n%s", p, back, err, full.Text())
			}
			if full.Friction.Level != 3 {
				t.Errorf("%q has friction %+v", p, full.Friction)
			}
		}
	}
}

// A page that was changed anywhere does not decode to something else.
func TestDecodeRefuses(t *testing.T) {
	text := render.Render(plantest.Small(t, nil), render.Options{Full: true}).Text()
	for i := 0; i < len(text); i += 3 { // each try renders a page
		for _, c := range []byte{text[i] ^ 1, '\n'} {
			other := text[:i] + string([]byte{c}) + text[i+1:]
			if other == text {
				continue
			}
			if back, err := render.Decode(other, 0); err == nil {
				t.Fatalf("byte %d changed to %q decodes to %s", i, c, back)
			}
		}
	}
	for _, other := range []string{"", "\n", text[:len(text)-1], text + "\n", text + text,
		" every value by its name ", " every value by its name \n\n\n\n"} {
		if back, err := render.Decode(other, 0); err == nil {
			t.Errorf("%q decodes to %s", other, back)
		}
	}
}

// leftOut are the values that only the full page has: what holds a plan to its files and its
// environment, what a reason has said in words, and the agent's own words.
var leftOut = regexp.MustCompile(`^\.(version|risk|targets|hazards|agent_says|bound|` +
	`context(\.(cwd_|env|uid|umask|shell|policy|profile|version|level|added).*| .*)?|context|` +
	`effects\.(read|exec).*|effects\.write removed|toolset_mode removed|` +
	`opaque\[0\].*|reasons\[0\]\.(rule|path|span|added).*|` +
	`tool_calls\[0\]\.(tool_call_id|args\.canonical).*)`)

// B-R1.2, B-R1.2a, B-T7: any change in a plan changes its hash and is visible on the full page, in
// its lines and not only in the hash. What a person decides by is visible on the first page.
func TestNothingHidden(t *testing.T) {
	body := func(p render.Page) string {
		return strings.Join(slices.DeleteFunc(slices.Clone(p.Lines),
			func(l string) bool { return strings.HasPrefix(l, "━━ plan ") }), "\n")
	}
	full := plantest.Full(plantest.PushCommand)
	first, whole := render.Options{}, render.Options{Full: true}
	before := render.Render(plantest.Bytes(t, full), first)
	all := render.Render(plantest.Bytes(t, full), whole)
	n, hidden := 0, 0
	plantest.Mutants(full, func(way string, x any) {
		n++
		after := render.Render(plantest.Bytes(t, x), first)
		if body(render.Render(plantest.Bytes(t, x), whole)) == body(all) {
			t.Errorf("plan%s does not show", way)
		}
		if body(after) == body(before) {
			if hidden++; !leftOut.MatchString(way) {
				t.Errorf("plan%s does not show on the first page", way)
			}
		}
		if after.PlanHash == before.PlanHash {
			t.Errorf("plan%s does not change the hash", way)
		}
	})
	if n < 150 || n-hidden < 60 {
		t.Errorf("only %d mutants, %d on the first page", n, n-hidden)
	}
	// What is empty does not look like something with that name.
	for _, pair := range [][2]any{
		{map[string]any{"effects": map[string]any{"write": []any{}}},
			map[string]any{"effects": map[string]any{"write": []any{"nothing"}}}},
		{map[string]any{"opaque": []any{}}, map[string]any{"opaque": []any{"nothing"}}},
		{map[string]any{"agent_says": ""}, map[string]any{"agent_says": "nothing"}},
		{map[string]any{"x": ""}, map[string]any{"x": []any{}}},
		{map[string]any{"x": ""}, map[string]any{"no": "x"}},
		{map[string]any{"x": "5"}, map[string]any{"x": 5}},
		{map[string]any{"x": "[]"}, map[string]any{"x": []any{nil}}},
		{map[string]any{"x": "a \u00b7 y b"}, map[string]any{"x": "a", "y": "b"}},
		{map[string]any{"context": map[string]any{}}, map[string]any{}},
		{map[string]any{"effects": map[string]any{}}, map[string]any{}},
	} {
		a, b := render.Render(plantest.Bytes(t, pair[0]), whole),
			render.Render(plantest.Bytes(t, pair[1]), whole)
		if body(a) == body(b) {
			t.Errorf("%v and %v show alike:\n%s", pair[0], pair[1], a.Text())
		}
	}
	// The order of calls counts.
	two := func(a, b string) []byte { return plantest.Small(t, nil, a, b) }
	if plan.Hash(two("a", "b")) == plan.Hash(two("b", "a")) {
		t.Error("the order of calls does not change the hash")
	}
}

// B-R5.3: twelve digits of the hash are on the page in three groups.
func TestPrefix(t *testing.T) {
	p := render.Render(plantest.Small(t, nil), render.Options{})
	h := p.PlanHash
	if want := "━━ plan " + h[:4] + " " + h[4:8] + " " + h[8:12]; !strings.Contains(p.Text(),
		want) {
		t.Errorf("no %q in\n%s", want, p.Text())
	}
	if plan.Prefix("short") != "short" {
		t.Error("a short hash has no prefix")
	}
}

func FuzzInert(f *testing.F) {
	for _, command := range attacks(f) {
		f.Add(command, command+" ")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := render.Inert(a), render.Inert(b)
		if (x == y) != (a == b) {
			t.Fatalf("%q and %q both show as %q", a, b, x)
		}
		if back, err := render.Restore(x); err != nil || back != a {
			t.Fatalf("%q shows as %q and comes back as %q, %v", a, x, back, err)
		}
		checkInert(t, render.Page{Lines: []string{x}}, 1<<30)
		if back, err := render.Restore(a); err == nil && render.Inert(back) != a {
			t.Fatalf("%q restores to %q, which shows otherwise", a, back)
		}
	})
}

func FuzzRender(f *testing.F) {
	for _, command := range attacks(f) {
		f.Add(command, "key", 3, 9)
	}
	f.Fuzz(func(t *testing.T, command, key string, start, end int) {
		plan := everywhere(command)
		plan[key] = command
		if _, ok := plan["tool_calls"].([]any); !ok {
			return
		}
		if key != "reasons" {
			plan["reasons"] = []any{map[string]any{"verdict": "ask", "span": []any{start, end}}}
		}
		checkPage(t, plan, command)
		raw := render.Render([]byte(command), render.Options{Full: true})
		if back, err := render.Decode(raw.Text(), 0); err != nil || string(back) != command {
			t.Fatalf("bytes %q came back as %q, %v", command, back, err)
		}
	})
}

func BenchmarkRender100k(b *testing.B) {
	for _, c := range []struct {
		name string
		text string
		full bool
	}{{"ascii", "echo hello world; ", false}, {"ascii-full", "echo hello world; ", true},
		{"attack", "\u202e\x1b[2K\xff \u0455", false}} {
		b.Run(c.name, func(b *testing.B) {
			p := plantest.Small(b, func(p map[string]any) {
				p["tool_calls"] = []any{map[string]any{"tool_call_id": "c1",
					"args": map[string]any{"command": strings.Repeat(c.text, 100<<10/len(c.text))}}}
			})
			b.SetBytes(int64(len(p)))
			for b.Loop() {
				render.Render(p, render.Options{Full: c.full})
			}
		})
	}
}
