package pathguard

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// TestGlobNames: a pattern for every name may meet the name of a forbidden place. It is
// refused when it opens the place, or reaches what is in it, or was aimed at it.
func TestGlobNames(t *testing.T) {
	g, root := desk(t, "security: {restricted_paths: [~/.aws, '@/secret', ~/.gnupg]}",
		"home/dev/.aws/credentials", "home/dev/.y/a",
		"secret/x", "secret/d/x.c", "other/x", "other/x.c", "other/z", "w/link -> ../secret",
		"w/deep -> ../secret/d")
	g.expect(t, Allow, "echo ~/.*", "for f in ~/.*; do echo $f; done", "x=(~/.*); echo ${#x[@]}",
		"ls -d ~/.*", "printf '%s\\n' ../*",
		"ls ../*/z", "cat ../*/z", "cat ../*/*.c", "grep foo ../*/*.txt", "echo *", "ls -d *")
	g.expect(t, Deny, "ls ~/.*", "ls ../*", "du -s ../*", "wc -l ../*", "cat ~/.*",
		"for f in ~/.*; do cat $f; done", "rm -r ~/.*",
		"cat ../*/x", "ls ../*/x", "echo ../*/*", "echo ~/.aws/*", "echo ~/.aw*", "ls ~/.gn*",
		"cat ~/.gn*/x*", "cat *", "ls *", "echo link/*")
	for i := range 20 {
		if err := os.WriteFile(fmt.Sprintf("%s/secret/f%02d", root, i), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := g.AnalyzeShellCommand("cat ../*/f*")
	if err != nil || strings.Count(r.Reason, "\n") != maxAlike-1 ||
		!strings.Contains(r.Reason, "/secret/f02 is restricted (and 17 more)") {
		t.Errorf("%v %s", err, r.Reason)
	}
	g.Locale = Chinese
	if r, err := g.AnalyzeShellCommand("cat ../*/f*"); err != nil ||
		!strings.Contains(r.Reason, "（另有 17 个）") {
		t.Errorf("%v %s", err, r.Reason)
	}
}

// TestMadeNames: a name that a loop makes of each name that a pattern has matched is that name and
// no other that looks alike. Where the text does not tell, all that look alike are meant.
func TestMadeNames(t *testing.T) {
	g, root := desk(t, "", "w/a.txt", "w/b.txt", "w/CLAUDE.md", "w/sub/CLAUDE.tmpl",
		"w/sub/.git-hook", "w/blank/x y.txt", "w/blank/CLAUDE.md", "w/bad/AGENTS.txt",
		"w/bad/AGENTS.md")
	g.expect(t, Allow, `for f in *.txt; do mv "$f" "${f%.txt}.md"; done`,
		`for f in *.txt; do cp $f ${f%.*}.md; done`,
		`for f in *.txt; do sort "$f" > "new-$f"; done`,
		`for f in *.txt; do cp "$f" "sub/${f##*/}"; done`,
		`for f in *.txt; do git mv "$f" "${f%.txt}.md"; done`)
	g.expect(t, Ask, `for f in sub/*.tmpl; do mv "$f" "${f%.tmpl}.md"; done`,
		`for f in bad/*; do cp "$f" "${f%.txt}.md"; done`,
		`for f in *.md; do mv "$f" "old-$f"; done`,
		`for f in blank/*.txt; do mv $f ${f%.txt}.md; done`)
	plan := resolved(t, shellparse.Parse(`for f in *.txt; do mv "$f" "${f%.txt}.md"; done`,
		shellparse.Options{Dir: g.Caller.Dir, Home: g.Caller.Home, Vars: g.Caller.Env}), g.Caller)
	var made []string
	for i := range plan.Targets {
		if target := &plan.Targets[i]; target.Right == command.Write {
			made = append(made, strings.TrimPrefix(target.Path(), root))
		}
	}
	if want := []string{"/w/a.md", "/w/b.md"}; !slices.Equal(made, want) {
		t.Errorf("writes %q, want %q", made, want)
	}
}
