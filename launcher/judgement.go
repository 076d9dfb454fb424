package launcher

import (
	"errors"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/client"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/frozen"
	"github.com/tada-run/tada-run/shellparse"
)

// A Judgement is a request together with everything that decides about it. It holds the
// files of the plan open; Close lets go of them.
type Judgement struct {
	Request Request
	Script  *shellparse.Script
	Plan    *pathguard.Plan
	Verdict pathguard.Verdict

	level   sandbox.Level // the best sandbox of this machine
	policy  pathguard.Policy
	refused error // why the configuration is refused; the policy then denies everything
	umask   int
	version string
	environ *surroundings
	shell   string         // the real shell
	stdin   string         // what kind of file standard input is
	client  *client.Client // the agent's program that a session is for; nil for none that is known

	// A caller that only asks what a text means does not pay for the fields below: each is made
	// once, when it is needed.

	// own is the judgement of the agent's command, if Script has a known text around it; else nil
	own      *Judgement
	settings string // what was around it and may change what it does

	onceMade
}

// onceMade are the parts of a judgement that are made when they are first needed.
type onceMade struct {
	frozen func() frozen.Frozen // the plan for the record; nil for what was not judged
	// what the plan touches, under the five words of the contract
	named   func() map[string][]string
	counted func() map[string]pathguard.Amount // how much a question deletes, by path
	// what the plan may reach, as far as it can be bound
	fence      func() pathguard.Fence
	sealed     func() sealed
	protection func() (*protection, error) // the protected files that the plan can reach
}

// Payload is the plan and its context as canonical bytes: what is shown, hashed and recorded.
func (j *Judgement) Payload() []byte { return j.subject().sealed().payload }

// Hash is the plan hash, of Payload: what an approval binds.
func (j *Judgement) Hash() string { return j.subject().sealed().hash }

// subject is what a person judges: the agent's command, without what its program put around it.
func (j *Judgement) subject() *Judgement {
	if j.own == nil {
		return j
	}
	return j.own.subject()
}

// Close lets go of the files of the plan.
func (j *Judgement) Close() error {
	if j.Plan == nil { // of a batch, whose calls hold them
		return nil
	}
	if j.own != nil {
		return errors.Join(j.own.Close(), j.Plan.Close())
	}
	return j.Plan.Close()
}

// sealed is what an approval binds.
type sealed struct {
	payload []byte
	hash    string
}

// agent is the name that the caller gave itself. It cannot be checked, and says so.
func (j *Judgement) agent() string {
	name := approval.AgentName(j.Request.Agent, j.Request.Env)
	if name == "" {
		return ""
	}
	return "?" + name
}

// Judged is what the policy says.
func (j *Judgement) Judged() pathguard.Verdict { return j.Verdict }
