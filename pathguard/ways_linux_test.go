package pathguard

import (
	"slices"
	"testing"

	"github.com/tada-run/tada-run/shellparse"
)

// The rules that would allow a line have as many of its words as they can, each was tried, and of
// what no rule allows there are none.
func TestWays(t *testing.T) {
	g, root := desk(t, "security: {restricted_paths: [\"@/closed\"]}\n", "home/dev/other/x",
		"closed/x", "w/a b")
	for line, want := range map[string][]string{
		"true": nil,
		"git push origin ''": { // a configuration cannot say the empty word
			"rules.commands {program: git, args: [push, origin], verdict: allow, " +
				"answers: [net.upload]}"},
		"pkill 1e3 2024/x 0x1f": {`rules.commands {program: pkill, args: ["1e3", 2024/x, "0x1f"], ` +
			"exact: true, verdict: allow, answers: [proc.kill]}"},
		"cat " + root + "/closed/x": nil,
		"git push origin main": {"rules.commands {program: git, args: [push, origin, main], " +
			"exact: true, verdict: allow, answers: [net.upload]}"},
		"git reset --hard && touch " + root + "/home/dev/other/y": {
			"rules.commands {program: git, args: [reset], exact: true, options: [\"--hard\"], " +
				"verdict: allow, answers: [git.reset-hard]}",
			"rules.paths {path: " + root + "/home/dev/other/y, access: [write], " +
				"verdict: allow}"},
	} {
		v, plan, err := g.judge(line)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, w := range g.Policy.Ways(plan) {
			got = append(got, w.Key+" "+w.Entry)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q (%v): %q, want %q", line, v.Decision, got, want)
		}
		plan.Close()
	}
	for word, want := range map[string]string{"a/b.c": "a/b.c", "": `""`, "-f": `"-f"`,
		"No":         `"No"`,
		"2001-01-01": `"2001-01-01"`, ".inf": `".inf"`, "1_000": `"1_000"`, ".env": ".env",
		"a-b": "a-b", "1.5": `"1.5"`, "a, b": `"a, b"`, "~": `"~"`} {
		if got := yamlWord(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}

// The rules that fit a line are told in the order of the configuration, whether or not they decide.
func TestFittings(t *testing.T) {
	g, root := desk(t, `
rules:
  commands:
    - {program: git, args: [push], verdict: deny}
    - {program: git, args: [pull], verdict: allow}
    - {program: cat, verdict: allow}
  paths:
    - {path: "@/home/dev/other", access: [write], verdict: ask}
    - {path: "@/home/dev/other", access: [read], verdict: allow}
  hosts:
    - {host: x.test, verdict: allow}
    - {host: "*.y.test", verdict: allow}
`, "home/dev/other/x")
	for line, want := range map[string][]string{
		"true": nil,
		"git push https://x.test/a; cat " + root + "/home/dev/other/x": {
			"rules.commands {program: git, args: [push], verdict: deny}",
			"rules.commands {program: cat, verdict: allow}",
			"rules.paths {path: " + root + "/home/dev/other, access: [read], " +
				"verdict: allow}",
			"rules.hosts {host: x.test, verdict: allow}"},
		"curl https://a.Y.test/b":  {"rules.hosts {host: \"*.y.test\", verdict: allow}"},
		"curl https://ay.test/b":   nil,
		"curl https://a.x.test/b":  nil,
		"$CMD push; echo git push": nil,
	} {
		_, plan, err := g.judge(line)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range g.Policy.Fittings(plan) {
			got = append(got, f.Key+" "+f.Entry)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
		plan.Close()
	}
}

// A choice fits the commands that it would allow, by their words.
func TestLastingFits(t *testing.T) {
	l := Lasting{Program: "/usr/bin/git", Words: []string{"push", "origin", "feature/*"},
		Rule: "net.upload"}
	for line, want := range map[string]bool{
		"git push origin feature/a": true, "/bin/git push origin feature/b": true,
		"git push origin main": false, "git push origin feature/a:main": false,
		"git push -f origin feature/a": false, "git push origin $X": false, "git": false,
		"hg push origin feature/a": false,
	} {
		s := shellparse.Parse(line, shellparse.Options{Dialect: shellparse.Bash, Dir: "/w"})
		if got := l.Fits(&s.Commands[0]); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
