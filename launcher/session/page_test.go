package session

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWrap(t *testing.T) {
	cases := []struct {
		name, text string
		cols       int
		want       []string
	}{
		{"empty", "", 10, []string{""}},
		{"lines", "a\nb\n", 10, []string{"a", "b"}},
		{"long", "abcdef", 4, []string{"abcd", "ef"}},
		{"wide", "語語語", 4, []string{"語語", "語"}},
		{"wider than the screen", "語", 1, []string{"語"}},
		{"colour", "\x1b[31mred\x1b[0m plain", 80, []string{"\x1b[31mred\x1b[0m plain\x1b[0m"}},
		{"colour takes no room", "\x1b[31mabcd\x1b[0m", 4, []string{"\x1b[31mabcd\x1b[0m\x1b[0m"}},
		{"cursor movement", "a\x1b[2Jb", 80, []string{"a\uFFFD[2Jb"}},
		{"return", "safe\rrm", 80, []string{"safe\uFFFDrm"}},
		{"hidden and reordering", "a\u200bb\u202ec", 80, []string{"a\uFFFDb\uFFFDc"}},
		{"invalid", "a\xffb", 80, []string{"a\uFFFDb"}},
		{"C1 control", "a\u009bb", 80, []string{"a\uFFFDb"}},
	}
	for _, c := range cases {
		if got := wrap(c.text, c.cols); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("plain\ntext \x1b[1mbold\x1b[m 語", 7)
	f.Fuzz(func(t *testing.T, text string, cols int) {
		if cols < 2 || cols > 500 {
			return
		}
		for _, line := range wrap(text, cols) {
			if w := width(line); w > cols {
				t.Errorf("%q is %d cells wide, of %d", line, w, cols)
			}
			for rest := line; len(rest) > 0; {
				if n := colour(rest); n > 0 {
					rest = rest[n:]
					continue
				}
				r, n := utf8.DecodeRuneInString(rest)
				if r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 {
					t.Errorf("control %q in %q", r, line)
				}
				rest = rest[n:]
			}
		}
	})
}

// What is broken off a line cannot look like a line of the page.
func TestBrokenLinesAreMarked(t *testing.T) {
	for _, text := range []string{strings.Repeat("\u1ebf\u1ec7", 40) + " undo     can be undone",
		strings.Repeat("\u4e2d", 39) + " undo     can be undone"} {
		for _, line := range wrap(text, 80)[1:] {
			if !strings.HasPrefix(line, broken) {
				t.Errorf("%q stands alone", line)
			}
		}
	}
	// A letter of Latin Extended Additional is one cell wide.
	if lines := wrap(strings.Repeat("\u1ebf", 80), 80); len(lines) != 1 {
		t.Errorf("%d lines", len(lines))
	}
}

func TestPagerKnowsWhatWasSeen(t *testing.T) {
	text := strings.Repeat("x\n", 30)
	var p pager
	p.lay(text, 80, 12) // 10 lines of text
	if p.whole() || p.position() != "lines 1-10 of 30" {
		t.Error(p.position())
	}
	p.move(20) // over the middle
	if p.whole() {
		t.Error("the middle was never shown")
	}
	p.move(-13)
	p.move(3)
	p.move(100)
	if !p.whole() && p.begin < 17 {
		t.Error(p.begin)
	}
	p.move(-100)
	for range 3 {
		p.move(10)
	}
	if !p.whole() {
		t.Error("everything was shown")
	}
	p.lay(text, 80, 40)
	if !p.whole() || p.position() != "" {
		t.Error("everything fits")
	}
	p.lay("", 1, 1)
	if !p.whole() {
		t.Error("nothing to see")
	}
}
