package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What a recorded program can do to the terminal of the person who watches.
func TestTame(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"text", "hello, wörld €\r\n\tx\b", "hello, wörld €\r\n\tx\b"},
		{"colour", "\x1b[1;38;5;196mred\x1b[0m", "\x1b[1;38;5;196mred\x1b[0m"},
		{"true colour with colons", "\x1b[38:2::1:2:3m", "\x1b[38:2::1:2:3m"},
		{"cursor", "\x1b[2J\x1b[H\x1b[10;20f\x1b[K\x1b7\x1b8\x1bM", "\x1b[2J\x1b[H\x1b[10;20f\x1b[K\x1b7\x1b8\x1bM"},
		{"alternate screen", "\x1b[?1049h\x1b[?25l", "\x1b[?1049h\x1b[?25l"},
		{"line drawing", "\x1b(0qqq\x1b(B", "\x1b(0qqq\x1b(B"},

		{"clipboard", "a\x1b]52;c;cm0gLXJm\x07b", "ab"},
		{"clipboard, ST", "a\x1b]52;c;cm0gLXJm\x1b\\b", "ab"},
		{"title", "a\x1b]0;title\x07b", "ab"},
		{"title report", "a\x1b[21tb", "ab"},
		{"window size, move, iconify", "a\x1b[8;1;1t\x1b[3;9;9t\x1b[2tb", "ab"},
		{"hyperlink", "\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\", "click"},
		{"DCS", "a\x1bP$qm\x1b\\b", "ab"},
		{"DECUDK", "a\x1bP0;0|17/6c730d\x1b\\b", "ab"},
		{"APC, PM, SOS", "a\x1b_x\x1b\\\x1b^y\x1b\\\x1bXz\x1b\\b", "ab"},
		{"device attributes", "a\x1b[c\x1b[>c\x1b[=c\x1b[0cb", "ab"},
		{"status reports", "a\x1b[5n\x1b[6n\x1b[?6nb", "ab"},
		{"mode query", "a\x1b[?25$p\x1b[4$pb", "ab"},
		{"XTVERSION", "a\x1b[>0qb", "ab"},
		{"terminal parameters", "a\x1b[xb", "ab"},
		{"answerback", "a\x05b", "ab"},
		{"bell", "a\x07b", "ab"},
		{"mouse, paste and focus modes", "a\x1b[?1000h\x1b[?1006h\x1b[?2004h\x1b[?1004hb", "ab"},
		{"application keys", "a\x1b[?1hb", "ab"},
		{"modifyOtherKeys, kitty keys", "a\x1b[>4;2m\x1b[>1ub", "ab"},
		{"keyboard lock", "a\x1b[2hb", "ab"},
		{"print screen", "a\x1b[5i\x1b[?5ib", "ab"},
		{"LEDs", "a\x1b[1qb", "ab"},
		{"hard and soft reset", "a\x1bc\x1b[!pb", "ab"},
		{"scrollback", "a\x1b[3Jb", "ab"},
		{"repeat for ever", "a\x1b[999999999bb", "ab"},
		{"8-bit CSI as UTF-8", "a\u009b6nb", "a6nb"},
		{"8-bit OSC as UTF-8", "a\u009d0;x\u009cb", "a0;xb"},
		{"8-bit CSI raw", "a\x9b6nb", "a\ufffd6nb"},
		{"cut inside CSI", "a\x1b[1\x1b[31mb", "a\x1b[31mb"},
		{"newline inside CSI", "a\x1b[1\nmb", "amb"},
		{"cancelled string", "a\x1b]0;x\x18b", "ab"},
		{"one mode of two is bad", "a\x1b[?25;1000hb", "ab"},
		{"select character set", "a\x1b%@b", "ab"},
		{"endless string", "a\x1b]" + strings.Repeat("x", maxString) + "end", "aend"},
		{"DEL and NUL", "a\x00\x7fb", "ab"},
	} {
		var whole, bytewise tame
		got := string(whole.append(nil, []byte(c.in)))
		if got != c.want {
			t.Errorf("%s: %.60q shows as %q, want %q", c.name, c.in, got, c.want)
		}
		var b []byte
		for i := range len(c.in) {
			if c.in[i] < 0x80 {
				b = bytewise.append(b, []byte(c.in[i:i+1]))
			}
		}
		if ascii := strings.ToValidUTF8(c.in, ""); isASCII(ascii) && ascii == c.in && string(b) != c.want {
			t.Errorf("%s byte by byte: %q", c.name, b)
		}
	}
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > 0x7f }) < 0
}

// What came through once comes through again unchanged, whatever it was; and
// no byte is left that starts anything but a listed sequence.
func FuzzTame(f *testing.F) {
	for _, s := range []string{"\x1b[1mx\x1b[0m", "\x1b]52;c;x\x07", "\x1bP\x1b\\", "\xc2\x9b6n", "\x1b[?1049h\x1b[3J", "\x1b(0"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var a, b tame
		once := a.append(nil, in)
		if twice := b.append(nil, once); !bytes.Equal(once, twice) {
			t.Errorf("%q becomes %q, then %q", in, once, twice)
		}
		for i, c := range once {
			if c == 0x1b && (i+1 == len(once) || strings.IndexByte("[78DEHM=>()", once[i+1]) < 0) {
				t.Errorf("%q leaves an escape in %q", in, once)
			}
		}
		if bytes.ContainsAny(once, "\x05\x07\x90\x9b\x9c\x9d") && !validRunes(once) {
			t.Errorf("%q leaves a control in %q", in, once)
		}
	})
}

func validRunes(b []byte) bool {
	for _, r := range string(b) {
		if r >= 0x7f && r <= 0x9f || r == 5 || r == 7 {
			return false
		}
	}
	return true
}

func TestPlay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.cast")
	sample(t, path)
	cast := readAll(t, path)
	var out bytes.Buffer
	var seen []byte
	must(t, Play(t.Context(), bytes.NewReader(cast), &out, PlayOptions{NoWait: true, Watch: func(e Event) { seen = append(seen, e.Code) }}))
	if got := out.String(); !strings.HasPrefix(got, "\x1b[31mhällo\x1b[0m\r\n\"q\"\\ err\ufffd\ufffda\x1b[?1049l") {
		t.Errorf("played %q", got)
	}
	if string(seen) != "oeinohrstgmx" {
		t.Errorf("watched %s", seen)
	}
	out.Reset()
	must(t, Play(t.Context(), bytes.NewReader(cast), &out, PlayOptions{NoWait: true, Raw: true}))
	if got := out.String(); got != "\x1b[31mhällo\x1b[0m\r\n\"q\"\\ \x7ferr\xff\xfea\x00" {
		t.Errorf("played raw %q", got)
	}
	// Nothing unproven is shown.
	spoilt := bytes.Replace(cast, []byte(`"e","err"`), []byte(`"e","ERR"`), 1)
	out.Reset()
	var bad *BadEntry
	if err := Play(t.Context(), bytes.NewReader(spoilt), &out, PlayOptions{NoWait: true}); !errors.As(err, &bad) || bad.Seq != 1 {
		t.Errorf("spoilt: %v", err)
	}
	if strings.Contains(out.String(), "ERR") {
		t.Error("showed an unproven event")
	}
}

// slow records three lines that are a minute apart.
func slow(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "slow.cast")
	at := time.Duration(0)
	r, err := Create(path, Header{}, RecordOptions{Now: func() time.Duration { return at }, Rand: bytes.NewReader(make([]byte, saltBatch))})
	must(t, err)
	for i, s := range []string{"one ", "two ", "three "} {
		at = time.Duration(i+1) * time.Minute
		must(t, r.Output(CodeOutput, []byte(s)))
	}
	_, err = r.Close()
	must(t, err)
	return readAll(t, path)
}

func TestPlayTiming(t *testing.T) {
	cast := slow(t)
	var out bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := Play(ctx, bytes.NewReader(cast), &out, PlayOptions{}); !errors.Is(err, context.DeadlineExceeded) || out.Len() != 0 {
		t.Errorf("at its own speed: %v, %q", err, &out)
	}
	start := time.Now()
	must(t, Play(t.Context(), bytes.NewReader(cast), &out, PlayOptions{IdleLimit: 10 * time.Millisecond}))
	if d := time.Since(start); out.String() != "one two three " || d < 30*time.Millisecond {
		t.Errorf("with an idle limit: %q in %v", &out, d)
	}
	out.Reset()
	start = time.Now()
	must(t, Play(t.Context(), bytes.NewReader(cast), &out, PlayOptions{Speed: 6000}))
	if d := time.Since(start); out.String() != "one two three " || d < 30*time.Millisecond {
		t.Errorf("6000 times as fast: %q in %v", &out, d)
	}
}

func TestPlayKeys(t *testing.T) {
	cast := slow(t)
	for name, c := range map[string]struct {
		keys []Key
		want string
	}{
		"skip":         {[]Key{KeySkip, KeySkip, KeyQuit}, "one two "},
		"pause, quit":  {[]Key{KeyPause, KeyQuit}, ""},
		"forward":      {[]Key{KeySkip, KeyForward, KeyForward, KeyForward, KeyForward, KeyQuit}, "one "},
		"back":         {[]Key{KeySkip, KeySkip, KeyBack, KeyQuit}, "one two \x1b[0m\x1b[2J\x1b[H"},
		"next mark":    {[]Key{KeyMark}, "one two three "},
		"pause, go on": {[]Key{KeyPause, KeyPause, KeySkip, KeyQuit}, "one "},
	} {
		keys := make(chan Key)
		done := make(chan struct{})
		go func() {
			for _, k := range c.keys {
				select {
				case keys <- k:
				case <-done:
				}
			}
		}()
		var out bytes.Buffer
		if err := Play(t.Context(), bytes.NewReader(cast), &out, PlayOptions{Keys: keys}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		close(done)
		got, _, _ := strings.Cut(out.String(), "\x1b[?1049l")
		if name == "back" { // whether the first line is drawn again before the last key is heard is chance
			got = strings.TrimSuffix(got, "one ")
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestExports(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.cast")
	r := record(t, path)
	must(t, r.Output(CodeOutput, []byte("\x1b[32m$\x1b[0m make\r\n 10%\r 50%\r100%\r\nabc\b\bX\x1b[K\r\n")))
	must(t, r.Output(CodeStderr, []byte("\x1b]0;t\x07warn\n")))
	must(t, r.Input("human:1@x", []byte{0xff, '\r'}))
	must(t, r.Exit("0"))
	_, err := r.Close()
	must(t, err)
	cast := readAll(t, path)

	var text, json3, plain bytes.Buffer
	must(t, ExportText(&text, bytes.NewReader(cast)))
	if got := text.String(); got != "$ make\n100%\naX\nwarn\n" {
		t.Errorf("text %q", got)
	}
	must(t, ExportJSON(&json3, bytes.NewReader(cast)))
	lines := strings.Split(strings.TrimSpace(json3.String()), "\n")
	if len(lines) != 5 || lines[3] != `{"seq":2,"time_us":4500,"code":"i","author":"human:1@x","length":2,"base64":"/w0="}` {
		t.Errorf("json %s", json3.String())
	}
	must(t, ExportCast(&plain, bytes.NewReader(cast)))
	lines = strings.Split(strings.TrimSpace(plain.String()), "\n")
	if len(lines) != 5 || lines[2] != `[0.001500,"o","\u001b]0;t\u0007warn\n"]` || lines[4] != `[0.003000,"x","0"]` {
		t.Errorf("cast %s", plain.String())
	}
	for _, l := range lines {
		if !json.Valid([]byte(l)) {
			t.Errorf("not JSON: %s", l)
		}
	}
	if err := ExportText(io.Discard, strings.NewReader("")); err == nil {
		t.Error("an empty file was exported")
	}
}

func TestEntries(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := openTest(t, dir)
	for _, k := range []string{"exec.intent", "rec.open", "exec.start", "rec.close", "exec.end"} {
		mustAppend(t, l, k, `{"cmd":"ls","kind":"`+k+`"}`)
	}
	collect := func(f Filter) string {
		var got []string
		for e, err := range Entries(dir, f) {
			if err != nil {
				got = append(got, "bad")
				continue
			}
			got = append(got, e.Kind)
		}
		return strings.Join(got, " ")
	}
	third := time.Date(2026, 3, 1, 12, 0, 0, 3e6, time.UTC)
	for _, c := range []struct {
		f    Filter
		want string
	}{
		{Filter{}, "exec.intent rec.open exec.start rec.close exec.end"},
		{Filter{Kinds: []string{"rec."}}, "rec.open rec.close"},
		{Filter{Kinds: []string{"exec.end", "rec.open"}}, "rec.open exec.end"},
		{Filter{Since: third}, "exec.start rec.close exec.end"},
		{Filter{Until: third}, "exec.intent rec.open"},
		{Filter{Text: `"kind":"exec.s`}, "exec.start"},
		{Filter{Last: 2}, "rec.close exec.end"},
		{Filter{Match: func(e Entry) bool { return e.Seq == 1 }}, "rec.open"},
	} {
		if got := collect(c.f); got != c.want {
			t.Errorf("%+v: %s, want %s", c.f, got, c.want)
		}
	}
	b := readLog(t, dir)
	writeLog(t, dir, append([]byte("garbage\n"), append(b, "torn"...)...))
	if got := collect(Filter{Kinds: []string{"exec.end"}}); got != "bad exec.end" {
		t.Errorf("with garbage: %s", got)
	}
	for _, err := range Entries(filepath.Join(dir, "none"), Filter{}) {
		if !errors.Is(err, os.ErrNotExist) {
			t.Errorf("no log: %v", err)
		}
	}
}
