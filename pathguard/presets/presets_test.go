package presets

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/resolve"
)

func TestMain(m *testing.M) { os.Exit(hermetic.Tests(m).Run()) }

// passes judges the cases of a configuration.
func passes(t *testing.T, name, text string) {
	t.Helper()
	home := t.TempDir()
	file := filepath.Join(home, name+".yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := pathguard.Load(pathguard.Account{Home: home, EnvHome: home, UID: os.Getuid()},
		pathguard.ConfigFile{Path: file, Layer: pathguard.UserLayer})
	if err != nil {
		t.Fatal(err)
	}
	c := resolve.Caller{Home: home, UID: os.Getuid()}
	c.Undo = resolve.Kept{On: true, Unsure: func() string { return "" }}
	cases := p.Cases(c)
	if len(cases) < 3 {
		t.Errorf("%s has %d cases", name, len(cases))
	}
	for _, r := range cases {
		if r.Failed != "" {
			t.Errorf("%s: %q: %s", name, r.Case.Command, r.Failed)
		}
	}
}

// Each preset is a configuration that says what it is for, and does what its cases say.
func TestPresets(t *testing.T) {
	for _, name := range Names() {
		text, err := Text(name)
		if err != nil || !strings.HasPrefix(text, "# For ") ||
			!strings.HasSuffix(About(name), ".") {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
		passes(t, name, text)
	}
	if len(Names()) < 9 {
		t.Errorf("there are only %q", Names())
	}
	if _, err := Text("../presets"); err == nil {
		t.Error("a preset that there is not is no error")
	}
}

// Presets can be put together, and keep what they say.
func TestPresetsTogether(t *testing.T) {
	for _, names := range [][]string{{"node", "go"}, {"go", "rust", "python"}, {"data", "web"},
		{"python", "data"}} {
		text, err := Text(names...)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if !strings.Contains(text, "# "+name+": For ") {
				t.Errorf("%q do not say what %s is for:\n%s", names, name, text)
			}
		}
		passes(t, strings.Join(names, "-"), text)
	}
}

func TestSuits(t *testing.T) {
	root := hermetic.Tree(t, "a[b]/package.json", "a[b]/go.mod", "c/x.tf", "d/sub/go.mod")
	for dir, want := range map[string][]string{"a[b]": {"node", "go"}, "c": {"ops"}, "d": nil} {
		if got := Suits(filepath.Join(root, dir)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
}
