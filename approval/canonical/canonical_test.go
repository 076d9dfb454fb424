package canonical

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
)

func lines(t *testing.T, name string) [][]byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out [][]byte
	for s := bufio.NewScanner(f); s.Scan(); {
		out = append(out, bytes.Clone(s.Bytes()))
	}
	return out
}

// B-R1.3: the checked-in vectors for strings, byte by byte.
func TestStringVectors(t *testing.T) {
	all := lines(t, "testdata/canonical-strings.jsonl")
	if len(all) < 300 {
		t.Fatalf("only %d vectors", len(all))
	}
	for _, line := range all {
		var v struct {
			Hex       string `json:"bytes_hex"`
			Canonical string `json:"canonical"`
		}
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		raw, err := hex.DecodeString(v.Hex)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(AppendString(nil, string(raw))); got != v.Canonical {
			t.Errorf("bytes %s\n got %s\nwant %s", v.Hex, got, v.Canonical)
		}
		back, err := Parse([]byte(v.Canonical))
		if err != nil || back != string(raw) {
			t.Errorf("Parse(%s) = %q, %v; want %q", v.Canonical, back, err, raw)
		}
	}
}

// B-R1.3: the checked-in vectors for objects. The expected value comes from encoding/json, which
// shares no code with Parse.
func TestObjectVectors(t *testing.T) {
	all := lines(t, "testdata/canonical-objects.jsonl")
	if len(all) < 200 {
		t.Fatalf("only %d vectors", len(all))
	}
	for _, line := range all {
		var v struct {
			JSON      string `json:"json"`
			Canonical string `json:"canonical"`
		}
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		d := json.NewDecoder(strings.NewReader(v.JSON))
		d.UseNumber()
		var loose any
		if err := d.Decode(&loose); err != nil {
			t.Fatal(err)
		}
		want := integers(t, loose)
		got, err := Parse([]byte(v.Canonical))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("Parse(%s) = %v, %v; want %v", v.Canonical, got, err, want)
		}
		spelled, err := Append(nil, want)
		if err != nil || string(spelled) != v.Canonical {
			t.Errorf("Append\n got %s, %v\nwant %s", spelled, err, v.Canonical)
		}
	}
}

func integers(t *testing.T, v any) any {
	switch v := v.(type) {
	case json.Number:
		n, err := v.Int64()
		if err != nil {
			t.Fatal(err)
		}
		return n
	case []any:
		for i := range v {
			v[i] = integers(t, v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = integers(t, v[k])
		}
	}
	return v
}

func TestAppend(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{nil, "null"},
		{true, "true"},
		{int8(-1), "-1"},
		{uint8(255), "255"},
		{int64(math.MinInt64), "-9223372036854775808"},
		{uint64(math.MaxUint64), "18446744073709551615"},
		{[]string{"b", "a"}, `["b","a"]`},
		{[]any(nil), "[]"},
		{map[string]any(nil), "{}"},
		{map[string]string{"b": "", "a": "x"}, `{"a":"x","b":""}`},
		{map[string]any{"ﬁ": 1, "😀": 2, "\xff": 3}, `{"\udcff":3,"\ufb01":1,"\ud83d\ude00":2}`},
	} {
		got, err := Append([]byte("·"), c.v)
		if err != nil || string(got) != "·"+c.want {
			t.Errorf("Append(%#v) = %s, %v; want %s", c.v, got, err, c.want)
		}
	}
}

// B-R1.3a: no floats, and no type whose spelling would depend on reflection.
func TestAppendRefuses(t *testing.T) {
	loop := []any{nil}
	loop[0] = loop
	for _, v := range []any{1.5, float32(1), 1e300, math.NaN(), complex(1, 0), []byte("x"),
		json.Number("1"),
		struct{}{}, &loop, []any{1.0}, map[string]any{"a": map[string]any{"b": 2.0}}, []int{1},
		uintptr(1)} {
		got, err := Append([]byte("keep"), v)
		var typeErr *TypeError
		if !errors.As(err, &typeErr) || string(got) != "keep" {
			t.Errorf("Append(%T) = %q, %v; want a TypeError", v, got, err)
		}
	}
	if _, err := Append(nil, loop); !errors.Is(err, ErrDepth) {
		t.Errorf("a list inside itself: %v", err)
	}
}

// B-R1.3a: arguments that differ only in invalid bytes stay apart; duplicate keys cannot be read.
func TestInjective(t *testing.T) {
	a, _ := Append(nil, []string{"x\xfe"})
	b, _ := Append(nil, []string{"x\xff"})
	c, _ := Append(nil, []string{"x\\udcff"})
	if bytes.Equal(a, b) || bytes.Equal(b, c) {
		t.Errorf("two values, one spelling: %s %s %s", a, b, c)
	}
}

var refused = []string{
	"", " ", "1 ", " 1", "[1, 2]", `{"a": 1}`, "[1,]", "[,1]", "{,}", `{"a":1,}`, `{"a"}`, `{a:1}`,
	"[1", `{"a":1`, "]", "}",
	"1.0", "1.5", "1e5", "1E5", "-0", "01", "-01", "+1", "-", "0x1", "18446744073709551616",
	"-9223372036854775809", "NaN", "Infinity",
	"True", "nul", "nulll", "truefalse", "[1][2]", "\xef\xbb\xbf1", "1\n",
	`{"a":1,"a":1}`, `{"b":1,"a":1}`, `{"a":1,"a":2}`, `{"\ue000":1,"\udcff":1}`,
	`"`, `"a`, `"\`, `"\"`, `"a"b"`, "\"\x00\"", "\"\t\"", "\"\x7f\"", "\"é\"", "\"\xff\"",
	`"\/"`, `"\a"`, `"\x41"`, `"\u0041"`, `"\u00E9"`, `"\u000a"`, `"\u0022"`, `"\u005c"`, `"\u00"`,
	`"\u00g0"`, `"\U00e9"`,
	`"\ud83d"`, `"\ud83dx"`, `"\ud83d\u0041"`, `"\ud83d\ud83d"`, `"\udc00"`, `"\udc7f"`,
	`"\ude00\ud83d"`, `"\udd00"`,
	`"\udcc3\udca9"`, `"\udcf0\udc9f\udc98\udc80"`, `"\udc41"`,
}

// Every text that is not the one spelling of a value is refused with a place in it.
func TestParseRefuses(t *testing.T) {
	for _, text := range append(refused, strings.Repeat("[", 5000),
		strings.Repeat("[", MaxDepth+2)+strings.Repeat("]", MaxDepth+2)) {
		v, err := Parse([]byte(text))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(text) {
			t.Errorf("Parse(%.60q) = %v, %v; want a SyntaxError", text, v, err)
		}
	}
	deep := strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1)
	if v, err := Parse([]byte(deep)); err != nil {
		t.Errorf("the deepest allowed text: %v, %v", v, err)
	} else if back, err := Append(nil, v); err != nil || string(back) != deep {
		t.Errorf("the two halves disagree on the depth: %v", err)
	}
}

// Any one byte of a text changed gives another value or an error, never the same value.
func TestEveryByteCounts(t *testing.T) {
	text := []byte(`{"argv":["rm","a\udcff\n\ud83d\ude00"],"env":{},"n":[-12,null,true]}`)
	want, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for i := range text {
		for c := range 256 {
			if byte(c) == text[i] {
				continue
			}
			other := bytes.Clone(text)
			other[i] = byte(c)
			if got, err := Parse(other); err == nil && reflect.DeepEqual(got, want) {
				t.Fatalf("byte %d changed to %#x gives the same value: %s", i, c, other)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range refused {
		f.Add([]byte(text))
	}
	f.Add([]byte(`{"a":["\udcff\u00e9\ud83d\ude00",-1,0,18446744073709551615,{},[],true,false,null]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := Parse(text)
		if err != nil {
			return
		}
		back, err := Append(nil, v)
		if err != nil || !bytes.Equal(back, text) {
			t.Fatalf("accepted %q, spelled %q, %v", text, back, err)
		}
		if !json.Valid(text) {
			t.Fatalf("accepted %q, which is no JSON", text)
		}
	})
}

func FuzzString(f *testing.F) {
	f.Add("a", "\xff")
	f.Add("\xed\xa0\x80", "\u2028\x7f😀")
	f.Fuzz(func(t *testing.T, a, b string) {
		m := map[string]any{a: b, b: []any{a}}
		text, err := Append(nil, m)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range text {
			if c < 0x20 || c > 0x7e {
				t.Fatalf("byte %#x in %q", c, text)
			}
		}
		back, err := Parse(text)
		if err != nil || !reflect.DeepEqual(back, any(m)) {
			t.Fatalf("%q came back as %v, %v", text, back, err)
		}
	})
}

const python = `
import json, sys
for line in sys.stdin:
    one = [bytes.fromhex(h).decode('utf-8', 'surrogateescape') for h in line.rstrip('\n').split(',')]
    v = {k: [one, i] for i, k in enumerate(one)}
    print(json.dumps(v, sort_keys=True, separators=(',', ':'), ensure_ascii=True))
`

// B-R1.3: 200,000 fuzzed strings, as keys and as values, spelled as Python spells them.
func TestPython(t *testing.T) {
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 on this machine: the vectors in testdata stand in for it")
	}
	const rows, width = 20000, 10
	rnd := rand.New(rand.NewPCG(1, 2))
	var in bytes.Buffer
	want := make([][]byte, rows)
	for i := range want {
		one := make([]string, width)
		for j := range one {
			one[j] = randomString(rnd)
			if j > 0 {
				in.WriteByte(',')
			}
			in.WriteString(hex.EncodeToString([]byte(one[j])))
		}
		in.WriteByte('\n')
		v := map[string]any{}
		for j, k := range one {
			v[k] = []any{one, j}
		}
		if want[i], err = Append(nil, v); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(path, "-c", python)
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("python3 does not run here: %v", err)
	}
	got := bytes.Split(bytes.TrimSuffix(out, []byte("\n")), []byte("\n"))
	if len(got) != rows {
		t.Fatalf("%d rows came back", len(got))
	}
	for i := range got {
		if !bytes.Equal(got[i], want[i]) {
			t.Fatalf("row %d\nPython %s\n    Go %s", i, got[i], want[i])
		}
	}
}

// randomString mixes ASCII, control bytes, every plane of Unicode and broken UTF-8.
func randomString(rnd *rand.Rand) string {
	var b []byte
	for range rnd.IntN(8) {
		switch rnd.IntN(5) {
		case 0:
			b = append(b, byte(rnd.IntN(256)))
		case 1:
			b = append(b, byte(0x20+rnd.IntN(0x60)))
		case 2:
			b = append(b, string(rune(rnd.IntN(0x3000)))...)
		case 3:
			b = append(b, string(rune(0xd000+rnd.IntN(0x3000)))...)
		case 4:
			b = append(b, string(rune(0x10000+rnd.IntN(0x100000)))...)
		}
	}
	return string(b)
}

func BenchmarkAppend(b *testing.B) {
	v := map[string]any{"argv": []string{"rm", "-rf", "build"}, "cwd": "/home/me/proj",
		"text": strings.Repeat("echo héllo\n", 9000)}
	var dst []byte
	for b.Loop() {
		dst, _ = Append(dst[:0], v)
	}
	b.SetBytes(int64(len(dst)))
}

func BenchmarkParse(b *testing.B) {
	text, _ := Append(nil, map[string]any{"argv": []string{"rm", "-rf", "build"},
		"text": strings.Repeat("echo héllo\n", 9000)})
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}
