package pathguard

import (
	"slices"
	"strings"
	"testing"
)

// What a restricted path takes from every command is told once, in the order of the configuration.
func TestStops(t *testing.T) {
	g, root := desk(t, `security: {restricted_paths: ["@/closed", "@/bin", "@/home", "@/w", /proc,
  "@/bin/sed"]}`, "closed/x", "bin/zz", "bin/sed", "bin/ls", "bin/a", "bin/b", "bin/folder/x")
	got := g.Policy.Stops(root+"/w/src", []string{"none", root + "/bin", root + "/missing"})
	want := []string{
		`bin" denies every command line that starts a program there (`,
		`home" holds the home: no command reads its settings, caches or projects there`,
		`w" holds the working directory`,
		`"/proc" denies every command line that names a file there`,
		`sed" denies every command line that starts a program there (sed)`,
	}
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("%q, want %q", got[i], want[i])
		}
	}
	if !strings.Contains(got[0], ", and 1 more)") || strings.Contains(got[0], "folder") {
		t.Error(got[0])
	}
	if got := (Policy{}).Stops("/", nil); got != nil {
		t.Errorf("no policy: %q", got)
	}
}

// What no sandbox will hold is asked about where the sandbox would have hidden it: files below a
// tree that is read, and a server. Of a tool that is not known, so is the tool itself.
func TestJudgeUnfenced(t *testing.T) {
	g, _ := desk(t, "", "w/.env", "w/src/b", "w/clean/x")
	for line, want := range map[string]string{
		"cat src/b": "", "grep -r x clean": "", "grep -r x .": "path.sweep",
		"python3 -m http.server 80": "net.listen", "cat .env": "read.secret",
	} {
		_, plan, err := g.judge(line)
		if err != nil {
			t.Fatal(err)
		}
		if got := rulesOf(g.Policy.judgeUnfenced(plan)); want == "" && len(got) > 0 ||
			want != "" && !slices.Contains(got, want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
		got := rulesOf(g.Policy.judgeTool(plan, "other"))
		if !slices.Contains(got, "tool.unknown") {
			t.Errorf("%q as a tool: %q", line, got)
		}
		plan.Close()
	}
}

func rulesOf(v Verdict) (rules []string) {
	for _, r := range v.Reasons {
		if r.Decision != Allow {
			rules = append(rules, r.Rule)
		}
	}
	return rules
}
