package undo

const lockName, ledgerName = "lock", "ledger"

// budget is what a run may still keep.
type budget struct{ room, kept int64 }

// charge takes room for a pre-image from the quota.
func (b *budget) charge(n int64) error {
	if b.kept+n > b.room {
		return ErrQuota
	}
	b.kept += n
	return nil
}

func (b *budget) refund(n int64) { b.kept -= n }
