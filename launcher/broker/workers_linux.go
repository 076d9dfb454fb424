//go:build amd64 || arm64

package broker

import (
	"context"
	"sync"
)

// maxSlow is how many answers that take time may be under way: each holds a thread. Programs with
// many connections use calls that do not block.
const maxSlow = 192

// workers do what takes time beside the one thread that receives calls, so that the calls behind it
// do not wait.
type workers struct {
	ctx     context.Context
	cancel  context.CancelFunc
	slow    sync.WaitGroup
	readers sync.WaitGroup // of lookups that come as packets, until their file is closed
	room    chan struct{}  // a place for each that takes time
}

func newWorkers() *workers {
	w := &workers{room: make(chan struct{}, maxSlow)}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	return w
}

// beside does something while other calls are answered, with the rights of a caller.
func (w *workers) beside(f func()) {
	w.slow.Add(1)
	go func() {
		defer w.slow.Done()
		w.room <- struct{}{}
		defer func() { <-w.room }()
		asCaller(f)
	}()
}

// inTurn is beside for what a caller can send without waiting for an answer: the reader waits until
// there is room, and so does the caller.
func (w *workers) inTurn(f func()) {
	w.room <- struct{}{}
	w.slow.Add(1)
	go func() {
		defer w.slow.Done()
		defer func() { <-w.room }()
		asCaller(f)
	}()
}

// wait returns when all has ended. The readers come first: they bring what slow counts.
func (w *workers) wait() {
	w.readers.Wait()
	w.slow.Wait()
}
