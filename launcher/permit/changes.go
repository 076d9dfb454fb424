package permit

import (
	"context"
	"sync"
	"time"
)

func tellChange(changes chan<- struct{}) {
	select {
	case changes <- struct{}{}:
	default: // one is waiting already
	}
}

// followAgain is how often the fleet's agent is looked for while it is away.
const followAgain = time.Second

// follow is Changes where the fleet's agent has the store.
func (p *Approvals) follow(ctx context.Context) <-chan struct{} {
	changes := make(chan struct{}, 1)
	changes <- struct{}{}
	go func() {
		defer close(changes)
		withdrawing := sync.OnceFunc(func() { go p.withdrawing(ctx) })
		for ctx.Err() == nil {
			if p.Ready() == nil {
				withdrawing()
				_ = p.Store.Watch(ctx, func() { tellChange(changes) }) // whoever reads learns why
			}
			tellChange(changes)
			select {
			case <-ctx.Done():
			case <-time.After(followAgain):
			}
		}
	}()
	return changes
}
