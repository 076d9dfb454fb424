package hook

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/launcher"
)

func TestDecode(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{`{"a":"b"}`, ""},
		{`{"a":"\u00e9\ud83d\ude00\\ud800"}`, ""},
		{`{"a":{"a":[{"a":1},{"a":2}]}}`, ""},
		{`{"a":1,"A":2}`, ""},
		{`{"a":1,"a":2}`, "twice"},
		{`{"a":1,"\u0061":2}`, "twice"},
		{`{"x":[{"a":1,"b":{"c":1,"c":2}}]}`, "twice"},
		{`{"a":"\ud800"}`, "surrogate"},
		{`{"a":"\udc00"}`, "surrogate"},
		{`{"\ud800x":1}`, "surrogate"},
		{`{"a":"\ud800\u0041"}`, "surrogate"},
		{`{"a":"\ud800\ud800"}`, "surrogate"},
		{`{"a":"\\\ud800"}`, "surrogate"},
		{`{"a":1} `, ""},
		{`{"a":1}{}`, "whole"},
		{`{"a":1`, "whole"},
		{``, "whole"},
		{`[1]`, "not an object"},
		{`null`, "not an object"},
		{"{\"a\":\"\x80\"}", "UTF-8"},
		{"{\"a\":\"\x00\"}", "whole"},
	} {
		_, err := Decode(strings.NewReader(test.in))
		if test.want == "" && err != nil ||
			test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%q: %v, want %q", test.in, err, test.want)
		}
	}
}

// FuzzDecode: what is accepted means the same to every reader, and writing it and reading it again
// changes nothing.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t"}`,
		`{"a":"\ud83d\ude00","b":[1,{"c":null}]}`, `{"a":1,"a":2}`, `{"a":"\ud800"}`,
		"{\"\xff\":1}", `{`, `{"a":1e999}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := Decode(bytes.NewReader(data))
		if err != nil {
			return
		}
		raw, err := json.Marshal(o)
		if err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		again, err := Decode(bytes.NewReader(raw))
		if err != nil || len(again) != len(o) {
			t.Fatalf("%q became %q: %v", data, raw, err)
		}
		for name := range o {
			if a, aOK := o.Text(name); aOK {
				if b, bOK := again.Text(name); !bOK || a != b {
					t.Fatalf("%q: %q became %q", data, a, b)
				}
			}
		}
	})
}

// FuzzWrap: a text that was wrapped is unwrapped unchanged, and no other line is mistaken for one
// of ours.
func FuzzWrap(f *testing.F) {
	for _, seed := range []string{"ls", "it's", "'", "''", `\'`, "", "a\nb", "x' ; rm -rf / '",
		`'\''`} {
		f.Add(seed, "t1")
		f.Add("/opt/x/tada-run --agent=a --call-id=t1 -c '"+seed, "' x")
		f.Add("x\nexit\n"+seed+"\nexit\nx", "t1")
	}
	f.Fuzz(func(t *testing.T, text, id string) {
		for _, r := range []Runner{{Path: "/opt/x/tada-run"},
			{Path: "/o p/tada-run", Wait: time.Minute}} {
			line := r.wrap("a", id, text)
			typed := r.wrapped("a", id, text, typedQuote)
			for _, line := range []string{line, typed, r.through("a", id, text)} {
				if got, ok := r.unwrap("a", line); !ok || got != text {
					t.Fatalf("%q became %q (%v)", text, got, ok)
				}
			}
			if short := Short(r.through("a", id, text)); short != line {
				t.Fatalf("%q is %q without its end, want %q", text, short, line)
			}
			if got, ok := r.unwrap("a", text); ok && (r.wrap("a", id, got) == line ||
				!strings.HasSuffix(Short(text), "-c "+quoteText(got)) &&
					!strings.HasSuffix(text,
						"-c '"+strings.ReplaceAll(got, "'", typedQuote)+"'")) {
				t.Fatalf("%q is taken for a line around %q", text, got)
			}
		}
	})
}

func TestPatched(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"*** Begin Patch\n*** Add File: a b.txt\n+*** Delete File: x\n*** End Patch", "a b.txt"},
		{"*** Begin Patch\n*** Update File: a\n*** Move to: ../b\n@@\n-x\n*** End of File\n" +
			"*** Delete File: c\n*** End Patch\n", "a|../b|-c"},
		{"*** Begin Patch\n*** Update File: \n*** End Patch", ""},
		{"*** Begin Patch\n *** Delete File: c\n*** End Patch", "-c"},
		{"*** Update File: a\n*** Chmod File: b", ""},
		{"", ""},
	} {
		list, err := patched(test.in)
		var got []string
		for _, a := range list {
			name := a.Path
			if a.Use == launcher.Deletes {
				name = "-" + name
			}
			got = append(got, name)
		}
		if strings.Join(got, "|") != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%q: %q, %v; want %q", test.in, got, err, test.want)
		}
	}
}

func TestPatchIn(t *testing.T) {
	for _, test := range []struct{ in, dir, patch string }{
		{"apply_patch <<'EOF'\nP\nQ\nEOF", "", "P\nQ"},
		{" \napplypatch << \"E1\"\nP $(x)\nE1\n", "", "P $(x)"},
		{"cd sub && apply_patch <<EOF\nP\nEOF\n", "sub", "P"},
		{"cd '/a b'&&apply_patch <<'EOF'\nP\nEOF", "/a b", "P"},
		{"cd \"a b\" && apply_patch <<'EOF'\nP\nEOF", "a b", "P"},
		{"apply_patch <<EOF\nP $(x)\nEOF", "", ""},
		{"apply_patch <<EOF\nP `x`\nEOF", "", ""},
		{"apply_patch <<'EOF'\nP\nEOF\nrm x\nEOF", "", ""},
		{"apply_patch <<'EOF'\nP\nEOF\nrm x", "", ""},
		{"apply_patch <<'EOF'\nEOF\nrm x\nEOF", "", ""},
		{"apply_patch <<'EOF' && rm x\nP\nEOF", "", ""},
		{"apply_patch <<'EOF\nP\nEOF", "", ""},
		{"apply_patch x <<'EOF'\nP\nEOF", "", ""},
		{"echo; apply_patch <<'EOF'\nP\nEOF", "", ""},
		{"cd $x && apply_patch <<'EOF'\nP\nEOF", "", ""},
		{"cd \"$x\" && apply_patch <<'EOF'\nP\nEOF", "", ""},
		{"cd - && apply_patch <<'EOF'\nP\nEOF", "", ""},
		{"cd ~ && apply_patch <<'EOF'\nP\nEOF", "", ""},
		{"cd a; apply_patch <<'EOF'\nP\nEOF", "", ""},
	} {
		dir, patch, ok := patchIn(test.in)
		if dir != test.dir || patch != test.patch || ok != (test.patch != "") {
			t.Errorf("%q: %q, %q, %v", test.in, dir, patch, ok)
		}
	}
}

func TestGuessed(t *testing.T) {
	for _, test := range []struct {
		args       string
		want, runs []string
	}{
		{`{"path":"a","filePath":"b","file_path":"c","paths":["d","e"],"target_directory":"f","profile":"x","pattern":"y"}`, []string{"c", "b", "a", "d", "e", "f"}, nil},
		{`{"command":"ls"}`, nil, []string{"ls"}},
		{`{"cmd":["ls","a b"]}`, nil, []string{"ls 'a b'"}},
		{`{"commands":["ls","rm x"]}`, nil, []string{"ls", "rm x"}},
		{`{"shellCommand":"ls"}`, nil, []string{"ls"}},
		{`{"input":{"steps":[{"script":"a"},{"argv":["b","c"]}]},"command":" "}`, nil,
			[]string{"a", "b c"}},
		{`{"commands":7,"commander":"x"}`, nil, nil},
		{`{"url":"https://x/y","path":"https://x/y"}`, nil, nil},
	} {
		var c Call
		if err := json.Unmarshal([]byte(test.args), &c.Args); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range c.guessed() {
			got = append(got, a.Path)
		}
		slices.Sort(got)
		slices.Sort(test.want)
		if !reflect.DeepEqual(got, test.want) || !slices.Equal(c.commands(), test.runs) {
			t.Errorf("%s: %q, %q; want %q, %q", test.args, got, c.commands(), test.want, test.runs)
		}
	}
}

func TestStart(t *testing.T) {
	for _, test := range [][3]string{
		{".", "*.go", "./"}, {"src", "a/**/x.go", "src/a/"}, {"src", "/etc/*", "/etc/"},
		{".", "a/b", "./a/b"}, {".", "~/x*", "~/"}, {".", "../{a,b}", "./../"},
	} {
		if got := start(test[0], test[1]); got != test[2] {
			t.Errorf("%q in %q: %q, want %q", test[1], test[0], got, test[2])
		}
	}
}
