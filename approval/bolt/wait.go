package bolt

import (
	"context"
	"time"

	"github.com/tada-run/tada-run/approval"
)

// pollEvery is how often the store is read without inotify: a person takes longer to type an
// answer.
const pollEvery = 250 * time.Millisecond

// poll waits for a change of an envelope, as Await does, without inotify.
func poll(ctx context.Context, look approval.Look) error {
	for {
		again, done, err := look()
		if done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(pollEvery, again)):
		}
	}
}
