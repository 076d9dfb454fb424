package integration

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// keeping is a place whose configuration has background: keep and more settings.
func keeping(t *testing.T, level, more string) *place {
	t.Helper()
	p := newPlace(t)
	if err := os.Mkdir(p.state, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.state, "config.yaml"), []byte("background: keep\n"+more),
		0o600); err != nil {
		t.Fatal(err)
	}
	if out := p.inSession("tada-run true </dev/null 2>&1 | cat"); out != "" {
		t.Log(out)
	}
	if level == "base" {
		p.run(`sed -i s/strong/base/ "$TRANSCRIPT_HOME/run/level"`)
	}
	for _, name := range []string{"bash", "claude"} {
		target := filepath.Join(filepath.Dir(p.dir), "bin", "tada-run")
		if name == "claude" { // looks like an agent's program
			p.run("cp /bin/bash ../claude")
			continue
		}
		if err := os.Symlink(target, filepath.Join(filepath.Dir(p.dir), name)); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// inSession runs lines in a session of their own: what they leave running ends with it.
func (p *place) inSession(line string) string {
	cmd := p.command(line)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// are fails if the output does not have what every line of want says.
func are(t *testing.T, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !regexp.MustCompile("(?m)" + w).MatchString(got) {
			t.Errorf("no %q in\n%s", w, got)
		}
	}
}

const (
	// gone waits until no process of the run is sleeping any more; background until one run is
	// reported as going on; over until none is.
	gone       = `gone() { until ! pgrep -fx "sleep $1" >/dev/null; do sleep 0.05; done; echo gone; }; `
	background = `background() { until tadactl sessions | grep -q " background "; do sleep 0.05; done; tadactl sessions; }; `
	over       = `over() { while tadactl sessions | grep -Eq " (background|running) "; do sleep 0.05; done; tadactl sessions; }; `
	complete   = `; tadactl audit verify --complete; echo verified $?`
	helpers    = gone + background + over
)

// Processes that a command leaves running go on, at both levels and in each way of calling. The
// status comes at once, and the record is correct.
func TestBackgroundKeep(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"strong", "base"} {
		for _, door := range []string{"tada-run", "tada-run -c", "../bash -c"} {
			t.Run(level+" "+door, func(t *testing.T) {
				t.Parallel()
				p := keeping(t, level, "")
				got := p.inSession(helpers + door +
					` '(until test -e go; do sleep 0.02; done; echo late > f) >/dev/null 2>&1 & echo now; exit 3' >out 2>err </dev/null
					echo "status $?"; cat out err; test -e f && echo early; background; tadactl gc; tadactl audit verify --complete; touch go; until test -s f; do sleep 0.02; done; cat f; over` + complete)
				are(t, got, "^status 3$", "^now$",
					`^tada-run: 1 process goes on in the background \(bash\); end it: tadactl kill [0-9a-z]{16}$`,
					`  background  .*\(to end it: tadactl kill [0-9a-z]{16}\)$`,
					"^note: complete runs: 1; still running: 1", "^late$", "  exit 3 ",
					"still running: 0", "^verified 0$")
				if strings.Contains(got, "early") {
					t.Error(got)
				}
				are(t, p.run("tadactl log --kind exec"), "exec.left.*status=3",
					"exec.end.*status=3")
			})
		}
	}
}

// Everything that may end these processes does end them: a person, the session, the agent, the
// run's own time limit, and the end of its launcher.
func TestBackgroundKeepEnds(t *testing.T) {
	t.Parallel()
	const leave = `tada-run 'sleep 99NN >/dev/null 2>&1 & echo $! >/dev/null' </dev/null 2>err; `
	for _, level := range []string{"strong", "base"} {
		for i, test := range []struct{ name, more, line, after, state, record string }{
			{"a person", "", leave + `tadactl kill $(sed -n 's/.*kill //p' err); gone 99NN`, "",
				" exit 0 ", `"ended_by":"signal"`},
			{"the session", "", leave + `background`, `gone 99NN`, " exit 0 ",
				`"ended_by":"the end of bash `},
			{"the agent", "", `mkfifo x; ../claude -c "` + strings.ReplaceAll(leave, "$",
				`\$`) + `read y" <>x & until test -s err; do sleep 0.05; done; kill -9 $!; gone 99NN`, "", " exit 0 ", `"ended_by":"the end of claude `},
			{"a limit", "limits: {time: 2s}\n", leave + `gone 99NN`, "", " exit 0 ",
				`"ended_by":"time limit"`},
			{"its launcher", "", leave +
				`background; kill -9 $(tadactl --json log --kind exec.start | grep -o '"launcher":"[0-9]*' | tail -1 | grep -o '[0-9]*$'); gone 99NN; tada-run true </dev/null`, "", " lost ", `"kind":"exec.orphan"`},
			{"the end of who was called", "",
				`tada-run 'sleep 99NN' </dev/null & until pgrep -fx 'sleep 99NN' >/dev/null && test $(tadactl log --kind exec.start | wc -l) = 2; do sleep 0.05; done; kill -9 $!; gone 99NN; sleep 0.2; tada-run true </dev/null`, "", " lost ", `"kind":"exec.orphan"`},
		} {
			t.Run(level+" "+test.name, func(t *testing.T) {
				t.Parallel()
				p := keeping(t, level, test.more)
				// the same test may run in another process at the same time
				number := strconv.Itoa(os.Getpid()) +
					map[string]string{"strong": "1", "base": "2"}[level] + string(rune('0'+i))
				line := func(text string) string {
					return helpers + strings.ReplaceAll(text, "99NN", "99"+number)
				}
				got := p.inSession(line(test.line))
				got += p.run(line(test.after))
				got += p.run(helpers + "over" + complete)
				are(t, got, "^gone$", test.state, "still running: 0", "^verified 0$")
				are(t, p.run("tadactl --json log --kind exec"), test.record)
			})
		}
	}
}

// A process that has the caller's output open keeps it open, as with bash alone; one that does not
// have it does not.
func TestBackgroundKeepOutput(t *testing.T) {
	t.Parallel()
	p := keeping(t, "strong", "")
	for _, line := range []string{
		`(sleep 0.3; echo late) & echo now`, `(sleep 0.3; echo late) 2>&1 & echo now >&2`,
		`(sleep 0.3; echo late) >/dev/null 2>&1 & echo now`,
		`(sleep 0.3; seq 100000) & seq 100000`, `exec >&-; (sleep 0.3; echo late >&2) & exit 5`,
		`sleep 0.3 & kill -9 $$`,
	} {
		plain := p.inSession("bash -c '" + line +
			"' </dev/null 2>/dev/null | cat; echo ${PIPESTATUS[0]}")
		ours := p.inSession("tada-run '" + line +
			"' </dev/null 2>/dev/null | cat; echo ${PIPESTATUS[0]}")
		if plain != ours {
			t.Errorf("%s: %d bytes, and bash alone %d:\n%.200s\n%.200s", line, len(ours),
				len(plain), ours, plain)
		}
	}
}

// Twenty at once, each with a process that goes on, and all end with their session.
func TestBackgroundKeepMany(t *testing.T) {
	t.Parallel()
	p := keeping(t, "strong", "")
	number := strconv.Itoa(os.Getpid()) + "40"
	got := p.inSession(helpers + `for i in {1..20}; do tada-run "sleep ` + number + ` >/dev/null 2>&1 & exit $i" </dev/null 2>err$i & started="$started $!"; done
		for job in $started; do wait $job; echo "status $?"; done; tadactl sessions | grep -c " background "` + complete)
	are(t, got, "^20$", "still running: 20$", "^verified 0$", "^status 1$", "^status 20$")
	got = p.run(helpers + "gone " + number + "; over" + complete)
	are(t, got, "^gone$", "still running: 0$", "^verified 0$", "exit 20 ")
}
