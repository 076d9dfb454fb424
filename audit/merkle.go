package audit

import (
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// A tree is the RFC 6962 Merkle tree over the log. Its leaves are the hashes of the lines, not the
// lines, so a proof discloses nothing about other entries. It is computed from the log whenever it
// is needed; a stored one would be a second truth to defend.
type tree struct {
	hashes []tlog.Hash // in tlog's storage order
	size   int64
}

func (t *tree) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	list := make([]tlog.Hash, len(indexes))
	for i, x := range indexes {
		if x >= int64(len(t.hashes)) {
			return nil, fmt.Errorf("the tree of %s has no hash %d", Plural(t.size, "entry"), x)
		}
		list[i] = t.hashes[x]
	}
	return list, nil
}

func (t *tree) add(entry Hash) error {
	hashes, err := tlog.StoredHashes(t.size, entry[:], t)
	if err != nil {
		return err
	}
	t.hashes = append(t.hashes, hashes...)
	t.size++
	return nil
}

func (t *tree) root() (Hash, error) {
	h, err := tlog.TreeHash(t.size, t)
	return Hash(h), err
}
