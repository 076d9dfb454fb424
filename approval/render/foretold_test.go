package render_test

import (
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval/render"
)

// The changes of a plan are all that its effects name, each once, and nothing on them can act.
func TestChanges(t *testing.T) {
	told := 0
	for _, q := range questions(t) {
		list := render.Changes(q.Payload)
		told += len(list)
		full := render.Render(q.Payload, render.Options{Flowing: true, Full: true}).Text()
		for _, c := range list {
			if !strings.Contains(full, strings.Trim(c.Path, `"`)) {
				t.Errorf("%s: %+v is not on the page", q.Name, c)
			}
		}
	}
	if told == 0 {
		t.Error("no plan changes anything")
	}
	for _, c := range []struct{ payload, want string }{
		{`{"effects":{"delete":["/w/a\u202e"]}}`, `{delete "/w/a⟦U+202E⟧" }`},
		{`{"effects":{"write":["/w/b","/dev/null"]},"targets":[{"new":true,"real":"/w/b"}]}`,
			"{create /w/b }"},
		{`{"tool_calls":[{"effects":{"write":["/w/b"]}},{"effects":{"delete":[7,"/w/c"]},` +
			`"targets":[{"amount":"2 files","real":"/w/c"}]}]}`,
			"{delete /w/c 2 files} {write /w/b }"},
		{`{"effects":7}`, ""}, {"not a plan", ""},
	} {
		var got []string
		for _, change := range render.Changes([]byte(c.payload)) {
			got = append(got, "{"+change.Word+" "+change.Path+" "+change.Amount+"}")
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", c.payload, s, c.want)
		}
	}
}
