package launcher

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard"
)

// The kinds of record that a run writes, in their order. Approval events stand between intent
// and start under the kinds that package approval gives them.
const (
	kindIntent = "exec.intent" // what is about to be done, and by which verdict
	kindDenied = "exec.denied" // it was not done
	kindStart  = "exec.start"  // it runs, in this fence
	kindEnd    = "exec.end"    // how it ended
	kindFailed = "exec.failed" // it could not be started
)

// kindTraffic is what a run did with the network, as it does it.
const kindTraffic = "net.traffic"

// ends are the kinds that tell the end of a run.
var ends = []string{kindDenied, kindEnd, kindFailed}

// isEnd reports whether a kind of entry is about the end of a run.
func isEnd(kind string) bool { return slices.Contains(ends, kind) }

// A RecordError says that an entry could not be written. What cannot be recorded does not run.
type RecordError struct {
	Kind string
	Err  error
}

func (e *RecordError) Error() string {
	var tampered *audit.TamperError
	help := "tadactl audit verify"
	switch {
	case errors.As(e.Err, &tampered), errors.Is(e.Err, audit.ErrNotDurable):
		help += "; to accept it after a review: tadactl audit accept --reason WHY"
	case isFull(e.Err):
		help = makeRoom
	}
	return fmt.Sprintf("cannot record %q, so nothing runs: %v; try: %s", e.Kind, e.Err, help)
}

// makeRoom is what helps where the disk of the state directory is full.
const makeRoom = "df -h ~/.tada; to delete old transcripts: tadactl gc --older 30d"

// isFull reports whether there was no room to write.
func isFull(err error) bool {
	return errors.Is(err, audit.ErrNoSpace) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Unwrap returns the cause.
func (e *RecordError) Unwrap() error { return e.Err }

// urgency is how an intent is written: durably when the next step may run it.
func (r *announced) urgency() audit.Durability {
	if r.Verdict.Decision == pathguard.Allow {
		return audit.Intent
	}
	return audit.Lazy
}

func (r *announced) intent() object {
	rules := make([]string, 0, len(r.Verdict.Reasons))
	for _, reason := range r.Verdict.Reasons {
		rules = append(rules, reason.Rule)
	}
	o := object{
		"command": beginning(r.shown), "command_bytes": len(r.Script.Text), "cwd": r.Plan.Dir,
		"plan_hash": r.Hash(), "policy": r.policy.Digest(), "verdict": r.Verdict.Decision.String(),
		"risk": r.Verdict.Risk, "rules": rules, "agent": r.agent(), "work_item": r.Request.WorkItem,
		"call_id": r.Request.CallID, "stdin": r.stdin, "env_removed": r.client.removed(r.environ.Removed),
		"tier": r.tier(), "version": Version(),
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
		o["session_of"] = r.client.facts()
	}
	if w := r.Request.Within; w != nil {
		o["within"] = w.Session
	}
	if r.secrets > 0 {
		o["command_secrets"] = r.secrets
		o["command_commitment"] = r.commitment()
		return o
	}
	o["command_sha256"], o["canonical_sha256"] = sha256Of(r.Script.Text), sha256Of(r.Script.Canonical)
	return o
}

// commitment stands in the place of the hash of a command line that holds a credential: with
// the rest of the line known, a plain hash would tell whether a guess at a short password is
// right. The key is kept nowhere; what binds the line is the plan's hash, which takes in the
// digest of everything around it.
func (r *announced) commitment() string {
	var key [16]byte
	if _, err := io.ReadFull(r.l.random, key[:]); err != nil {
		return ""
	}
	mac := hmac.New(sha256.New, key[:])
	_, _ = io.WriteString(mac, r.Script.Text)
	return hex.EncodeToString(mac.Sum(nil))
}

// maxCommand is how much of a command line stands in the log. A longer one is bound by its
// hash and stands in full at the beginning of the transcript: one line of the log is bounded.
const maxCommand = 32 << 10

func beginning(text string) string { return text[:min(len(text), maxCommand)] }

// brief is a text for a status line: its beginning and its end, with the number of characters between them.
func brief(text string, room int) string {
	var b strings.Builder
	for _, p := range approval.Shorten(text, nil, room) {
		if p.Cut > 0 {
			fmt.Fprintf(&b, " [%s cut] ", audit.Plural(p.Cut, "char"))
		}
		b.WriteString(p.Text)
	}
	return b.String()
}

// sha256Of is the hash of the text itself, as sha256sum(1) prints it.
func sha256Of(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// facts are the entry about the start: where the command runs, by what right, and what its sandbox
// lacks.
func (s *started) facts() object {
	lost := make([]any, 0, len(s.receipt.Lost))
	for _, l := range s.receipt.Lost {
		lost = append(lost, object{"protection": string(l.Protection), "why": l.Why})
	}
	bounds := make([]any, 0, len(s.receipt.Bounds))
	_, named := s.limited()
	for _, b := range s.receipt.Bounds {
		if at, ok := limitKeys[b.Limit]; b.Limit == sandbox.LimitWatches || ok && at.value(named) == 0 {
			continue // a default: it is told when the run comes to it
		}
		bounds = append(bounds, object{"limit": string(b.Limit), "value": int64(min(b.Value, 1<<53)), "by": string(b.By), "tree": b.Tree})
	}
	search := ""
	if s.partial {
		search = "incomplete"
	}
	o := object{
		"hide_search": search, "pid": s.process.Pid(), "launcher": runner(), "level": s.receipt.Level.String(), "kernel": s.receipt.Kernel,
		"profile": s.receipt.Profile, "landlock": s.receipt.Landlock, "errata": s.receipt.Errata, "proven": s.receipt.Proven, "lost": lost,
		"authority": s.kind(), "envelope_id": s.envelope, "grant_id": s.grant, "bounds": bounds,
	}
	if s.batch != "" {
		o["batch_plan"] = s.batch
	}
	if notice := s.unkept(); notice != "" {
		o["unkept"] = notice
	}
	if len(s.inherited) > 0 {
		o["inherited"] = fmt.Sprint(s.inherited)
	}
	if len(s.withheld) > 0 {
		o["withheld"] = s.withheld
	}
	return o
}

// vouch is what the log says of a transcript: its head, so that not a byte of it can change.
func vouch(sum audit.Summary) object {
	return object{"head": sum.Head.String(), "bytes": sum.Bytes, "count": sum.Count}
}
