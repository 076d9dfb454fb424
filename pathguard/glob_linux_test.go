package pathguard

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestGlobNames: a pattern for every name may meet the name of a forbidden place. It is
// refused when it opens the place, or reaches what is in it, or was aimed at it.
func TestGlobNames(t *testing.T) {
	g, root := desk(t, "security: {restricted_paths: [~/.aws, '@/secret', ~/.gnupg]}", "home/dev/.aws/credentials", "home/dev/.y/a",
		"secret/x", "secret/d/x.c", "other/x", "other/x.c", "other/z", "w/link -> ../secret", "w/deep -> ../secret/d")
	g.expect(t, Allow, "echo ~/.*", "for f in ~/.*; do echo $f; done", "x=(~/.*); echo ${#x[@]}", "ls -d ~/.*", "printf '%s\\n' ../*",
		"ls ../*/z", "cat ../*/z", "cat ../*/*.c", "grep foo ../*/*.txt", "echo *", "ls -d *")
	g.expect(t, Deny, "ls ~/.*", "ls ../*", "du -s ../*", "wc -l ../*", "cat ~/.*", "for f in ~/.*; do cat $f; done", "rm -r ~/.*",
		"cat ../*/x", "ls ../*/x", "echo ../*/*", "echo ~/.aws/*", "echo ~/.aw*", "ls ~/.gn*", "cat ~/.gn*/x*", "cat *", "ls *", "echo link/*")
	for i := range 20 {
		if err := os.WriteFile(fmt.Sprintf("%s/secret/f%02d", root, i), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := g.AnalyzeShellCommand("cat ../*/f*")
	if err != nil || strings.Count(r.Reason, "\n") != maxAlike-1 || !strings.Contains(r.Reason, "/secret/f02 is restricted (and 17 more)") {
		t.Errorf("%v %s", err, r.Reason)
	}
	g.Locale = Chinese
	if r, err := g.AnalyzeShellCommand("cat ../*/f*"); err != nil || !strings.Contains(r.Reason, "（另有 17 个）") {
		t.Errorf("%v %s", err, r.Reason)
	}
}
