package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The kinds that completeness depends on, besides those of a run: what happens to an approval, and
// to a protected file that was changed. The members read:
//
//	approval.*       envelope_id, from, to, outcome, nonce, nonce_hash, plan_hash
//	tamper.shown     digest     a person was shown this difference
//	tamper.accepted  digest     and accepted it
const (
	kindIssued    = "approval.issued"
	kindCanary    = "approval.canary"
	kindConsumed  = "approval.consumed"
	kindGrantUsed = "approval.grant-used"

	KindTamperShown    = "tamper.shown"
	KindTamperAccepted = "tamper.accepted"
)

// fact is the part of a body that the check of completeness reads.
type fact struct {
	SID        string `json:"sid"`
	Verdict    string `json:"verdict"`
	PlanHash   string `json:"plan_hash"`
	Authority  string `json:"authority"`
	EnvelopeID string `json:"envelope_id"`
	GrantID    string `json:"grant_id"`
	From       string `json:"from"`
	To         string `json:"to"`
	Outcome    string `json:"outcome"`
	Nonce      string `json:"nonce"`
	NonceHash  string `json:"nonce_hash"`
	Digest     string `json:"digest"`
	CallID     string `json:"call_id"`
	BatchPlan  string `json:"batch_plan"`
	Decisions  []struct {
		ID       string `json:"tool_call_id"`
		Approved bool   `json:"approved"`
	} `json:"decisions"`
}

// told says which entries of a run were read so far.
type told struct {
	intent  bool
	verdict string
	plan    string
	call    string
	start   *Entry // without an end yet
	ended   bool
	left    bool // its command has ended
	lost    bool // reported by exec.orphan
	revived bool // it went on after that
}

// A life is the state of an envelope after the entries read so far.
type life struct {
	issued, dead bool
	plan         string
	// runs that it may still start: one after it was consumed, or one for each call of a batch
	permits int
	calls   map[string]bool // allowed and not yet started
	nonce   string
}

// A completeness looks for what a valid chain leaves out: every start was announced, had a valid
// authority and has an end; every nonce ended once; every accepted tampering was shown before.
//
// Runs that have ended and envelopes that were used are forgotten: begins says later which of them
// came back.
type completeness struct {
	runs    map[string]*told
	lives   map[string]*life
	grants  map[string]int  // uses not yet followed by a start, by plan
	shown   map[string]bool // digests
	cut     bool            // the log begins after a pruning: what is before is not known
	revived []string        // runs
	begins  begins
}

// judges are selected by the beginning of a kind.
var judges = []struct {
	kind string
	take func(c *completeness, kind string, b fact, e Entry) string
}{
	{"exec.", (*completeness).exec},
	{"approval.", (*completeness).approval},
	{"tamper.", (*completeness).tamper},
}

func (c *completeness) take(kind string, f fields, hash Hash, offset, line int64) string {
	for _, j := range judges {
		if !strings.HasPrefix(kind, j.kind) {
			continue
		}
		var b fact
		if err := json.Unmarshal(f.body, &b); err != nil {
			return kind + " does not say what it is about: " + err.Error()
		}
		return j.take(c, kind, b, f.entry(hash, offset, line))
	}
	return ""
}

func (c *completeness) exec(kind string, b fact, e Entry) string {
	if b.SID == "" {
		return kind + " names no run"
	}
	r := c.runs[b.SID]
	if r == nil {
		r = &told{}
		c.runs[b.SID] = r
		c.begins.add(aboutRun, b.SID, kind)
		if kind == KindFailed { // of a run that had ended, or of none: again finds out
			delete(c.runs, b.SID)
			return ""
		}
	}
	switch {
	case kind == KindIntent && r.intent:
		return fmt.Sprintf("announces run %q a second time", b.SID)
	case kind == KindIntent:
		r.intent, r.verdict, r.plan, r.call = true, b.Verdict, b.PlanHash, b.CallID
	case !r.intent && !c.cut:
		return fmt.Sprintf("%s of run %q, which was never announced", kind, b.SID)
	}
	if r.lost && kind != KindOrphan {
		// versions that took a place before they locked it recorded the end of some runs that were
		// alive
		r.lost, r.ended, r.revived = false, false, true
		c.revived = append(c.revived, b.SID)
	}
	switch {
	case r.ended && kind != KindFailed:
		return fmt.Sprintf("%s of run %q, which had ended", kind, b.SID)
	case kind == KindLeft && (r.left || r.start == nil && r.intent):
		return fmt.Sprintf("tells of processes that run %q left, before its start or a second time",
			b.SID)
	case kind == KindLeft:
		r.left = true
	case kind == KindStart && r.start != nil:
		return fmt.Sprintf("run %q was started twice", b.SID)
	case kind == KindStart:
		r.start = &e
		return c.authority(r, b)
	case endsRun(kind):
		r.start, r.ended, r.lost = nil, true, kind == KindOrphan
		if !r.lost { // after that a run may go on
			delete(c.runs, b.SID)
		}
	}
	return ""
}

// authority returns why a run should not have been started.
func (c *completeness) authority(r *told, b fact) string {
	l := c.lives[b.EnvelopeID]
	known := r.intent // else what was before is not known
	plan := r.plan
	if b.BatchPlan != "" {
		// the person answered the plan of several calls; this call has a plan of its own in it
		plan = b.BatchPlan
	}
	switch {
	case b.Authority == "policy" && known && r.verdict != "allow":
		return fmt.Sprintf("was started by policy, which said %q", r.verdict)
	case b.Authority == "policy":
		return ""
	case b.Authority == "grant" && c.grants[b.GrantID] > 0:
		if c.grants[b.GrantID]--; c.grants[b.GrantID] == 0 {
			delete(c.grants, b.GrantID)
		}
		return ""
	case b.Authority != "approval":
		return fmt.Sprintf("was started by the authority %q, which does not exist", b.Authority)
	case l == nil || l.permits == 0:
		return fmt.Sprintf("was started by the approval %q, which was not consumed for it",
			b.EnvelopeID)
	case known && l.plan != plan:
		return fmt.Sprintf("was started by the approval %q, which was given for another plan",
			b.EnvelopeID)
	case known && b.BatchPlan != "" && !l.calls[r.call]:
		return fmt.Sprintf(
			"was started by the approval %q, which does not allow call %q, or not again",
			b.EnvelopeID, r.call)
	}
	delete(l.calls, r.call)
	if l.permits--; l.permits == 0 {
		delete(c.lives, b.EnvelopeID)
	}
	return ""
}

func (c *completeness) approval(kind string, b fact, _ Entry) string {
	if b.Nonce != "" && (b.To == "pending" || hashOf(b.Nonce) != b.NonceHash) {
		return "has a nonce that is still in use, or not its own"
	}
	if kind == kindGrantUsed {
		c.grants[b.GrantID]++
	}
	if b.EnvelopeID == "" || b.From == b.To {
		return "" // about a grant, or an attempt that changed nothing
	}
	l := c.lives[b.EnvelopeID]
	if l == nil {
		l = &life{}
		c.lives[b.EnvelopeID] = l
		c.begins.add(aboutQuestion, b.EnvelopeID, kind)
	}
	switch {
	case kind == kindIssued && l.issued:
		return fmt.Sprintf("asks question %q a second time", b.EnvelopeID)
	case kind == kindIssued:
		l.issued, l.plan, l.nonce = true, b.PlanHash, b.NonceHash
		return ""
	case !l.issued && !c.cut && kind != kindCanary: // an open canary is not in the log
		return fmt.Sprintf("%s of question %q, which was never asked", kind, b.EnvelopeID)
	case l.dead:
		return fmt.Sprintf("question %q died a second time", b.EnvelopeID)
	case l.issued && l.nonce != b.NonceHash:
		return fmt.Sprintf("question %q has another nonce than it was asked with", b.EnvelopeID)
	}
	l.dead = b.To != "pending"
	if kind == kindConsumed && b.Outcome == "executed" {
		l.plan, l.calls = b.PlanHash, map[string]bool{}
		for _, d := range b.Decisions {
			if d.Approved {
				l.calls[d.ID] = true
			}
		}
		l.permits = max(1, len(l.calls))
	}
	if l.dead && l.permits == 0 {
		delete(c.lives, b.EnvelopeID)
	}
	return ""
}

func (c *completeness) tamper(kind string, b fact, _ Entry) string {
	switch {
	case kind == KindTamperShown:
		c.shown[b.Digest] = b.Digest != ""
	case kind == KindTamperAccepted && !c.shown[b.Digest] && !c.cut:
		return fmt.Sprintf("accepts the change %q, which was never shown", b.Digest)
	}
	return ""
}

// open looks for runs that were started, have no end in the entries that were checked, and do not
// run now. The end of a run is written before its place is released, so a run that ended during the
// check has its end in a later entry. A run that was reported lost and went on has no place any
// more, and so no second end if it is killed.
func (c *completeness) open(v *verifier) *BadEntry {
	left := map[string]*Entry{}
	for sid, t := range c.runs {
		switch {
		case t.start == nil || t.revived:
		case v.o.Running == nil || !v.o.Running(sid):
			left[sid] = t.start
		default:
			v.report.Open++
		}
	}
	slices.Sort(c.revived)
	v.report.Revived = slices.Compact(c.revived)
	if len(left) > 0 && v.o.Running != nil {
		for e, err := range Entries(v.dir, Filter{Kinds: []string{"exec."}, Codec: v.o.Codec}) {
			var b fact
			if err == nil && e.Offset >= v.at.offset && endsRun(e.Kind) && json.Unmarshal(e.Body,
				&b) == nil {
				delete(left, b.SID)
			}
		}
	}
	var first *BadEntry
	for sid, start := range left {
		if first == nil || start.Seq < first.Seq {
			first = &BadEntry{File: logName, Seq: start.Seq, Line: start.Line, Offset: start.Offset,
				Reason: fmt.Sprintf("run %q was started, and has no end", sid)}
		}
	}
	return first
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
