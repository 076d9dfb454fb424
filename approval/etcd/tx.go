package etcd

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/tada-run/tada-run/approval"
)

// A tx is the [approval.Tx] of one try: what it changes, over the state before it.
type tx struct {
	secret []byte
	state  *state
	seq    uint64
	over   map[approval.Bucket]map[string]change
	told   []string // questions that have changed
}

func begin(secret []byte, s *state) *tx {
	return &tx{secret: secret, state: s, seq: s.seq, over: map[approval.Bucket]map[string]change{}}
}

func isSecret(b approval.Bucket, key string) bool {
	return b == approval.MetaBucket && key == approval.SecretKey
}

func (t *tx) Get(b approval.Bucket, key string) []byte {
	if isSecret(b, key) {
		return t.secret
	}
	if x, ok := t.over[b][key]; ok {
		return x.value
	}
	return t.state.values[b][key]
}

func (t *tx) set(x change) error {
	if isSecret(x.bucket, x.key) {
		return &approval.ConfigError{Name: "secret", Value: "in a change",
			Need: "it is never stored in etcd"}
	}
	if t.over[x.bucket] == nil {
		t.over[x.bucket] = map[string]change{}
	}
	t.over[x.bucket][x.key] = x
	return nil
}

func (t *tx) Put(b approval.Bucket, key string, value []byte) error {
	// not nil: that would mean that there is none
	return t.set(change{bucket: b, key: key, value: append([]byte{}, value...)})
}

func (t *tx) Delete(b approval.Bucket, key string) error {
	return t.set(change{bucket: b, key: key, gone: true})
}

func (t *tx) Keys(b approval.Bucket) []string {
	var keys []string
	for key := range t.state.values[b] {
		if _, ok := t.over[b][key]; !ok {
			keys = append(keys, key)
		}
	}
	for key, x := range t.over[b] {
		if !x.gone {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

func (t *tx) Seq() uint64 { return t.seq }

func (t *tx) SetSeq(seq uint64) error {
	t.seq = seq
	return nil
}

func (t *tx) Changed(id string) { t.told = append(t.told, id) }

// changes returns what differs from the state before, in a fixed order.
func (t *tx) changes() changes {
	slices.Sort(t.told)
	c := changes{seq: t.seq, changed: slices.Compact(t.told)}
	for _, bucket := range slices.Sorted(maps.Keys(t.over)) {
		for _, x := range t.over[bucket] {
			old, was := t.state.values[bucket][x.key]
			if x.gone && was || !x.gone && (!was || !bytes.Equal(old, x.value)) {
				c.list = append(c.list, x)
			}
		}
	}
	slices.SortFunc(c.list, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.bucket, b.bucket), cmp.Compare(a.key, b.key))
	})
	return c
}

// none reports whether nothing was changed.
func (c changes) none(s *state) bool { return len(c.list) == 0 && c.seq == s.seq }
