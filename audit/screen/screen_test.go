package screen

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode"
)

// What a person sees. | ends a row here; screens are 10 by 4 unless stated otherwise.
func TestPicture(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"text", "ab\r\ncd", "ab|cd"},
		{"newline is only down", "ab\ncd", "ab|  cd"},
		{"newline mode", "\x1b[20hab\ncd\x1b[20l\nef", "ab|cd|  ef"},
		{"carriage return overwrites", "100%\r 5", " 50%"},
		{"backspace", "abc\b\bX", "aXc"},
		{"tab", "a\tb", "a       b"},
		{"back tab", "a\tb\x1b[2ZX", "X       b"},
		{"tab stop set and cleared", "\x1b[3g   \x1bH\r\tx", "   x"},
		{"full line does not wrap yet", "0123456789\r\nx", "0123456789|x"},
		{"wrap", "0123456789ab", "0123456789|ab"},
		{"no wrap", "\x1b[?7l0123456789ab", "012345678b"},
		{"wrap again", "\x1b[?7l\x1b[?7h0123456789ab", "0123456789|ab"},
		{"scroll", "1\r\n2\r\n3\r\n4\r\n5", "2|3|4|5"},
		{"reverse index scrolls", "1\r\n2\x1b[H\x1bM0", "0|1|2"},
		{"next line", "a\x1bEb", "a|b"},
		{"region", "1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\nX", "1|3|X|4"},
		{"origin", "\x1b[2;3r\x1b[?6h\x1b[HX", "|X"},
		{"cursor up stops at the region", "\x1b[2;3r\x1b[3;1H\x1b[9AX", "|X"},
		{"region of one row is refused", "\x1b[2;2rX", "X"},
		{"insert line", "1\r\n2\r\n3\x1b[2H\x1b[L", "1||2|3"},
		{"delete line", "1\r\n2\r\n3\x1b[1H\x1b[M", "2|3"},
		{"insert characters", "abcd\x1b[2G\x1b[2@", "a  bcd"},
		{"delete characters", "abcd\x1b[2G\x1b[2P", "ad"},
		{"erase characters", "abcd\x1b[2G\x1b[2X", "a  d"},
		{"insert mode", "bc\r\x1b[4ha\x1b[4l", "abc"},
		{"erase to end of line", "abcd\x1b[2D\x1b[K", "ab"},
		{"erase to start of line", "abcd\x1b[2D\x1b[1K", "   d"},
		{"erase below", "1\r\n2\r\n3\x1b[2;1H\x1b[J", "1"},
		{"erase above", "1\r\n2\r\n3\x1b[2;1H\x1b[1J", "||3"},
		{"clear", "1\r\n2\x1b[2Jx", "| x"},
		{"position", "\x1b[2;3Hx\x1b[4dy\x1b[1Gz\x1b[1`w", "|  x||w  y"},
		{"position outside", "\x1b[99;99Hx", "|||         x"},
		{"repeat", "a\x1b[3b", "aaaa"},
		{"save and restore", "ab\x1b7\x1b[3;3Hx\x1b8c\x1b[s\x1b[H\x1b[ud", "abcd||  x"},
		{"alternate screen", "ab\x1b[?1049hfull\x1b[?1049lc", "abc"},
		{"alternate screen shown", "ab\x1b[?1049h\x1b[Hfull", "full"},
		{"line drawing", "\x1b(0lqk\x1b(Bq", "┌─┐q"},
		{"shifted line drawing", "\x1b)0\x0eq\x0fq", "─q"},
		{"alignment", "\x1b#8", "EEEEEEEEEE|EEEEEEEEEE|EEEEEEEEEE|EEEEEEEEEE"},
		{"full reset", "abc\x1bcx", "x"},
		{"soft reset", "\x1b[2;3r\x1b[4h\x1b[!p\x1b[Hx", "x"},
		{"wide", "日本", "日本"},
		{"wide does not fit", "\x1b[10G日", "|日"},
		{"half of a wide one is overwritten", "日\x1b[2Gx", " x"},
		{"other half is overwritten", "日\rx", "x"},
		{"wide pushed out", "\x1b[9G日\x1b[1G\x1b[1@", ""},
		{"combining", "e\u0301x", "e\u0301x"},
		{"combining at the start is lost", "\u0301x", "x"},
		{"too many combining", "e\u0301\u0302\u0303\u0304x", "e\u0301\u0302x"},
		{"combining on the last column", "0123456789\u0301", "0123456789\u0301"},
		{"not UTF-8", "a\xff\xfeb\xe2\x82c", "a\ufffd\ufffdb\ufffdc"},
		{"concealed", "a\x1b[8mb\x1b[28mc", "a c"},
		{"erased with colour", "ab\x1b[44m\x1b[K\x1b[1GX", "Xb"},
		{"controls inside a sequence", "a\x1b[1\nCb", "a|  b"},
		{"cancelled sequence", "a\x1b[3\x18b", "ab"},
		{"sequence in a sequence", "a\x1b[1\x1b[31mb", "ab"},
		{"endless string", "a\x1b]" + strings.Repeat("x", maxString+1) + "\x18end", "aend"},
		{"string ended by another", "a\x1b]0;t\x1b[1mb", "ab"},
		{"UTF-8 inside CSI", "a\x1b[1éb", "aéb"},

		{"clipboard", "a\x1b]52;c;cm0gLXJm\x07b\x1b]52;c;cm0gLXJm\x1b\\c", "abc"},
		{"reports", "a\x1b[c\x1b[>c\x1b[=c\x1b[5n\x1b[6n\x1b[?6n\x1b[?25$p\x1b[>0q\x1b[x\x1b[21t\x05\x1bZb", "ab"},
		{"window", "a\x1b[8;1;1t\x1b[3;9;9tb", "ab"},
		{"hyperlink", "\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\", "click"},
		{"DCS, APC, PM, SOS", "a\x1bP$qm\x1b\\\x1b_x\x1b\\\x1b^y\x1b\\\x1bXz\x1b\\b", "ab"},
		{"DECUDK", "a\x1bP0;0|17/6c730d\x1b\\b", "ab"},
		{"keyboard and mouse modes",
			"a\x1b[?1000h\x1b[?2004h\x1b[?1h\x1b[>4;2m\x1b[>1u\x1b[2h\x1b=b", "ab"},
		{"print", "a\x1b[5i\x1b[?5ib", "ab"},
		{"private erase is none of SGR", "\x1b[>4;1ma", "a"},
		{"C1 as UTF-8", "a\u009b6nb\u009d0;x\u009cc", "a6nb0;xc"},
		{"C1 raw", "a\x9b6nb", "a\ufffd6nb"},
		{"bidirectional override", "a\u202eb\u2066c\u200b\ufeffd", "abcd"},
		{"line and paragraph separators", "a\u2028b\u2029c", "abc"},
		{"DEL and NUL", "a\x00\x7fb", "ab"},
	} {
		whole, bytewise := New(10, 4), New(10, 4)
		whole.Write([]byte(c.in))
		for i := range len(c.in) {
			bytewise.Write([]byte(c.in[i : i+1]))
		}
		want := strings.ReplaceAll(c.want, "|", "\n") + "\n"
		if c.want == "" {
			want = ""
		}
		if got := whole.String(); got != want {
			t.Errorf("%s: %.60q shows\n%swant\n%s", c.name, c.in, got, want)
		}
		if got := bytewise.String(); got != want {
			t.Errorf("%s, byte by byte:\n%swant\n%s", c.name, got, want)
		}
	}
}

func TestStyle(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Style
	}{
		{"\x1b[1;31;44m", Style{Fg: Indexed(1), Bg: Indexed(4), Attr: Bold}},
		{"\x1b[1;2;3;4;5;7;8;9m", Style{Attr: Bold | Faint | Italic | Underline | Blink | Inverse |
			Conceal | Strike}},
		{"\x1b[1;2;3;4;5;7;8;9m\x1b[22;23;24;25;27;28;29m", Style{}},
		{"\x1b[38;5;196;1m", Style{Fg: Indexed(196), Attr: Bold}},
		{"\x1b[38:5:196;1m", Style{Fg: Indexed(196), Attr: Bold}},
		{"\x1b[38;2;1;2;3;48;2;4;5;6m", Style{Fg: RGB(1, 2, 3), Bg: RGB(4, 5, 6)}},
		{"\x1b[38:2:1:2:3m", Style{Fg: RGB(1, 2, 3)}},
		{"\x1b[38:2::1:2:3m", Style{Fg: RGB(1, 2, 3)}},
		{"\x1b[91;107m", Style{Fg: Indexed(9), Bg: Indexed(15)}},
		{"\x1b[31;42m\x1b[39;49m", Style{}},
		{"\x1b[4:3m", Style{Attr: Underline}},
		{"\x1b[4m\x1b[4:0m", Style{}},
		{"\x1b[58;2;1;2;3;1m", Style{Attr: Bold}},
		{"\x1b[58:2::1:2:3;1m", Style{Attr: Bold}},
		{"\x1b[31m\x1b[38;2;1m", Style{Fg: Indexed(1)}},
		{"\x1b[38;5;999m", Style{Fg: Indexed(255)}},
		{"\x1b[31m\x1b[m", Style{}},
		{"\x1b[31m\x1b[;1m", Style{Attr: Bold}},
		{"\x1b[?31m", Style{}},
	} {
		s := New(10, 1)
		s.Write([]byte(c.in + "x"))
		if got := s.Cell(0, 0).Style; got != c.want {
			t.Errorf("%q: %+v, want %+v", c.in, got, c.want)
		}
	}
}

func TestState(t *testing.T) {
	s := New(10, 4)
	s.Write([]byte("\x1b]0;one\x07\x1b]2;tw\x9co\x1b[31m\u202e é\x1b\\"))
	if got := s.Title(); got != "one" && got != "tw\ufffdo" {
		t.Errorf("title %q", got)
	}
	s.Write([]byte("\x1b]2;" + strings.Repeat("é", 9000) + "\x07"))
	if n := len([]rune(s.Title())); n != 256 {
		t.Errorf("a title of %d", n)
	}
	s.Write([]byte("\x1b[?25l\x1b[2;3H"))
	if x, y, shown := s.Cursor(); x != 2 || y != 1 || shown {
		t.Errorf("cursor %d %d %v", x, y, shown)
	}
	s.Write([]byte("\x1b[?5h"))
	if s.Cell(0, 0).Attr != Inverse || s.Cell(-1, 99).Rune != ' ' {
		t.Error("reverse video, or what is outside")
	}
	s.SetTag(7)
	s.Write([]byte("x\x1b[0m\x1b7\x1b8\x1b[!py"))
	if s.Cell(2, 1).Tag != 7 || s.Cell(3, 1).Tag != 7 {
		t.Error("the tag was lost")
	}
	if s.Alternate() {
		t.Error("alternate")
	}
	if cols, rows := New(-3, 1<<30).Size(); cols != 1 || rows != MaxRows {
		t.Errorf("size %d %d", cols, rows)
	}
}

func TestResize(t *testing.T) {
	var gone []string
	s := New(10, 4)
	s.Gone = func(text string, _ bool) { gone = append(gone, text) }
	s.Write([]byte("1\r\n2\r\n3\r\n4 abcdef"))
	s.Resize(5, 2)
	if got := s.String(); got != "3\n4 abc\n" || strings.Join(gone, "|") != "1|2" {
		t.Errorf("smaller: %q, gone %q", got, gone)
	}
	s.Write([]byte("\rX"))
	s.Resize(10, 4)
	s.Write([]byte("\r\nY"))
	if got := s.String(); got != "3\nX abc\nY\n" {
		t.Errorf("larger: %q", got)
	}
	s.Write([]byte("\x1b[?1049h\x1b[4;1Hfull"))
	s.Resize(3, 1)
	if got := s.String(); got != "ful\n" {
		t.Errorf("alternate: %q", got)
	}
	s.Write([]byte("\x1b[?1049l"))
	if x, y, _ := s.Cursor(); x > 2 || y > 0 {
		t.Errorf("cursor %d %d", x, y)
	}
}

// Gone gets each line once, in the order in which a person saw them.
func TestGone(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"scrolled and left", "1\r\n2\r\n3\r\n4\r\n5\r\n6", "1|2|3|4|5|6"},
		{"cleared", "1\r\n2\x1b[H\x1b[2J3", "1|2|3"},
		{"cleared from home", "1\r\n2\x1b[H\x1b[J3", "1|2|3"},
		{"full screen", "$ vi\r\n\x1b[?1049h\x1b[Hfull\x1b[?1049l$ ls", "$ vi|full|$ ls"},
		{"ends in full screen", "$ vi\r\n\x1b[?1049h\x1b[Hfull", "$ vi|full"},
		{"progress", "10%\r50%\r100%\r\ndone", "100%|done"},
		{"reset", "1\r\n2\x1bc3", "1|2|3"},
		{"wrapped", "0123456789abc\r\nx", "0123456789+|abc|x"},
		{"scrolled inside a region", "1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\nX", "1|3|X|4"},
		{"written to after full screen", "$ a\r\n$ b\x1b[?1049hx\x1b[?1049l!", "$ a||   x|$ b!"},
	} {
		s := New(10, 4)
		var got []string
		s.Gone = func(text string, wrapped bool) {
			if wrapped {
				text += "+"
			}
			got = append(got, strings.TrimRight(text, " "))
		}
		s.Write([]byte(c.in))
		s.Flush()
		if g := strings.Join(got, "|"); g != c.want {
			t.Errorf("%s: %q, want %q", c.name, g, c.want)
		}
	}
}

func TestAppeared(t *testing.T) {
	s := New(20, 4)
	foo := func(text string) bool { return strings.Contains(text, "foo") }
	for _, c := range []struct {
		in   string
		want bool
	}{
		{"fo", false}, {"o", true}, {" bar", false}, {"\r\n\r\n\r\n\r\n", false}, {"foo", true},
		{"\x1b[H\x1b[2J", false}, {"x\x1b[31mf\x1b[0moo", true}, {"\x1b[?1049h", false},
		{"foo", true}, {"\x1b[2J\x1b[Hfoo", false},
	} {
		s.Write([]byte(c.in))
		if got := s.Appeared(foo); got != c.want {
			t.Errorf("after %q: %v", c.in, got)
		}
	}
}

func TestClone(t *testing.T) {
	s := New(10, 4)
	s.Write([]byte("a\x1b[?1049h\x1b[Hb\x1b]0;half"))
	c := s.Clone()
	s.Write([]byte("\x07\x1b[?1049lZZZ\x1b[3g"))
	c.Write([]byte("title\x07c"))
	if c.Title() != "halftitle" || c.String() != "bc\n" || !c.Alternate() {
		t.Errorf("clone: %q %q", c.Title(), c)
	}
	if s.String() != "aZZZ\n" {
		t.Errorf("the original: %q", s)
	}
	if c.Bytes() < 1000 {
		t.Error("takes no memory")
	}
}

// What Width knows by itself is what the tables say.
func TestWidthIsThatOfTheTables(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if Width(r) != lookedUp(r) {
			t.Errorf("%U: %d, not %d", r, Width(r), lookedUp(r))
		}
	}
}

// For any input, nothing panics, the picture is whole, printable and no larger than the screen, and
// a clone behaves like the original.
func FuzzScreen(f *testing.F) {
	for _, s := range []string{
		"\x1b[1;31mred\x1b[0m\r\n", "\x1b[?1049h\x1b[2J日本\x1b[5;5Hé\u0301\x1b[?1049l",
		"\x1b]0;t\x07\x1bP1$r\x1b\\",
		"\x1b[2;3r\x1b[?6h\x1b[9999b\x1b[L\x1b[M\x1b[@\x1b[P\x1b[X", "\x1b(0lqk\x0e\x0f\x1b#8\x1bc",
		"\xe6\x97\x1b[4h日\b\b日\x1b[K", "日\x1b[1;1H\x1b[P\x1b[2@",
	} {
		f.Add([]byte(s), uint8(10), uint8(4))
	}
	f.Fuzz(func(t *testing.T, in []byte, cols, rows uint8) {
		s := New(int(cols), int(rows))
		s.Gone = func(text string, _ bool) { checkText(t, text) }
		half := len(in) / 2
		s.Write(in[:half])
		c, w := s.Clone(), s.Still().Screen()
		if !alike(s, w) {
			t.Fatalf("a still is another screen after %q", in[:half])
		}
		s.Write(in[half:])
		c.Write(in[half:])
		w.Write(in[half:])
		if s.String() != c.String() || s.Title() != c.Title() {
			t.Fatalf("a clone went another way after %q", in[:half])
		}
		if !alike(s, w) {
			t.Fatalf("the screen of a still went another way after %q", in[:half])
		}
		checkWhole(t, s)
		s.Resize(int(rows), int(cols))
		s.Write(in)
		checkWhole(t, s)
		s.Flush()
	})
}

// alike reports whether two screens are equal in everything, whatever memory they have to spare.
func alike(a, b *Screen) bool {
	plain := func(s *Screen) Screen {
		c := *s.Clone()
		c.Gone, c.Told, c.page = nil, nil, nil
		c.tabs, c.parser.text = append([]bool{}, c.tabs...), append([]byte{}, c.parser.text...)
		return c
	}
	return a.Alternate() == b.Alternate() && reflect.DeepEqual(plain(a), plain(b))
}

// A still takes less than a fifth of the memory, and copies of it go their own ways.
func TestStill(t *testing.T) {
	s := New(80, 24)
	for range 24 {
		s.Write([]byte("\x1b[32m-rw-r--r--\x1b[0m 1 root  1234 Jan  1 12:00 "))
		s.Write([]byte("日本e\u0301\u0302\u0303.txt"))
		s.Write([]byte(strings.Repeat(".", 29)))
	}
	s.Write([]byte("\x1b[?1049h\x1b[44mfull screen\x1b[K\x1b]0;half"))
	p := s.Still()
	if p.Bytes()*10 > s.Bytes()*2 {
		t.Errorf("%d bytes instead of %d", p.Bytes(), s.Bytes())
	}
	one, two := p.Screen(), p.Screen()
	s.Write([]byte("\x07\x1b[?1049l\x1b[3g"))
	one.Write([]byte("title\x07\x1b[3g\x1b[Hone"))
	if !alike(two, p.Screen()) || alike(two, one) || one.Text(0) != "one" ||
		one.Title() != "halftitle" {
		t.Errorf("one %q %q, two %q", one.Title(), one, two)
	}
}

func checkText(t *testing.T, text string) {
	for _, r := range text {
		if r < ' ' || r >= 0x7f && r <= 0x9f || unicode.Is(unicode.Cf, r) && r != 0xad {
			t.Fatalf("%q can reach the viewer in %q", r, text)
		}
	}
}

func checkWhole(t *testing.T, s *Screen) {
	t.Helper()
	checkText(t, s.Title())
	cols, rows := s.Size()
	if x, y, _ := s.Cursor(); x < 0 || x >= cols || y < 0 || y >= rows {
		t.Fatalf("the cursor is at %d %d", x, y)
	}
	for _, p := range []*page{&s.main, &s.alt} {
		if len(p.rows) != rows || p.top < 0 || p.top >= p.bottom || p.bottom > rows {
			t.Fatalf("page of %d rows, region %d to %d, not %d", len(p.rows), p.top, p.bottom, rows)
		}
		for _, r := range p.rows {
			if len(r.cells) > cols {
				t.Fatalf("a row of %d cells, not %d", len(r.cells), cols)
			}
			checkText(t, r.text(cols))
			for x, c := range r.cells {
				right := x+1 < len(r.cells) && r.cells[x+1].Width == 0
				if c.Width == 2 && !right || c.Width == 1 && right ||
					c.Width == 0 && (x == 0 || r.cells[x-1].Width != 2) {
					t.Fatalf("half a wide character at %d: %+v", x, r.cells)
				}
			}
		}
	}
}

// Nothing that a few bytes can request takes long: the ratio is to plain text of the same length,
// on a screen of the largest size.
func BenchmarkHostile(b *testing.B) {
	for _, seq := range []string{"x", "\x1b[9999b", "\x1b[2J", "\x1bc", "\x1b#8", "\x1b[9999S",
		"\x1b[9999T", "\x1b[9999L", "\x1b[9999@", "\x1b[9999P", "\x1b[9999I",
		"\x1b[?1049h\x1b[?1049l", "\x1b[1J", "日"} {
		b.Run(fmt.Sprintf("%q", seq), func(b *testing.B) {
			in := []byte(strings.Repeat(seq, 32<<10/len(seq)))
			b.SetBytes(int64(len(in)))
			s := New(MaxCols, MaxRows)
			s.Write([]byte(strings.Repeat("y", MaxCols*MaxRows)))
			for b.Loop() {
				s.Write(in)
			}
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	for name, line := range map[string]string{
		"ls":    "\x1b[32m-rw-r--r--\x1b[0m 1 root root  1234 Jan  1 12:00 some_file_name.txt\r\n",
		"plain": "the quick brown fox jumps over the lazy dog and then some more of it\r\n",
		"wide":  "日本語のテキストが続きますので、もう少し長い行を書きます\r\n",
	} {
		b.Run(name, func(b *testing.B) {
			in := []byte(strings.Repeat(line, 32<<10/len(line)))
			b.SetBytes(int64(len(in)))
			s := New(80, 24)
			for b.Loop() {
				s.Write(in)
			}
		})
	}
}
