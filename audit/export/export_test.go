package export

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/play"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// record makes a transcript with 1.5 ms between two events.
func record(t testing.TB, h audit.Header, session func(*audit.Recorder)) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.cast")
	var now time.Duration
	r, err := audit.Create(path, h, audit.RecordOptions{Now: func() time.Duration { now += 1500 * time.Microsecond; return now }, Rand: rand.Reader})
	must(t, err)
	session(r)
	_, err = r.Close()
	must(t, err)
	b, err := os.ReadFile(path)
	must(t, err)
	return b
}

func sample(t testing.TB) []byte {
	return record(t, audit.Header{Cols: 100, Rows: 30, Term: "xterm", Time: time.Unix(1767225600, 0), Command: `echo "<hi>"`}, func(r *audit.Recorder) {
		must(t, r.Output(audit.CodeOutput, []byte("\x1b[32m$\x1b[0m make\r\n 10%\r100%\r\n")))
		must(t, r.Output(audit.CodeStderr, []byte("\x1b]0;t\x07warn\n")))
		must(t, r.Input("human:1@x", []byte{0xff, '\r'}))
		must(t, r.Resize(120, 40))
		must(t, r.Mark("here"))
		must(t, r.Signal("human:1@x", "INT"))
		must(t, r.Hidden(audit.CodeInput, "human:1@x", []byte("secret")))
		must(t, r.Gap(99, audit.Hash{}))
		must(t, r.Exit("130"))
	})
}

func exported(t *testing.T, cast []byte, f func(io.Writer, io.Reader) error) []string {
	t.Helper()
	var b bytes.Buffer
	must(t, f(&b, bytes.NewReader(cast)))
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

func compare(t *testing.T, got []string, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d lines, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
		return
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("line %d is\n%s\nwant\n%s", i, got[i], want[i])
		}
	}
}

const header = `{"version":3,"term":{"cols":100,"rows":30,"type":"xterm"},"timestamp":1767225600,"command":"echo \"<hi>\""}`

func TestCast(t *testing.T) {
	compare(t, exported(t, sample(t), Cast), header,
		`[0.001500,"o","\u001b[32m$\u001b[0m make\r\n 10%\r100%\r\n"]`,
		`[0.001500,"o","\u001b]0;t\u0007warn\r\n"]`,
		`[0.001500,"i","`+"\ufffd"+`\r"]`,
		`[0.003000,"r","120x40"]`,
		`[0.001500,"m","here"]`,
		`[0.004500,"m","99 bytes of output not kept"]`,
		`[0.001500,"x","130"]`)
	// Line ends of a pipe become those of a terminal; what was removed is named.
	cast := record(t, audit.Header{}, func(r *audit.Recorder) {
		must(t, r.Output(audit.CodeOutput, []byte("one\ntwo")))
		must(t, r.Output(audit.CodeOutput, []byte("gone")))
	})
	var redacted bytes.Buffer
	_, err := audit.Redact(&redacted, bytes.NewReader(cast), []int64{1})
	must(t, err)
	compare(t, exported(t, redacted.Bytes(), Cast), `{"version":3,"term":{"cols":80,"rows":24}}`,
		`[0.001500,"o","one\r\ntwo"]`, `[0.001500,"o","[redacted, 4 bytes]"]`)
}

// In the older format times count from the start, and the header is spelled differently.
func TestCast2(t *testing.T) {
	compare(t, exported(t, sample(t), Cast2),
		`{"version":2,"width":100,"height":30,"timestamp":1767225600,"command":"echo \"<hi>\"","env":{"TERM":"xterm"}}`,
		`[0.001500,"o","\u001b[32m$\u001b[0m make\r\n 10%\r100%\r\n"]`,
		`[0.003000,"o","\u001b]0;t\u0007warn\r\n"]`,
		`[0.004500,"i","`+"\ufffd"+`\r"]`,
		`[0.007500,"r","120x40"]`,
		`[0.009000,"m","here"]`,
		`[0.013500,"m","99 bytes of output not kept"]`)
}

// Marks of the log are placed between the events, by their time, and never before the previous
// mark.
func TestMarksBetween(t *testing.T) {
	marks := inOrder([]play.Mark{{At: time.Hour, Label: "late"},
		{At: 3200 * time.Microsecond, Label: "between\x1b"}, {Label: "first"}})
	got := exported(t, sample(t),
		func(w io.Writer, r io.Reader) error { return cast(w, r, caster{marks: marks}) })
	compare(t, got, header,
		`[0.000000,"m","first"]`,
		`[0.001500,"o","\u001b[32m$\u001b[0m make\r\n 10%\r100%\r\n"]`,
		`[0.001500,"o","\u001b]0;t\u0007warn\r\n"]`,
		`[0.000200,"m","between`+"\ufffd"+`"]`,
		`[0.001300,"i","`+"\ufffd"+`\r"]`,
		`[0.003000,"r","120x40"]`,
		`[0.001500,"m","here"]`,
		`[0.004500,"m","99 bytes of output not kept"]`,
		`[0.001500,"x","130"]`,
		`[3599.985000,"m","late"]`)
}

// The format of the lines is a promise.
func TestJSON(t *testing.T) {
	got := exported(t, sample(t), JSON)
	for _, l := range got {
		if !json.Valid([]byte(l)) {
			t.Errorf("not JSON: %s", l)
		}
	}
	compare(t, append(got[:5:5], got[8], got[9]), header,
		`{"seq":0,"time_us":1500,"code":"o","author":"program","length":28,"text":"\u001b[32m$\u001b[0m make\r\n 10%\r100%\r\n"}`,
		`{"seq":1,"time_us":3000,"code":"e","author":"program","length":11,"text":"\u001b]0;t\u0007warn\n"}`,
		`{"seq":2,"time_us":4500,"code":"i","author":"human:1@x","length":2,"base64":"/w0="}`,
		`{"seq":4,"time_us":7500,"code":"r","author":"tada","length":0,"text":"120x40"}`,
		`{"seq":8,"time_us":13500,"code":"g","author":"tada","length":99,"text":"99 0000000000000000000000000000000000000000000000000000000000000000"}`,
		`{"seq":9,"time_us":15000,"code":"x","author":"tada","length":0,"text":"130"}`)
}

func TestText(t *testing.T) {
	compare(t, exported(t, sample(t), Text), "$ make", "100%", "warn",
		"[99 bytes of output not kept]")
}

// What does not verify is not exported, in any format.
func TestUnproven(t *testing.T) {
	spoilt := bytes.Replace(sample(t), []byte("warn"), []byte("WARN"), 1)
	for name, f := range map[string]func(io.Writer, io.Reader) error{
		"cast": Cast, "json": JSON, "txt": Text,
		"html": func(w io.Writer, r io.Reader) error { return HTML(w, r, Page{}) },
	} {
		var b bytes.Buffer
		var bad *audit.BadEntry
		if err := f(&b, bytes.NewReader(spoilt)); !errors.As(err, &bad) || bad.Seq != 1 {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(b.String(), "make") || strings.Contains(b.String(), "WARN") {
			t.Errorf("%s holds the wrong part", name)
		}
		if name == "html" &&
			(!strings.Contains(b.String(), "shown up to here") ||
				!strings.HasSuffix(b.String(), "</html>\n")) {
			t.Error("the page does not say where it ends")
		}
		if err := f(io.Discard, strings.NewReader("")); err == nil {
			t.Errorf("%s: an empty file was exported", name)
		}
	}
}

// The files of other authors are those that the package comment lists.
func TestVendoredPlayer(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	must(t, err)
	for name, text := range map[string]string{
		"asciinema-player.min.js": playerScript, "asciinema-player.css": playerStyle, "LICENSE": playerLicense,
	} {
		sum := sha256.Sum256([]byte(text))
		if !regexp.MustCompile(regexp.QuoteMeta(name) + ` +` +
			hex.EncodeToString(sum[:])).Match(doc) {
			t.Errorf("%s has SHA-256 %x, which the table does not say", name, sum)
		}
	}
	if !strings.Contains(playerLicense, "Apache License") {
		t.Error("the licence is another one")
	}
}

const attack = `</script></title></style><script>document.title="pwned"</script><img src=x onerror="document.title='pwned'"><!--<script>&amp;` + "\u2028\u202e\x00\x1b]0;x\x07`${1}`"

func hostile(t testing.TB) []byte {
	return record(t, audit.Header{Cols: 60, Rows: 8, Command: attack, Title: attack, Env: map[string]string{"X": attack}}, func(r *audit.Recorder) {
		must(t, r.Output(audit.CodeOutput, []byte("first line\r\n"+attack+"\r\n")))
		must(t, r.Mark(attack+" mark of the session"))
		must(t, r.Input("human:"+attack, []byte(attack)))
		must(t, r.Output(audit.CodeOutput, []byte("\x1b[31mlast line\x1b[0m\r\n")))
		must(t, r.Exit("0"))
	})
}

func hostilePage(t testing.TB) []byte {
	var b bytes.Buffer
	must(t, HTML(&b, bytes.NewReader(hostile(t)), Page{
		Title: "evil " + attack, Verdict: Proven, Reason: "fine " + attack,
		Facts: []Fact{{attack, attack},
			{"Exit status", "0"}},
		Marks: []play.Mark{{At: time.Millisecond, Label: attack + " mark of the log"}},
	}))
	return b.Bytes()
}

// E-dsp-9: what was recorded is text in the page, never markup.
func TestPageIsInert(t *testing.T) {
	page := string(hostilePage(t))
	own := strings.NewReplacer(playerScript, "", playerStyle, "", pageScript, "").Replace(page)
	before, data, _ := strings.Cut(own, `id="cast">`)
	data, after, _ := strings.Cut(data, "</script>")
	_, data, _ = strings.Cut(data, "\n") // the header, which the player does not draw
	if strings.ContainsAny(data, "<\x00\x1b\u2028\u202e") {
		t.Error("the data block can end, or shows other words")
	}
	for _, bad := range []string{"<script>document", "<img", "<!--", "\u202e", "\u2028",
		"\x1b", "\x00"} {
		if strings.Contains(before+after, bad) {
			t.Errorf("%q stands in the page", bad)
		}
	}
	if n := strings.Count(own, "<script"); n != 3 {
		t.Errorf("%d scripts", n)
	}
	if n := strings.Count(own, "</script>"); n != 3 {
		t.Errorf("%d ends of scripts", n)
	}
	for _, want := range []string{"default-src 'none'", "'wasm-unsafe-eval'", "base-uri 'none'",
		"&lt;img src=x", "Verified"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(page, "unsafe-inline") || strings.Contains(page, "'unsafe-eval'") {
		t.Error("the policy is loose")
	}
	if m := regexp.MustCompile(`(?i)(src|href|action)\s*=\s*["']?(https?:)?//`).FindString(own); m != "" {
		t.Errorf("the page fetches %s", m)
	}
}

// Players do not know about authors, so on a page the echo has a colour of its own.
func TestPageTellsWhoTyped(t *testing.T) {
	session := record(t, audit.Header{}, func(r *audit.Recorder) {
		must(t, r.Output(audit.CodeOutput, []byte("$ ")))
		must(t, r.Input("human:1@x", []byte("date\r")))
		must(t, r.Output(audit.CodeOutput, []byte("date\r\nMonday\r\n")))
	})
	var page bytes.Buffer
	must(t, HTML(&page, bytes.NewReader(session), Page{}))
	const typed = `"\u001b[0;4;38;5;3mdate\u001b[0m\r\nMonday\r\n"]`
	if !strings.Contains(page.String(), typed) {
		t.Errorf("who typed is not told in\n%.2000s",
			strings.SplitAfter(page.String(), `id="cast">`)[1])
	}
	if got := strings.Join(exported(t, session, Cast), "\n"); strings.Contains(got, "38;5;3") {
		t.Errorf("a cast holds what the program did not write:\n%s", got)
	}
}

// The size of a session on a page is limited.
func TestPageTooLarge(t *testing.T) {
	in := &inert{w: io.Discard, left: 100}
	if _, err := in.Write(make([]byte, 101)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%v", err)
	}
}

// The page plays in a real browser: the player test. So does a transcript from the state directory,
// with its own comments and events.
func TestPagePlays(t *testing.T) {
	t.Parallel()
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			browser = p
			break
		}
	}
	if browser == "" {
		t.Skip("needs Chromium, and there is none")
	}
	page := string(hostilePage(t))
	before, rest, _ := strings.Cut(page, `id="cast">`)
	_, after, _ := strings.Cut(rest, "</script>")
	transcript := before + `id="cast">` + strings.ReplaceAll(string(hostile(t)), "<", `\u003c`) +
		"</script>" + after
	plays(t, browser, page, "first line", "last line", "</script>", "mark of the log",
		"mark of the session")
	plays(t, browser, transcript, "first line", "last line", "</script>", "mark of the session")
}

// plays requires that a page draws these words, and that nothing takes it over.
func plays(t *testing.T, browser, html string, want ...string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	must(t, os.WriteFile(file, []byte(html), 0o600))
	dom := func(budget string) (string, string) {
		cmd := exec.CommandContext(t.Context(), browser, "--headless", "--no-sandbox",
			"--disable-gpu", "--disable-dev-shm-usage",
			"--user-data-dir="+t.TempDir(), "--enable-logging=stderr", "--virtual-time-budget="+budget, "--dump-dom", "file://"+file+"#play")
		var out, log bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &log
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v\n%s", err, log.String())
		}
		return out.String(), log.String()
	}
	tags := regexp.MustCompile(`<[^>]*>`)
	missing, drawn := want, ""
	// Its time is not that of the threads that compile the player: one that has drawn nothing by
	// then tries again.
	for try := range 30 {
		page, log := dom(strconv.Itoa(5000 << (try % 5)))
		if strings.Contains(log, "Content Security Policy") || strings.Contains(log, "CONSOLE") {
			t.Errorf("the browser complains: %s", log)
		}
		if strings.Contains(page, "<title>pwned") || strings.Contains(page, "<img") {
			t.Error("the recording took over the page")
		}
		_, screen, ok := strings.Cut(page, `class="ap-player`)
		if !ok {
			t.Fatalf("no player was drawn:\n%.3000s", page)
		}
		screen, _, _ = strings.Cut(screen, "<section")
		drawn = strings.NewReplacer("&lt;", "<", "&gt;",
			">", "&amp;", "&").Replace(tags.ReplaceAllString(screen, ""))
		missing = slices.DeleteFunc(slices.Clone(want),
			func(w string) bool { return strings.Contains(drawn, w) })
		if len(missing) == 0 {
			return
		}
	}
	t.Errorf("%q is not drawn:\n%.2000s", missing, drawn)
}

// asciinema's own program accepts what Cast2 writes and, from version 3 on, what Cast writes.
func TestCastInAsciinema(t *testing.T) {
	bin, err := exec.LookPath("asciinema")
	if err != nil {
		t.Skip("needs asciinema, and there is none")
	}
	dir := t.TempDir()
	asciinema := func(args ...string) []byte {
		cmd := exec.CommandContext(t.Context(), bin, args...)
		// version 2 refuses other encodings
		cmd.Env = append(os.Environ(), "HOME="+dir, "LC_ALL=C.UTF-8")
		// version 2 opens /dev/tty even to write a file
		master, tty, err := pty.Open()
		must(t, err)
		defer master.Close()
		defer tty.Close()
		cmd.Stdin, cmd.SysProcAttr = tty, &syscall.SysProcAttr{Setsid: true, Setctty: true}
		var problems bytes.Buffer
		cmd.Stderr = &problems
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v: %s", args, err, problems.Bytes())
		}
		return out
	}
	version := string(bytes.TrimSpace(asciinema("--version")))
	third := regexp.MustCompile(` ([3-9]|\d\d)\.`).MatchString(version)
	// Of 32 KiB and more, in many scripts, and with an end that is not a line.
	long := record(t, audit.Header{Cols: 80, Rows: 24, Time: time.Unix(1767225600, 0), Env: map[string]string{"LANG": "C"}}, func(r *audit.Recorder) {
		must(t, r.Output(audit.CodeOutput, []byte("\x00\x1b[1m\u20ac \U0001f642 \"\\\xff"+strings.Repeat("0123456789abcde\n", 5000))))
		must(t, r.Exit("0"))
	})
	for name, session := range map[string][]byte{"sample": sample(t), "long": long} {
		var want bytes.Buffer
		must(t, cast(&want, bytes.NewReader(session), caster{}))
		shown := drawn(t, want.Bytes())
		for format, write := range map[string]func(io.Writer, io.Reader) error{"v3": Cast, "v2": Cast2} {
			if format == "v3" && !third {
				continue
			}
			in := filepath.Join(dir, name+format)
			f, err := os.Create(in)
			must(t, err)
			must(t, write(f, bytes.NewReader(session)))
			must(t, f.Close())
			got := []byte(nil)
			if third {
				out := in + ".raw"
				asciinema("convert", "--output-format", "raw", in, out)
				got, err = os.ReadFile(out)
				must(t, err)
			} else {
				got = asciinema("cat", in)
			}
			if !bytes.Contains(got, shown) { // version 3 puts the size before it
				t.Errorf("%s reads other bytes out of %q as %s: %.200q, want %.200q", version, name,
					format, got, shown)
			}
		}
	}
}

// drawn returns the bytes that a cast draws.
func drawn(t *testing.T, cast []byte) (all []byte) {
	t.Helper()
	_, events, _ := bytes.Cut(cast, []byte("\n"))
	for line := range bytes.Lines(events) {
		var e [3]any
		must(t, json.Unmarshal(line, &e))
		if e[1] == "o" {
			all = append(all, e[2].(string)...)
		}
	}
	return all
}

func FuzzPage(f *testing.F) {
	f.Add([]byte(attack), attack)
	f.Fuzz(func(t *testing.T, out []byte, title string) {
		cast := record(t, audit.Header{Command: title},
			func(r *audit.Recorder) { must(t, r.Output(audit.CodeOutput, out)) })
		var b bytes.Buffer
		must(t, HTML(&b, bytes.NewReader(cast),
			Page{Title: title, Facts: []Fact{{title, title}}, Marks: []play.Mark{{Label: title}}}))
		page := strings.NewReplacer(playerScript, "", playerStyle, "").Replace(b.String())
		if strings.Count(page, "<script") != 3 || strings.Count(page, "</script>") != 3 ||
			strings.Contains(page, "<!--") {
			t.Errorf("%q and %q change the page", out, title)
		}
	})
}
