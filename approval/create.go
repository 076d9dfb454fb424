package approval

import (
	"encoding/hex"
	"errors"
	"time"

	"github.com/tada-run/tada-run/approval/plan"
)

// create writes a new envelope. A nonce that already exists is an error and not a reason to retry:
// a source that repeats itself cannot be trusted for anything else.
func (t *tx) create(r Request, p plan.Plan, ttl time.Duration) (*entry, error) {
	idBits, err := t.newUUID()
	if err != nil {
		return nil, err
	}
	nonce, err := t.newUUID()
	if err != nil {
		return nil, err
	}
	id, hash := formatUUID(idBits), nonceHash(nonce)
	if t.raw(nonceBucket, hash) != nil || t.raw(envelopeBucket, id) != nil ||
		t.raw(tombstoneBucket, id) != nil {
		return nil, errors.New("approval: the source of randomness repeats itself")
	}
	refused, err := t.refusedKin(p.Kin)
	if err != nil {
		return nil, err
	}
	born := t.now.stamp()
	planHash := plan.Hash(r.Payload)
	masked := t.mask(id, nonce)
	for _, err := range []error{
		t.put(envelopeBucket, id, plan.Fields{
			"agent_name":    p.Agent,
			"canary":        r.Canary,
			"boot":          int64(born.boot),
			"boot_id":       born.bootID,
			"budget":        r.Budget,
			"envelope_id":   id,
			"expires_at":    plan.FormatTime(born.at.Add(ttl)),
			"issued_at":     plan.FormatTime(born.at),
			"kin":           p.Kin,
			"nonce_hash":    hash,
			"person":        r.Person,
			"nonce_masked":  hex.EncodeToString(masked[:]),
			"plan_hash":     planHash,
			"quorum":        r.Quorum,
			"refused":       refused,
			"requester":     r.Requester,
			"risk":          p.Risk,
			"rules":         p.Rules,
			"session":       r.Session,
			"through":       r.Through,
			"tool_call_ids": p.Calls,
			"trust":         p.Trust.String(),
			"ttl":           int64(ttl),
			"work_item_id":  p.WorkItem,
		}),
		t.putRaw(payloadBucket, id, r.Payload),
		t.putRaw(nonceBucket, hash, []byte(id)),
		t.putRaw(planBucket, planKey(r.Session, planHash), []byte(id)),
		t.putRaw(pendingBucket, id, nil),
		t.put(stateBucket, id, plan.Fields{"state": string(Pending),
			"since": plan.FormatTime(born.at)}),
	} {
		if err != nil {
			return nil, err
		}
	}
	return t.load(id)
}
