package approval

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// A Memory is a [DB] of this process alone.
type Memory struct {
	mu     sync.Mutex
	values map[Bucket]map[string][]byte // nil until the first change
	seq    uint64
	woken  chan struct{} // closed by the next change
}

func NewMemory() *Memory { return &Memory{woken: make(chan struct{})} }

func (m *Memory) Path() string { return "memory" }

func (m *Memory) View(_ context.Context, fn func(Tx) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values == nil {
		return fn(nil)
	}
	return fn(&memoryTx{m: m})
}

func (m *Memory) Update(_ context.Context, fn func(Tx) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	old, seq := m.values, m.seq
	m.values = map[Bucket]map[string][]byte{}
	for _, b := range Buckets {
		if m.values[b] = maps.Clone(old[b]); m.values[b] == nil {
			m.values[b] = map[string][]byte{}
		}
	}
	m.values[MetaBucket][SecretKey] = bytes.Repeat([]byte("s"), 32)
	t := &memoryTx{m: m}
	if err := fn(t); err != nil {
		m.values, m.seq = old, seq
		return err
	}
	close(m.woken)
	m.woken = make(chan struct{})
	return nil
}

func (m *Memory) Do(ctx context.Context, j *Job) error { return m.Update(ctx, j.Do) }

func (m *Memory) Await(ctx context.Context, _ string, look Look) error {
	for {
		m.mu.Lock()
		woken := m.woken
		m.mu.Unlock()
		again, done, err := look()
		if done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-woken:
		case <-time.After(again):
		}
	}
}

type memoryTx struct{ m *Memory }

func (t *memoryTx) Get(b Bucket, key string) []byte { return t.m.values[b][key] }

func (t *memoryTx) Put(b Bucket, key string, value []byte) error {
	t.m.values[b][key] = append([]byte{}, value...)
	return nil
}

func (t *memoryTx) Delete(b Bucket, key string) error {
	delete(t.m.values[b], key)
	return nil
}

func (t *memoryTx) Keys(b Bucket) []string { return slices.Sorted(maps.Keys(t.m.values[b])) }

func (t *memoryTx) Seq() uint64 { return t.m.seq }

func (t *memoryTx) SetSeq(seq uint64) error {
	t.m.seq = seq
	return nil
}

func (t *memoryTx) Changed(string) {}
