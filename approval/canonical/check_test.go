package canonical

import (
	"strings"
	"testing"
)

// B-R4.4: one spelling for each value, Python's.
func TestCheck(t *testing.T) {
	for _, good := range []string{
		`{}`, `{"":0}`, `{"a":-1,"b":[],"c":{},"d":[1,2,{"x":null}]}`,
		`{"a":"\"\\\b\f\n\r\t/\u0000\u001f\u007f"}`,
		`{"a":9223372036854775807,"b":-9223372036854775807}`,
		`{"a":"\ud83d\ude00\u2028\udc80\udcff"}`,
		`{"\u00e9":1,"\ud83d\ude00":2}`, `{"a":1,"a\n":2,"b":3}`,
		`{"~":1,"\u007f":2,"\uffff":3,"\ud800\udc00":4}`,
	} {
		if err := Check([]byte(good)); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for name, bad := range map[string]string{
		"empty": ``, "space": `{ }`, "trailing": `{}x`, "newline": "{}\n", "cut": `{"a":`,
		"cut string": `{"a`,
		"float":      `{"a":1.0}`, "exponent": `{"a":1e3}`, "leading zero": `{"a":01}`,
		"minus zero": `{"a":-0}`, "plus": `{"a":+1}`, "65 bits": `{"a":18446744073709551616}`,
		"long": `{"a":99999999999999999999}`,
		"NaN":  `{"a":NaN}`, "order": `{"b":1,"a":2}`, "double": `{"a":1,"a":2}`,
		"double, escaped":     `{"\u00e9":1,"\u00e9":2}`,
		"order by code point": `{"\ud83d\ude00":1,"\uffff":2}`, "comma": `{"a":1,}`,
		"array comma": `{"a":[1,]}`, "key": `{1:2}`,
		"raw UTF-8": `{"a":"é"}`, "raw DEL": "{\"a\":\"\x7f\"}", "raw control": "{\"a\":\"\t\"}",
		"slash": `{"a":"\/"}`, "upper-case hex": `{"a":"\u00E9"}`,
		"long escape of newline": `{"a":"\u000a"}`, "needless escape": `{"a":"\u0041"}`,
		"lone high": `{"a":"\ud800"}`, "lone low": `{"a":"\ude00"}`,
		"high, high": `{"a":"\ud800\ud800"}`,
		"bad escape": `{"a":"\x"}`, "cut escape": `{"a":"\u00`, "word": `{"a":nul}`,
		"True": `{"a":True}`,
		"deep": `{"a":` + strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1) + `}`,
	} {
		if err := Check([]byte(bad)); err == nil {
			t.Errorf("%s: %s was accepted", name, bad)
		}
	}
}

// Check and Parse accept the same texts.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{`{"a":1,"b":[null,"\\udc80"]}`, `{"a":"\\u00e9","a":1}`, `[1,]`, ``,
		`"\\"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		_, err := Parse([]byte(s))
		if checked := Check([]byte(s)); (err == nil) != (checked == nil) {
			t.Errorf("%q: Parse says %v, Check %v", s, err, checked)
		}
		quoted := append(AppendString([]byte(`{"k":`), s), '}')
		if err := Check(quoted); err != nil {
			t.Errorf("%q is written as %s: %v", s, quoted, err)
		}
	})
}
