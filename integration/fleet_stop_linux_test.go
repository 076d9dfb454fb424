package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// stopping freezes the machine while something runs there: the run is ended within a second of the
// order where the agent is connected, and at its next contact where it is not. Of several times the
// shortest counts, because the computer may be busy. It returns the agent that then runs.
func (p *place) stopping(agent *exec.Cmd) *exec.Cmd {
	p.t.Helper()
	least, typed := time.Hour, time.Hour
	for range 3 {
		over := ending(p.working("touch began; exec sleep 300"))
		began := time.Now()
		id := p.freezes("")
		ordered := time.Now()
		end := <-over
		least, typed = min(least, end.Sub(ordered)), min(typed, end.Sub(began))
		p.unfreezes(id)
	}
	p.t.Logf("a run was ended %v after the order was typed", typed)
	if least > time.Second {
		p.t.Errorf("no run was ended within a second: it took %v", least)
	}
	_ = agent.Process.Signal(syscall.SIGTERM)
	_ = agent.Wait()
	over := ending(p.working("trap : TERM HUP INT; touch began; while :; do sleep 0.1; done"))
	id := p.freezes("")
	select {
	case <-over:
		p.t.Error("it was ended without a connection")
	case <-time.After(time.Second):
	}
	agent = p.daemon("tadactl --home $CI fleet agent", "")
	select {
	case <-over:
	case <-time.After(time.Minute):
		p.t.Error("it was not ended at the next contact")
	}
	p.unfreezes(id)
	return agent
}

// ending says when a run has ended.
func ending(run *exec.Cmd) <-chan time.Time {
	over := make(chan time.Time, 1)
	go func() {
		_ = run.Wait() // a freeze ends it by a signal
		over <- time.Now()
	}()
	return over
}

// working starts a run on the machine, and returns when it has made the file "began".
func (p *place) working(command string) *exec.Cmd {
	p.t.Helper()
	began := filepath.Join(p.dir, "began")
	if err := os.RemoveAll(began); err != nil {
		p.t.Fatal(err)
	}
	run := p.daemon("tada-run --home $CI '"+command+"'", "")
	p.eventually("cat "+began, "")
	return run
}

// freezes has ann stop the machine, and unfreezes has both administrators end that.
func (p *place) freezes(how string) (id string) {
	p.t.Helper()
	said := p.run("person tadactl --home $ANN fleet freeze --label env=ci " + how)
	return strings.TrimSuffix(strings.Fields(said)[1], ":")
}

func (p *place) unfreezes(id string) {
	p.t.Helper()
	p.wants("person tadactl --home $ANN fleet unfreeze "+id, "signed by ann")
	p.wants("person tadactl --home $BOB fleet unfreeze "+id, "ended; signed by ann, bob\n")
	p.eventually("tada-run --home $CI true", "")
}
