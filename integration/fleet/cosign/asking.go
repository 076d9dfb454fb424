package cosign

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/launcher/upkeep"
)

// A Want is a checkpoint that others should cosign, and the key that has signed it.
type Want struct {
	Signed []byte
	Log    upkeep.LogKey
}

// An Asking is the checkpoint of this machine that others are asked to cosign now, and what has
// come. A nil Asking asks nobody.
type Asking struct {
	mu   sync.Mutex
	want Want
	have []Answer
	news chan struct{}
	came chan struct{}
}

// NewAsking returns one that asks for nothing yet.
func NewAsking() *Asking {
	return &Asking{news: make(chan struct{}, 1), came: make(chan struct{}, 1)}
}

// Came is sent to when something has come, after Settled.
func (a *Asking) Came() <-chan struct{} { return a.came }

// Settled says that no more will come before the next checkpoint is asked for.
func (a *Asking) Settled() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.have) > 0 {
		signal(a.came)
	}
}

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default: // it will be looked at
	}
}

// textOf is a checkpoint without its signatures.
func textOf(signed []byte) []byte {
	text, _, _ := bytes.Cut(signed, []byte("\n\n"))
	return text
}

// Ask asks for cosignatures of a checkpoint, and returns at once.
func (a *Asking) Ask(w Want) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !bytes.Equal(textOf(w.Signed), textOf(a.want.Signed)) {
		a.have = nil
	}
	a.want = w
	signal(a.news)
}

// Next waits for a checkpoint to be asked for; false when the context ends.
func (a *Asking) Next(ctx context.Context) (Want, bool) {
	select {
	case <-ctx.Done():
		return Want{}, false
	case <-a.news:
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.want, true
}

// Add notes a cosignature, which the caller has verified, of what was asked for.
func (a *Asking) Add(w Want, answer Answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if bytes.Equal(textOf(w.Signed), textOf(a.want.Signed)) && !has(a.have, answer.Holder) {
		a.have = append(a.have, answer)
	}
}

func has(list []Answer, h document.Holder) bool {
	return slices.ContainsFunc(list, func(b Answer) bool { return b.Key.Equal(h.Key) })
}

// With adds what has come to a checkpoint, which the machines in by have cosigned already.
func (a *Asking) With(signed []byte, by []document.Holder) ([]byte, []document.Holder, error) {
	if a == nil {
		return signed, by, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !bytes.Equal(textOf(signed), textOf(a.want.Signed)) {
		return signed, by, nil
	}
	for _, c := range a.have {
		if slices.ContainsFunc(by, func(h document.Holder) bool { return h.Key.Equal(c.Key) }) {
			continue
		}
		var err error
		if signed, err = audit.AddCosignatures(signed, c.Lines); err != nil {
			return nil, nil, err
		}
		by = append(slices.Clone(by), c.Holder)
	}
	return signed, by, nil
}
