package served

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tada-run/tada-run/approval/relay/wire"
)

// errCrowded refuses a client that wants to wait.
var errCrowded = errors.New("too many clients wait for answers")

// await waits for a question in the client's place. A second goroutine reads meanwhile, so that a
// client that goes away is not waited for.
func (g *guest) await(ctx context.Context, id string) error {
	if !isID(id) {
		return g.fail(fmt.Errorf("%w: question %.64q", errPlace, id))
	}
	if !g.wait() {
		return g.fail(errCrowded)
	}
	defer g.waited()
	_ = g.conn.SetReadDeadline(time.Time{})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	looked := make(chan wire.Message)
	g.working.Go(func() {
		defer cancel()
		for {
			m, err := g.Expect(wire.Looked)
			if err != nil {
				return
			}
			select {
			case looked <- m:
			case <-ctx.Done():
				return
			}
			if m.Yes {
				return
			}
		}
	})
	err := g.db.Await(ctx, id, func() (time.Duration, bool, error) {
		_ = g.conn.SetWriteDeadline(time.Now().Add(maxAnswer))
		if err := g.Send(wire.Message{Kind: wire.Look}); err != nil {
			return 0, false, err
		}
		select {
		case m := <-looked:
			return time.Duration(min(m.Number, math.MaxInt64)), m.Yes, nil
		case <-ctx.Done():
			return 0, false, ctx.Err()
		}
	})
	if err == nil {
		return errEnded // the connection was for this
	}
	return g.fail(err)
}
