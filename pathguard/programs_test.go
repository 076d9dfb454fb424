package pathguard

import (
	"errors"
	"strings"
	"testing"
)

// A person can say what a program does; a file that can only tighten cannot.
func TestPrograms(t *testing.T) {
	p, err := loadText(t, "programs: |\n  # ours\n  deploy: -e=_ --out=W : R*\n  wipe-it: : D*\n")
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := p.Programs().Lookup("deploy"); !ok || s == nil {
		t.Error("deploy is not known")
	}
	if _, ok := p.Programs().Lookup("ls"); !ok {
		t.Error("the built-in table is gone")
	}
	if p, err := loadText(t, "programs:\n  - 'a-tool: : R*'\n  - |\n"+
		"    b-tool: : W*\n"); err != nil || p.Settings().Programs != "a-tool: : R*\n"+
		"b-tool: : W*\n" {
		t.Errorf("%v %q", err, p.Settings().Programs)
	}
	file := ConfigFile{Path: writeConfig(t, "programs: 'rm: : _*'\n", 0o600), Layer: WorkspaceLayer}
	if p, err = p.Tighten(file); err != nil {
		t.Fatal(err)
	}
	if text := p.Settings().Programs; strings.Contains(text, "rm") ||
		!strings.Contains(text, "deploy") || len(p.Notes()) != 1 {
		t.Errorf("a workspace changed %q, notes %q", text, p.Notes())
	}
	none, err := Load(Account{Home: "/home/dev"}, file)
	if err != nil || none.Settings().Programs != "" || len(none.Notes()) != 1 {
		t.Errorf("%v %q", err, none.Settings().Programs)
	}
}

// What is wrong is blamed on the line that the entry starts on.
func TestProgramsRefused(t *testing.T) {
	for _, tt := range []struct {
		text string
		line int
	}{
		{"programs: 1\n", 1},
		{"programs: {a: b}\n", 1},
		{"private_tmp: true\nprograms: 'no colon'\n", 2},
		{"programs: |\n  good: : R*\n\n  # a comment\n  bad: : NOSUCH*\n  fine: : R*\n", 5},
		{"programs: |\n  bad line\n", 2},
		{"programs:\n  - |\n    good: : R*\n  - |\n    good2: : R*\n    bad: : NOSUCH*\n", 6},
		{"programs: |\n  twice: : R*\n  twice: : W*\n", 1},
		{"programs: ['a: : R*', 'a: : W*']\n", 1},
	} {
		_, err := loadText(t, tt.text)
		var bad *ConfigError
		if !errors.As(err, &bad) || bad.Line != tt.line {
			t.Errorf("%q: %v, want line %d", tt.text, err, tt.line)
		}
	}
}
