package scale

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/plans"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
)

type object = map[string]any

// A run is one that is made out of a template.
type run struct {
	*template
	m      *maker
	words  words
	number int
	id     string
	agent  string
	hash   string // of its plan: what an approval binds
	began  time.Time
}

// vary is run n, as one of the template's kind in another workspace and with another word.
func (m *maker) vary(t *template, n int) *run {
	at, word := m.chance.IntN(len(m.Agents)), spelled(m.chance.IntN(usual))
	if n%3 == 0 {
		word = Nth(n)
	}
	r := &run{template: t, m: m, words: wordsOf(word, spelled(at)), number: n, agent: m.Agents[at]}
	if r.agent != "" {
		r.agent = "?" + r.agent // it says so itself
	}
	r.hash = hashOf(r.agent + string(r.words.bytes(t.plan)))
	return r
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// record appends one entry of the run.
func (r *run) record(kind string, body object) error {
	body["sid"] = r.id
	b, err := canonical.Append(nil, body)
	if err == nil {
		_, err = r.m.log.Append(kind, b, audit.Lazy)
	}
	return err
}

// body is the entry of that kind of the template's run, with the words of this one.
func (r *run) body(kind string) object { return r.words.object(r.bodies[kind]) }

// announce gives the run its id, stores its plan and writes its intent.
func (r *run) announce() (err error) {
	r.began = r.m.clock.now
	if r.id, err = state.NewID(r.began, r.m.random); err != nil {
		return err
	}
	body := r.body(record.KindIntent)
	if body["plan"], err = plans.Put(r.m.dir.Plans(), r.words.bytes(r.plan)); err != nil {
		return err
	}
	body["plan_hash"], body["agent"] = r.hash, r.agent
	if r.agent != "" {
		body["call_id"] = "toolu_" + r.id
	}
	if command := body["command"].(string); body["command_sha256"] != nil {
		body["command_sha256"], body["canonical_sha256"] = hashOf(command), hashOf(command)
	}
	if err := r.record(record.KindIntent, body); err != nil {
		return err
	}
	return r.m.release()
}

// denied is a run that the policy denied, or that asked a question.
func (r *run) denied(envelope string) error {
	if err := r.announce(); err != nil {
		return err
	}
	r.m.clock.advance(r.took)
	return r.refused(envelope)
}

func (r *run) refused(envelope string) error {
	body := r.body(record.KindDenied)
	body["plan_hash"], body["envelope_id"] = r.hash, envelope
	return r.record(record.KindDenied, body)
}
