package integration

import (
	"encoding/json"
	"os/exec"
	"syscall"
)

// replacing gives the registrar another key, which takes two administrators, and then another
// address: machines stay members, and find it there.
func (p *place) replacing(site *exec.Cmd) {
	p.t.Helper()
	out := p.run("tadactl fleet registrar renew ../acme --host 127.0.0.1 --host localhost " +
		"--key --json")
	var made struct{ Key string }
	if err := json.Unmarshal([]byte(out), &made); err != nil || made.Key == "" {
		p.t.Fatalf("%v: %s", err, out)
	}
	replace := "person tadactl --home $ANN fleet registrar replace '" + made.Key + "'"
	p.wants(replace+" >change; echo status $?", "status 75")
	p.wants("tadactl --home $BOB fleet person sign change", "terminal")
	p.wants("person tadactl --home $BOB fleet person sign change", "changed\n")
	p.eventually("tadactl --home $ANN fleet list", "ci1")
	p.wants(replace, "is the key of the registrar already")

	p.wants("person tadactl --home $ANN fleet registrar move https://127.0.0.1:1",
		"is not told to the machines")
	p.wants("person tadactl --home $ANN fleet registrar move https://localhost:${SITE#*:}",
		"is not told to the machines") // it serves the certificate of before
	_ = site.Process.Signal(syscall.SIGTERM)
	_ = site.Wait()
	p.daemon("tadactl fleet serve ../acme --etcd $ETCD --listen $SITE", "listens on")
	p.wants("person tadactl --home $ANN fleet registrar move https://localhost:${SITE#*:} "+
		"--etcd https://127.0.0.1:1", "is not told to the machines")
	p.wants("person tadactl --home $ANN fleet registrar move https://localhost:${SITE#*:} "+
		">change; echo status $?", "status 75")
	p.wants("person tadactl --home $BOB fleet person sign change", "changed\n")
	p.eventually("grep '\"registrar\": \"https://localhost' $CI/fleet/membership.json", "")
	third := p.link("tadactl --home $ANN fleet invite")
	p.wants("tadactl --home $CI-3 fleet join '"+third+"' --name third", "is now in fleet")
}
