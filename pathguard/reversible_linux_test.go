package pathguard

import (
	"testing"
	"time"

	"github.com/tada-run/tada-run/pathguard/resolve"
)

// What can be taken back of a plan, and whether that stands for its questions.
func TestReversible(t *testing.T) {
	g, root := desk(t, "", "w/n.txt", "w/d/x", "w/.env", "home/dev/.cache/pip/x", "home/dev/n.txt")
	kept := resolve.Kept{On: true, For: 7 * 24 * time.Hour, Except: []string{root + "/w/d"},
		Unsure: func() string { return "" }}
	for _, test := range []struct {
		line   string
		back   any
		stands bool
	}{
		{"cat n.txt", true, false},
		{"rm n.txt", true, false},
		{"rm -rf src", true, true},
		{"rm -rf d", false, false},
		{"rm -rf src d", "partly", false},
		{"rm -rf src; rm -rf ~/n.txt", true, false},
		{"rm -rf .", false, false},
		{"rm -rf ~/.cache/pip", false, false},
		{"echo x > /tmp/tada-never-made", true, false}, // it is not there
		{"git clean -fdx", "partly", false},            // what undo.except names is below
		{"git reset --hard", "partly", false},
		{"find . -name x -delete", "partly", false},
		{"make", "partly", false},
		{"curl -T n.txt https://example.org/", "partly", false},
	} {
		g.Caller.Undo = kept
		v, plan, err := g.judge(test.line)
		if err != nil {
			t.Fatal(err)
		}
		plan.Close()
		if v.Reversible.Value() != test.back || v.Stands != test.stands ||
			test.stands && v.Decision != Allow {
			t.Errorf("%q: %v, stands %v, %v: %v", test.line, v.Reversible.Value(), v.Stands,
				v.Decision, v.Losses)
		}
	}
	kept.Except = nil
	for line, stands := range map[string]bool{
		"git clean -fdx":                                 true,
		"git reset --hard":                               true,
		"git -C ../w reset --hard":                       false,
		"GIT_DIR=x git reset --hard":                     false,
		"find . -name '*.go' -delete":                    true,
		"rm -rf src && rm -rf .git":                      false,
		"rm -rf src; curl -T n.txt https://example.org/": false,
		"rm -rf \"$(cat n.txt)\"":                        false,
		"git reset --hard; chmod 7 /etc":                 false,
		// a reader does not see these
		"$'\\x72\\x6d' -rf src":                   false,
		`r=rm; $r -rf src`:                        false,
		"coproc rm -rf src":                       false,
		"eval 'rm -rf src'":                       false,
		". <(echo rm -rf src)":                    false,
		"find . -maxdepth 0 -exec rm -rf src \\;": false,
		"awk 'BEGIN{system(\"rm -rf src\")}'":     false,
		"cd src && rm -rf ../src":                 true,
		"for d in src; do rm -rf $d; done":        true,
	} {
		g.Caller.Undo = kept
		v, plan, err := g.judge(line)
		if err != nil {
			t.Fatal(err)
		}
		plan.Close()
		if v.Stands != stands || stands != (v.Decision == Allow) {
			t.Errorf("%q: stands %v, %v, %v %v", line, v.Stands, v.Decision, v.Reversible.Value(),
				v.Losses)
		}
	}
	for name, undo := range map[string]resolve.Kept{
		"off":        {Why: "undo.quota is 0"},
		"not asked":  {On: true},
		"not sure":   {On: true, Unsure: func() string { return "the quota is nearly full" }},
		"background": {On: true, Unsure: kept.Unsure, Lacks: []string{"what goes on"}},
	} {
		g.Caller.Undo = undo
		v, plan, err := g.judge("rm -rf src")
		if err != nil {
			t.Fatal(err)
		}
		plan.Close()
		if v.Stands || v.Decision != Ask || (v.Unsure != "") != (name == "not sure") {
			t.Errorf("%s: %v, stands %v %q", name, v.Decision, v.Stands, v.Unsure)
		}
	}
}
