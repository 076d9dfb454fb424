package session

import (
	"slices"
	"strings"
	"testing"
)

var keyCases = []struct {
	name, bytes string
	want        []rune
}{
	{"letters", "ab", []rune("ab")},
	{"control", "\x03\r", []rune{ctrlC, '\r'}},
	{"UTF-8", "é", []rune("é")},
	{"invalid UTF-8", "\xff\xfea", []rune("a")},
	{"arrows", "\x1b[A\x1b[B\x1bOA", []rune{keyUp, keyDown, keyUp}},
	{"paging", "\x1b[5~\x1b[6~\x1b[H\x1b[4~", []rune{keyPageUp, keyPageDown, keyHome, keyEnd}},
	{"with modifiers", "\x1b[1;5Aa", []rune("a")},
	{"focus and mouse", "\x1b[I\x1b[O\x1b[<0;1;1M", nil},
	{"alt", "\x1bya", []rune("a")},
	{"two escapes", "\x1b\x1b", []rune{keyEscape}},
	{"paste", "a\x1b[200~yes\x1b\x03\r\x1b[201~b", []rune("ab")},
	{"paste without end", "\x1b[200~y", nil},
	{"unfinished", "a\x1b[1;", []rune("a")},
	{"endless", "\x1b[" + strings.Repeat("1", 100), []rune(strings.Repeat("1", 100-30))},
}

func TestKeysDecoder(t *testing.T) {
	for _, c := range keyCases {
		var d decoder
		if got := d.feed([]byte(c.bytes)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		var pieces decoder // over a slow line
		var got []rune
		for _, b := range []byte(c.bytes) {
			got = append(got, pieces.feed([]byte{b})...)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s, byte by byte: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestLoneEscape(t *testing.T) {
	var d decoder
	if keys := d.feed([]byte{escape}); keys != nil || !d.waiting() {
		t.Error("an escape may be the start of a sequence")
	}
	if keys := d.expire(); !slices.Equal(keys, []rune{keyEscape}) || d.waiting() {
		t.Error("and is a key when nothing follows")
	}
	d.feed([]byte("\x1b["))
	if keys := d.expire(); keys != nil {
		t.Errorf("half a sequence is no key: %q", keys)
	}
}

func FuzzKeys(f *testing.F) {
	for _, c := range keyCases {
		f.Add([]byte(c.bytes))
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		var d decoder
		whole := d.feed(p)
		whole = append(whole, d.expire()...)
		var pieces decoder
		var split []rune
		for _, b := range p {
			split = append(split, pieces.feed([]byte{b})...)
		}
		split = append(split, pieces.expire()...)
		if !slices.Equal(whole, split) {
			t.Errorf("%q at once, %q byte by byte", whole, split)
		}
		// Whatever follows a paste's begin is no key.
		pasted := append([]byte("\x1b[200~"), p...)
		if i := strings.Index(string(p), "[201~"); i < 0 {
			var d decoder
			if keys := append(d.feed(pasted), d.expire()...); len(keys) > 0 {
				t.Errorf("pasted %q gave %q", p, keys)
			}
		}
	})
}
