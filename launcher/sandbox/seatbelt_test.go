package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/broker"
	"github.com/tada-run/tada-run/launcher/broker/network"
)

// belted are profiles as Seatbelt would get them.
var belted = map[string]Profile{
	"nothing": {},
	"workspace": {Read: []Path{{Name: "/usr"}, {Name: "/bin"}},
		Write:   []Path{{Name: "/Users/me/app"}, {Name: "/Users/me/.cache", NoExec: true}},
		List:    []Path{{Name: "/Users/me"}},
		Devices: []Path{{Name: "/dev/null"}},
		Hide: []string{"/Users/me/.ssh", "/Users/me/app/conf/.env",
			"/Users/me/app/.git/hooks"},
		ReadOnly: []string{"/Users/me/app/.git/config"}},
	"allowed in hidden": {Read: []Path{{Name: "/h/in/open"}},
		Hide:    []string{"/h/in", "/h/in/open/no"},
		Network: Full, Terminals: true, Debug: true},
	"one program": {Read: []Path{{Name: "/usr"}}, OneProgram: true, Network: Hosts,
		Temporary: Temporary{View: &broker.View{}}},
	"all readable": {Read: []Path{{Name: "/dev/random"}, {Name: "/"}},
		Write: []Path{{Name: "/Users/me/app"}}, Devices: []Path{{Name: "/dev/null"}},
		Hide: []string{"/Users/me/.ssh"}, Limits: Limits{Grouped: true, Memory: 1 << 30}},
	"odd names": {Write: []Path{{Name: `/w/a "b" (c) \d`}, {Name: "/w/é"}},
		Hide: []string{`/w/a "b" (c) \d/"`}},
}

// The profile text and what is lost, of each.
func TestSeatbelt(t *testing.T) {
	for name, p := range belted {
		text, lost, err := seatbelt(p, "/usr/bin/true")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var b strings.Builder
		b.WriteString(text)
		for _, l := range lost {
			b.WriteString("; LOST " + string(l.Protection) + ": " + l.Why + "\n")
		}
		hermetic.Golden(t, os.Getenv("UPDATE") != "",
			filepath.Join("testdata", "seatbelt", strings.ReplaceAll(name, " ", "-")+".sb"),
			b.String())
	}
}

// What cannot be said to Seatbelt without doubt is refused, wherever the name is.
func TestSeatbeltRefuses(t *testing.T) {
	for _, name := range []string{"/w/\xff", "/w/a\nb", "/w/\x00", "/w/\x7f", "w", "/w/", "/w/../x",
		"", "/w//x"} {
		for where, p := range map[string]Profile{
			"list": {List: []Path{{Name: name}}}, "read": {Read: []Path{{Name: name}}},
			"write": {Write: []Path{{Name: name}}}, "device": {Devices: []Path{{Name: name}}},
			"hide": {Hide: []string{name}}, "keep": {ReadOnly: []string{name}},
		} {
			if _, _, err := seatbelt(p, "/bin/true"); !errors.Is(err, ErrUnsupported) {
				t.Errorf("%s %q: %v", where, name, err)
			}
		}
	}
	hosts := Profile{Network: Hosts, Reach: network.Reach{Rules: make([]network.Rule, 1)}}
	if _, _, err := seatbelt(hosts, "/bin/true"); !errors.Is(err, ErrNoAnswers) {
		t.Errorf("hosts: %v", err)
	}
	for _, p := range []Profile{{Require: Strong}, {Must: []Protection{Metadata, Tree}}} {
		if _, _, err := seatbelt(p, "/bin/true"); !errors.Is(err, ErrUnsupported) {
			t.Errorf("%v: %v", p, err)
		}
	}
}

// FuzzSeatbelt: whatever a name is, it adds no rule and takes none away.
func FuzzSeatbelt(f *testing.F) {
	for _, name := range []string{`/a"b`, `/a\`, "/a(b", "/é", "/a;b", "/\n"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		text, err := beltAround(name)
		if err != nil || name == "/" {
			return
		}
		plain, err := beltAround(strings.Repeat("/a", strings.Count(name, "/")))
		if got, want := forms(text), forms(plain); err != nil || got != want || got < 0 {
			t.Errorf("%q makes %d rules, not %d, %v: %s", name, got, want, err, text)
		}
	})
}

func beltAround(name string) (string, error) {
	text, _, err := seatbelt(Profile{Write: []Path{{Name: name}}, Hide: []string{name + "/x"}},
		"/bin/true")
	return text, err
}

// forms counts the rules of a text as a reader of SBPL does; -1 if it has none.
func forms(text string) (n int) {
	quoted, deep := false, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && c == '(':
			deep++
		case !quoted && c == ')':
			if deep--; deep == 0 {
				n++
			}
		}
	}
	if quoted || deep != 0 {
		return -1
	}
	return n
}
