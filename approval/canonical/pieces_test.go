package canonical

import (
	"bytes"
	"slices"
	"testing"
)

// pieces are what goes wrong in strings: beginnings, middles and ends of UTF-8 sequences that may
// join, encoded surrogates, and characters that escapes are made of.
var pieces = []string{
	"a", "u", "\\", "\"", "\x00", "\n", "\x7f", "\x80", "\x9f", "\xa0", "\xa8", "\xbf", "\xbd",
	"\xc3", "\xdc", "\xe2", "\xed", "\xef", "\xf0", "\xff",
	"\u00e9", "\u2028", "\ufffd", "\uffff", "\U0001f600",
}

// Every string of up to three pieces is decoded to itself, and no two have one spelling. A fuzzer
// finds a combination by chance; this tries all of them. B-R1.3a
func TestEveryCombination(t *testing.T) {
	t.Parallel()
	spelled := map[string]string{}
	var buf []byte
	var try func(prefix string, more int)
	try = func(prefix string, more int) {
		buf = AppendString(buf[:0], prefix)
		back, err := Parse(buf)
		if err != nil || back != prefix {
			t.Fatalf("%q is spelled %s and comes back as %q, %v", prefix, buf, back, err)
		}
		if len(prefix) <= 6 {
			if other, ok := spelled[string(buf)]; ok && other != prefix {
				t.Fatalf("%q and %q are both %s", prefix, other, buf)
			}
			spelled[string(buf)] = prefix
		}
		for i := 0; more > 0 && i < len(pieces); i++ {
			try(prefix+pieces[i], more-1)
		}
	}
	try("", 3)
}

// Every text of up to three escapes is either the one spelling of its value or refused.
func TestEveryText(t *testing.T) {
	t.Parallel()
	escapes := []string{
		"a", `\\`, `\"`, `\n`, `\u000a`, `\u0000`, `\u007f`, `\u0080`, `\u00e9`, `\u00E9`, `\u2028`,
		`\ufffd`, `\uffff`, `\/`, `\ud83d`, `\ude00`,
		`\udc80`, `\udc9f`, `\udca9`, `\udcc3`, `\udced`, `\udca0`, `\udcf0`, `\udc98`, `\udcff`,
		`\udc7f`, `\udbff`, `\ud800`, `\udfff`, `\u`, `\`, "\x80",
	}
	var try func(body string, more int)
	try = func(body string, more int) {
		text := []byte(`"` + body + `"`)
		if v, err := Parse(text); err == nil {
			again, err := Append(nil, v)
			if err != nil || !bytes.Equal(again, text) {
				t.Fatalf("%s is accepted as %q, which is spelled %s", text, v, again)
			}
		}
		for i := 0; more > 0 && i < len(escapes); i++ {
			try(body+escapes[i], more-1)
		}
	}
	try("", 3)
}

// The order of keys is an order: sorting a sorted list changes nothing, wherever it starts.
func TestKeyOrder(t *testing.T) {
	t.Parallel()
	var keys []string
	for _, a := range pieces {
		keys = append(keys, a)
		for _, b := range pieces {
			keys = append(keys, a+b)
		}
	}
	slices.SortFunc(keys, compareKeys)
	for i := range keys {
		for j := range keys {
			if c := compareKeys(keys[i], keys[j]); i < j && c > 0 || i > j && c < 0 ||
				(c == 0) != (keys[i] == keys[j]) {
				t.Fatalf("%q and %q at %d and %d compare as %d", keys[i], keys[j], i, j, c)
			}
		}
	}
}
