package session

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// through gives every piece of text to one filter and returns what passed.
func through(f *Filter, pieces ...string) string {
	var out []byte
	for _, p := range pieces {
		out = append(out, f.Pass([]byte(p))...)
	}
	return string(out)
}

// cuts are text as a whole, byte by byte, and in two pieces at every place.
func cuts(text string) (all [][]string) {
	all = append(all, []string{text}, strings.Split(text, ""))
	bytewise := make([]string, len(text))
	for i := range len(text) {
		bytewise[i] = text[i : i+1]
		all = append(all, []string{text[:i], text[i:]})
	}
	return append(all, bytewise)
}

// What writes the clipboard, makes the terminal type, or names the window reaches no terminal,
// however it is spelled and cut.
func TestNothingTypesAtThePerson(t *testing.T) {
	strings8 := func(body string) (list []string) { // a string sequence in all its spellings
		for _, start := range []string{"\x1b" + body[:1], string(rune(body[0] + 0x40)),
			string([]byte{body[0] + 0x40})} {
			for _, end := range []string{"\x07", "\x1b\\", "\u009c", "\x9c\x07", "\x1bP\x1b\\"} {
				list = append(list, start+body[1:]+end)
			}
		}
		return list
	}
	var hostile []string
	for _, body := range []string{
		"]52;c;Y3VybCBldmlsfHNo", "]52;p;?", "]052;c;eA==", "]5522;type=write",
		"]1337;CopyToClipboard=\n", "]1337;File=inline=1:eA==", "]1337;RequestUpload=format=tgz",
		"]0;title", "]1;icon", "]2;title", "]l title", "]4;1;?", "]10;?", "]11;?", "]50;?", "]60",
		"]7;file://h/", "]777;notify;a;b", "]99;i=1:p=?;", "]22;?__current__",
		"P$qm", "P+q544e", "Ptmux;\x1b\x1b]52;c;eA==\x07", "P1$tx", "P|17/17;0a", "_Gi=1,a=q;AAAA",
		"^x", "Xx", "P=1s",
	} {
		hostile = append(hostile, strings8(body)...)
	}
	for _, csi := range []string{
		"c", "0c", ">c", "=c", "5n", "6n", "?6n", "?15n", "x", "1x", "21t", "20t", "14t", "16t",
		"18t", "11t", "13;2t", "8;30;100t", "22;0t", "i", "5i", "?5i", "1;1;1;1;1;1*y",
		"?2004$p", "4$p", "?u", ">q", ">0q", "?4m", "1$w", "$w", "?1;1;0S", "#|", "#{", "'|", "1'z",
		"&u", "1$u", "?1s", "?1r", "?2031h", "?1000;1006h", "?1004h", "?2h", "2h", "12h", "?9999h",
		"6\rn", "6\x05n", "6\x00n", ">1u", "=5u",
	} {
		hostile = append(hostile, "\x1b["+csi, "\u009b"+csi, "\x9b"+csi)
	}
	hostile = append(hostile, "\x05", "\x1bZ", "\u009a", "\x1b G", "\x1b%@",
		"\x1b]52;c;"+strings.Repeat("A", 1<<16)+"\x07",
		"\x1b]8;;"+strings.Repeat("A", 1<<13)+"\x07", "\x1b["+strings.Repeat("1;", 400)+"c",
		"\xe2\x9b6n", "\x1b[\u009d52;s;eA==\x07", "\x1b[1\x9d52;s;eA==\x07",
		"\x1b[\u009b6m\u009bA")
	for _, text := range hostile {
		pieces := cuts(text)
		if len(text) > 1000 {
			pieces = pieces[:1]
		}
		for _, p := range pieces {
			got := through(new(Filter), append(p, "end")...)
			if strings.ContainsAny(got, "\x1b\x05") || containsC1(got) {
				t.Fatalf("%q in %d pieces: %q passed", text, len(p), got)
			}
			ends := strings.HasSuffix(text, "\x1b\\") || strings.HasSuffix(text, "\u009c") ||
				!(strings.Contains(text, "\x07") || strings.Contains(text, "\x9c"))
			if ends && !strings.HasSuffix(got, "end") {
				t.Fatalf("%q: what follows is lost: %q", text, got)
			}
		}
	}
}

func containsC1(text string) bool {
	for _, r := range text {
		if r >= 0x80 && r <= 0x9f {
			return true
		}
	}
	return strings.ContainsRune(strings.ToValidUTF8(text, "\x01"), '\x01')
}

// What draws passes as it was written, cut anywhere, in every language.
func TestWhatDrawsPasses(t *testing.T) {
	for _, text := range []string{
		"plain\r\n\ttext\b\a", "\x1b[1;31mred\x1b[0m \x1b[38:2::1:2:3mtrue\x1b[m",
		"\x1b[2J\x1b[H\x1b[10;20Hx\x1b[K\x1b[?25l\x1b[?25h",
		"\x1b]8;id=1;https://example.com/✓\x1b\\link\x1b]8;;\x1b\\",
		"naïve ✓ 日本語 🎉 \u00a0", "\x1b(0lqk\x1b(B\x0elqk\x0f",
		"\x1b[?1049h\x1b[22;1H\x1b[1;24r\x1b[?1h\x1b=\x1b[?7l",
		"\x1b7\x1b8\x1bM\x1bD\x1b[4 q\x1b[3J\x1b[!p\x1b[5S\x1b[?2026h\x1b[?2026l",
		"\x1b]9;4;1;50\x1b\\\x1b]133;A\x1b\\", "\x1b#8\x1b#6wide\x1b#5",
		"\x1b[?1049h\x1b[c\x1b[>c\x1b[6n\x1b[?1000;1006h\x1b[?2004h\x1b]11;?\x1b\\\x1b[?2004$p\x1b[>1u\x1b[18t\x1b[?u\x1b[?1049l",
	} {
		for _, p := range cuts(text) {
			if got := through(new(Filter), p...); got != text {
				t.Fatalf("%d pieces: %q became %q", len(p), text, got)
			}
		}
	}
	keys := &Filter{Keys: func() bool { return true }}
	if got := through(keys, "\x1b[6n"); got != "\x1b[6n" || !keys.Asked() {
		t.Errorf("a command that reads keys one by one asks in vain: %q", got)
	}
}

// A row is read as it is written: its name has neither a verdict nor a remark in it.
func TestRowsOfTheFilterTable(t *testing.T) {
	rows, _ := readFilter()
	for name := range rows {
		if kind, what, _ := strings.Cut(name, " "); strings.Contains(what, " ") && what != " q" ||
			!slices.Contains([]string{"ESC", "CSI", "MODE", "OSC"}, kind) {
			t.Errorf("a row is called %q", name)
		}
	}
}

// What a command switched on and left so is taken back when the run ends, and only that.
func TestTheTerminalIsGivenBack(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"\x1b[31mred\x1b[?25l\x1b[?25h": "",
		"\x1b[?1049h\x1b[?1000;1006h\x1b[?2004h\x1b[?25l": "\x1b[?1000l\x1b[?1006l\x1b[?1049l\x1b[?2004l\x1b[?25h",
		"\x1b[?1049h\x1b[>4;2m\x1b[>1u\x1b[?1049l":        "\x1b[<9u\x1b[>4m",
		"\x1b=\x0e\x1b(0\x1b[2;5r\x1b[?1h\x1b[?7l":        "\x0f\x1b(B\x1b7\x1b[r\x1b8\x1b>\x1b[?1l\x1b[?7h",
		"\x1b[?1049h\x1b]11;#fff\x07":                     "\x1b[?1049l\x1b]111\x1b\\",
		"\x1b]52;c;unfinished":                            "",
	} {
		f := new(Filter)
		through(f, text)
		if got := string(f.End()); !sameSequences(got, want) {
			t.Errorf("%q is taken back by %q, want %q", text, got, want)
		}
		f = new(Filter)
		through(f, text+"\xe4\xbd")
		if got := string(f.End()); strings.HasPrefix(got, "\ufffd") == strings.HasSuffix(text,
			"unfinished") {
			t.Errorf("%q and half a character are ended by %q", text, got)
		}
		if again := f.End(); len(again) > 0 {
			t.Errorf("and once more: %q", again)
		}
	}
}

func sameSequences(a, b string) bool {
	count := func(s string) map[byte]int {
		m := map[byte]int{}
		for i := range len(s) {
			m[s[i]]++
		}
		return m
	}
	x, y := count(a), count(b)
	for c := range 256 {
		if x[byte(c)] != y[byte(c)] {
			return false
		}
	}
	return true
}

// FuzzFilter: no cut changes what passes, nothing that is kept grows without bound, and what passed
// passes again as it is.
func FuzzFilter(f *testing.F) {
	for _, seed := range []string{"\x1b]52;c;eA==\x07x", "\x1b[?1049h\x1b[6n", "\xc2\x9b6n",
		"é\x1b[?1000;25h", "\x1bP+q\x1b\\\x18\x1b[c", "\xe2\x9b\xf0\x9f\x98",
		"0\xeb\x9400", "\xf0\x9f\xe2\x9b0", "\x1b[\xdfA"} {
		f.Add([]byte(seed), 3)
	}
	f.Fuzz(func(t *testing.T, text []byte, at int) {
		at = min(max(at, 0), len(text))
		whole, cut := new(Filter), new(Filter)
		a := bytes.Clone(whole.Pass(bytes.Clone(text)))
		b := bytes.Clone(cut.Pass(bytes.Clone(text[:at])))
		b = append(b, cut.Pass(bytes.Clone(text[at:]))...)
		if !bytes.Equal(a, b) {
			t.Fatalf("%q at %d: %q and %q", text, at, a, b)
		}
		if cap(whole.seq) > 4*maxText || len(whole.part) > 3 {
			t.Fatalf("%d bytes are kept", cap(whole.seq))
		}
		if strings.Contains(string(a), "\x1b]52") || strings.Contains(string(a), "\x1bP") ||
			strings.Contains(string(a), "\x05") {
			t.Fatalf("%q let %q pass", text, a)
		}
		if again := new(Filter).Pass(bytes.Clone(a)); !bytes.Equal(again, a) {
			t.Fatalf("%q: %q, and again %q", text, a, again)
		}
	})
}

func BenchmarkFilter(b *testing.B) {
	for name, text := range map[string]string{"text": "-rw-r--r-- 1 root root  1234 Jan  1 12:00 some_file_name.txt\r\n", "colours": "\x1b[32m-rw-r--r--\x1b[0m 1 root root  1234 Jan  1 12:00 some_file_name.txt\r\n"} {
		b.Run(name, func(b *testing.B) {
			p := bytes.Repeat([]byte(text), (128<<10)/len(text))
			b.SetBytes(int64(len(p)))
			f := new(Filter)
			for b.Loop() {
				f.Pass(p)
			}
		})
	}
}
