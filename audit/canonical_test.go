package audit

import (
	"encoding/json"
	"strings"
	"testing"
)

// B-R4.4: one spelling for each value, Python's.
func TestCheckObject(t *testing.T) {
	for _, good := range []string{
		`{}`, `{"":0}`, `{"a":-1,"b":[],"c":{},"d":[1,2,{"x":null}]}`, `{"a":"\"\\\b\f\n\r\t/\u0000\u001f\u007f"}`,
		`{"a":9223372036854775807,"b":-9223372036854775807}`, `{"a":"\ud83d\ude00\u2028\udc80\udcff"}`,
		`{"\u00e9":1,"\ud83d\ude00":2}`, `{"a":1,"a\n":2,"b":3}`, `{"~":1,"\u007f":2,"\uffff":3,"\ud800\udc00":4}`,
	} {
		if err := checkObject([]byte(good)); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for name, bad := range map[string]string{
		"empty": ``, "not an object": `[]`, "string": `"a"`, "space": `{ }`, "trailing": `{}x`, "newline": "{}\n", "cut": `{"a":`, "cut string": `{"a`,
		"float": `{"a":1.0}`, "exponent": `{"a":1e3}`, "leading zero": `{"a":01}`, "minus zero": `{"a":-0}`, "plus": `{"a":+1}`, "65 bits": `{"a":9223372036854775808}`, "long": `{"a":99999999999999999999}`,
		"NaN": `{"a":NaN}`, "order": `{"b":1,"a":2}`, "double": `{"a":1,"a":2}`, "double, escaped": `{"\u00e9":1,"\u00e9":2}`,
		"order by code point": `{"\ud83d\ude00":1,"\uffff":2}`, "comma": `{"a":1,}`, "array comma": `{"a":[1,]}`, "key": `{1:2}`,
		"raw UTF-8": `{"a":"é"}`, "raw DEL": "{\"a\":\"\x7f\"}", "raw control": "{\"a\":\"\t\"}", "slash": `{"a":"\/"}`, "upper-case hex": `{"a":"\u00E9"}`,
		"long escape of newline": `{"a":"\u000a"}`, "needless escape": `{"a":"\u0041"}`, "lone high": `{"a":"\ud800"}`, "lone low": `{"a":"\ude00"}`, "high, high": `{"a":"\ud800\ud800"}`,
		"bad escape": `{"a":"\x"}`, "cut escape": `{"a":"\u00`, "word": `{"a":nul}`, "True": `{"a":True}`,
		"deep": `{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`,
	} {
		if err := checkObject([]byte(bad)); err == nil {
			t.Errorf("%s: %s was accepted", name, bad)
		}
	}
}

// The string writer and the checker agree, whatever is written.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{"", "a", "é\x7f\u2028😀", "\xff\x00\n\"\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b := append(appendString([]byte(`{"k":`), s), '}')
		if err := checkObject(b); err != nil {
			t.Errorf("%q is written as %s: %v", s, b, err)
		}
		_ = checkObject([]byte(s)) // no panic
		if err := checkObject([]byte(s)); err == nil && !json.Valid([]byte(s)) {
			t.Errorf("%q was accepted and is not JSON", s)
		}
		for i := range s {
			n := plainRun([]byte(s[i:]), 0)
			for _, c := range []byte(s[i : i+n]) {
				if c < ' ' || c == '"' || c == '\\' || c == 0x7f {
					t.Errorf("plainRun(%q) is %d", s[i:], n)
				}
			}
			if rest := s[i+n:]; rest != "" {
				if c := rest[0]; c >= ' ' && c != '"' && c != '\\' && c != 0x7f {
					t.Errorf("plainRun(%q) stops early at %d", s[i:], n)
				}
			}
		}
	})
}
