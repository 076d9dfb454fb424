package launcher

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard"
)

// urgency is how an intent is written: durably when the next step may run it.
func (r *announced) urgency() audit.Durability {
	if r.Verdict.Decision == pathguard.Allow {
		return audit.Intent
	}
	return audit.Lazy
}

func (r *announced) intent() object {
	o := object{
		"command": beginning(r.shown), "command_bytes": len(r.Script.Text), "cwd": r.Plan.Dir,
		"plan_hash": r.Hash(), "policy": r.policy.Digest(), "verdict": r.Verdict.Decision.String(),
		"risk": r.Verdict.Risk, "rules": rulesOf(r.Verdict), "agent": r.agent(),
		"work_item": r.Request.WorkItem,
		"call_id":   r.Request.CallID, "stdin": r.stdin,
		"env_removed": r.client.Removed(r.environ.Removed),
		"tier":        r.tier(), "version": Version(), "plan": r.plan,
	}
	if shadow := r.l.shadowed(r.Judgement); shadow != nil {
		o["shadow"] = shadow
	}
	if len(r.l.force) > 0 {
		o["policies"] = state.BundleNames(r.l.force)
	}
	if tries := r.l.tries(r.Judgement); len(tries) > 0 {
		o["trials"] = tries
	}
	if own := r.inside(); own != "" {
		own, _ = audit.HideSecrets(own)
		o["inside"] = beginning(own)
	}
	if r.own != nil {
		o["through"] = r.Script.Wrapped.Client
	}
	if r.Request.Hold != nil {
		o["session"] = true
	}
	if r.client != nil {
		o["session_of"] = trimmed(r.client.Facts())
	}
	if w := r.Request.Within; w != nil {
		o["within"] = w.Session
	}
	if r.secrets > 0 {
		o["command_secrets"] = r.secrets
		o["command_commitment"] = r.commitment()
		return o
	}
	o["command_sha256"], o["canonical_sha256"] = sha256Of(r.Script.Text),
		sha256Of(r.Script.Canonical)
	return o
}

// rulesOf are the rules of all reasons of a verdict.
func rulesOf(v pathguard.Verdict) []string {
	rules := make([]string, 0, len(v.Reasons))
	for _, reason := range v.Reasons {
		rules = append(rules, reason.Rule)
	}
	return rules
}

// commitment replaces the hash of a command line that holds a credential: with the rest of the line
// known, a plain hash would confirm a guess at a short password. The key is stored nowhere; what
// binds the line is the plan's hash, which covers the digest of everything around it.
func (r *announced) commitment() string {
	var key [16]byte
	if _, err := io.ReadFull(r.l.state.Random, key[:]); err != nil {
		return ""
	}
	mac := hmac.New(sha256.New, key[:])
	_, _ = io.WriteString(mac, r.Script.Text)
	return hex.EncodeToString(mac.Sum(nil))
}
