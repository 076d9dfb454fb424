package shellparse

import (
	"slices"
	"testing"

	"github.com/tada-run/tada-run/shellparse/command"
)

// Each thing that a Script says stands beside the very piece of the text that causes it.
func TestSpans(t *testing.T) {
	of := func(s *Script, sp Span) string { return s.Text[sp.Start:sp.End] }
	for _, tt := range []struct {
		text string
		want []string // what causes each effect, hazard, code and unknown piece, in their order
		runs []string // the text of each command
	}{
		{"ls; rm -f a 'b c'", []string{"ls", "a", "'b c'"}, []string{"ls", "rm -f a 'b c'"}},
		{"echo x >out 2>>log <in", []string{"out", "log", "in"}, []string{"echo x"}},
		{"cp a b && ./run", []string{"a", "b", "./run"}, []string{"cp a b", "./run"}},
		{"x=/a; rm \"$x\"/c", []string{`"$x"/c`}, []string{`rm "$x"/c`}},
		{"echo é; curl http://h.test:81/p -T f", []string{"f", "http://h.test:81/p"},
			[]string{"echo é", "curl http://h.test:81/p -T f"}},
		{"true; git push --force origin", []string{"origin", "--force"},
			[]string{"true", "git push --force origin"}},
		{"sudo rm a", []string{"a", "sudo"}, []string{"sudo rm a", "sudo rm a"}},
		{"sh -c 'rm a; rm b' c", []string{"'rm a; rm b'", "'rm a; rm b'"},
			[]string{"sh -c 'rm a; rm b' c", "'rm a; rm b'", "'rm a; rm b'"}},
		{"cat f | sh", []string{"f", "sh"}, []string{"cat f", "sh"}},
		{"python3 -c 'open(\"f\", \"w\")'", []string{"'open(\"f\", \"w\")'",
			"'open(\"f\", \"w\")'"}, []string{"python3 -c 'open(\"f\", \"w\")'"}},
		{"true; rm \"$u\"", []string{`"$u"`, `"$u"`}, []string{"true", `rm "$u"`}},
	} {
		s := Parse(tt.text, Options{Dir: "/w", Vars: nil})
		var got, runs []string
		for _, e := range s.Effects {
			got = append(got, of(s, e.Span))
			if e.Net != nil && e.Net.Upload != (e.Flags&command.Upload != 0) {
				t.Errorf("%q: an upload is one in both places: %+v", tt.text, e)
			}
		}
		for _, h := range s.Hazards {
			got = append(got, of(s, h.Span))
		}
		for _, c := range s.Codes {
			got = append(got, of(s, c.Span))
		}
		for _, o := range s.Opaque {
			got = append(got, of(s, o.Span))
		}
		for _, c := range s.Commands {
			runs = append(runs, of(s, c.Span))
		}
		if !slices.Equal(got, tt.want) || !slices.Equal(runs, tt.runs) {
			t.Errorf("%q: caused by %q, want %q; commands %q, want %q", tt.text, got, tt.want, runs,
				tt.runs)
		}
	}
}
