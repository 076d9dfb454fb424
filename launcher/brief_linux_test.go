package launcher

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/canonical"
)

// What leaves the machine of a question is its risk and the name of its folder, with nothing in it
// that means something elsewhere.
func TestBrief(t *testing.T) {
	l, _ := world(t)
	l.account = "/home/ada"
	for dir, want := range map[string]string{
		"/home/ada/proj":              "R2 in ~/proj",
		"/home/ada/src/proj/":         "R2 in ~/proj",
		"/home/ada":                   "R2 in ~",
		"/home/adam/proj":             "R2 in proj",
		"/":                           "R2 in /",
		"/srv/my project-1.2_x":       "R2 in my project-1.2_x",
		"/srv/проект":                 "R2 in проект",
		"/srv/a\"; rm -rf $HOME\n":    "R2 in a__ rm -rf _HOME_",
		"/srv/<b>{}\\`\x1b[31m":       "R2 in _b_______31m",
		"/srv/a\u202ecod.exe":         "R2 in a_cod.exe",
		"/srv/{where}":                "R2 in _where_",
		"relative":                    "R2",
		"":                            "R2",
		"/" + strings.Repeat("é", 41): "R2 in " + strings.Repeat("é", 37) + "...",
		"/" + strings.Repeat("é", 40): "R2 in " + strings.Repeat("é", 40),
	} {
		payload, err := canonical.Append(nil, object{"context": object{"cwd": dir}})
		if err != nil {
			t.Fatal(err)
		}
		e := approval.Envelope{Risk: 2, Payload: payload}
		if got := l.Brief(e); got != want || !utf8.ValidString(got) {
			t.Errorf("%q: %q, want %q", dir, got, want)
		}
	}
	for _, payload := range []string{"", "{", "[]", `{"context":1}`} {
		if got := l.Brief(approval.Envelope{Risk: 1, Payload: []byte(payload)}); got != "R1" {
			t.Errorf("%q: %q", payload, got)
		}
	}
}
