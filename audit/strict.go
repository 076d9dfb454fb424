package audit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
)

// strict reads every entry a second time in another way: the body is decoded and written again, the
// date must exist, and entries about approvals must have all their members. It is ten times slower
// than the check of raw bytes, and shows that the two agree.
func (v *verifier) strict() error {
	if !v.o.Strict {
		return nil
	}
	var bad error
	w := walk{r: v.log, end: v.at.offset, at: v.from, open: true, entry: func(f fields, _ Hash,
		offset, line int64) {
		if reason := strictly(f); reason != "" && bad == nil {
			bad = &BadEntry{File: logName, Seq: f.seq, Line: line, Offset: offset, Reason: reason}
		}
	}}
	if err := w.run(); err != nil && !errors.Is(err, errTorn) {
		return err
	}
	return bad
}

// strictly returns what is wrong with a line that passed the fast check.
func strictly(f fields) string {
	if t, err := time.Parse(timeLayout, string(f.time)); err != nil ||
		t.Format(timeLayout) != string(f.time) {
		return fmt.Sprintf("no such time: %s", f.time)
	}
	value, err := canonical.Parse(f.body)
	if err != nil {
		return "body: " + err.Error()
	}
	if again, err := canonical.Append(nil, value); err != nil || !bytes.Equal(again, f.body) {
		return "body: written again it is not the same"
	}
	body, _ := value.(map[string]any)
	if strings.HasPrefix(string(f.kind), "approval.") {
		return approvalLacks(string(f.kind), body)
	}
	return ""
}

// approvalMembers are in every event of an approval. A live nonce appears only as its hash; the
// member nonce is then empty.
var approvalMembers = []string{
	"time", "envelope_id", "work_item_id", "plan_hash", "nonce", "nonce_hash", "decisions",
	"outcome", "computed_plan_hash",
}

// approvalOutcomes are the possible outcomes of an attempt.
var approvalOutcomes = []string{
	"", "approved", "executed", "denied", "cancelled", "unknown", "rejected:tampered",
	"rejected:expired",
	"rejected:replayed", "rejected:mismatch", "rejected:bijection", "rejected:unknown",
}

func approvalLacks(kind string, body map[string]any) string {
	for _, name := range approvalMembers {
		v, ok := body[name]
		_, text := v.(string)
		_, list := v.([]any)
		if !ok || name != "decisions" && !text || name == "decisions" && !list {
			return fmt.Sprintf("%s has no %q", kind, name)
		}
	}
	if o := body["outcome"].(string); !slices.Contains(approvalOutcomes, o) {
		return fmt.Sprintf("%s has the unknown outcome %q", kind, o)
	}
	return ""
}
