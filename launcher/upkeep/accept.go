package upkeep

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/permit"
)

// Accept lets the log continue after it was found changed, because the person at tty has read the
// findings and typed what the page asks for. What was changed stays unproven: see [audit.Gap]. The
// error wraps [approval.ErrPeer] for a process that may not answer questions, [ErrNobody] if no one
// answered, and [ErrNotAccepted] if the person refused.
func (k *Keeper) Accept(ctx context.Context, tty *os.File, reason string) (audit.Entry, error) {
	if _, err := k.approvals.May(approval.AcceptRecord, approval.ChannelTadactl); err != nil {
		return audit.Entry{}, err
	}
	found, seen := k.changed(), k.approvals.StorePlace(ctx)
	payload, err := acceptPage(k.dir.Audit(), found, reason)
	if err != nil {
		return audit.Entry{}, err
	}
	yes, _, err := k.approvals.AskQuestion(ctx, tty, approval.Question{Payload: payload})
	switch {
	case err != nil:
		return audit.Entry{}, err
	case !yes:
		return audit.Entry{}, ErrNotAccepted
	}
	log, err := k.record.OpenLog()
	if err != nil {
		return audit.Entry{}, err
	}
	defer log.Close()
	e, err := log.Accept(permit.Person(), reason, seen...)
	if err == nil && len(seen) > 0 {
		err = k.approvals.Store.Follow(ctx, e.Place().String())
	}
	return e, err
}

// ErrNotAccepted is returned by Accept when the person at the terminal refused.
var ErrNotAccepted = errors.New("not accepted; nothing was changed")

// changed says what is wrong with the log, "" if the log alone does not show it.
func (k *Keeper) changed() string {
	if _, err := k.Verify(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err.Error()
	}
	return ""
}

// acceptPage is the question whether the record may go on. It is of the highest risk: what a person
// accepts here stays unproven for ever.
func acceptPage(folder, found, reason string) ([]byte, error) {
	if found == "" {
		found = "the log verifies; an earlier entry may not have been stored"
	}
	return canonical.Append(nil, map[string]any{
		"agent_name": "", "work_item_id": "", "risk": 3, "trust": "human",
		"tool_calls": []any{map[string]any{
			"tool_call_id": "c1", "tool_name": "audit accept",
			"args": map[string]any{"record": folder, "found": found, "reason": reason},
		}},
		"reasons": []any{map[string]any{
			"rule": "audit.accept", "decision": "ask", "risk": 3,
			"message": "accepts a record that was changed; the changed part stays unproven",
		}},
	})
}
