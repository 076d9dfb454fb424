package approval

import (
	"context"
	"errors"
)

// An Again is a [DB] whose every transaction is run a second time, as where another one came first:
// once in Other, to no effect, and then in the database itself.
type Again struct {
	*Memory
	Other func() *Memory
}

var errFirst = errors.New("another transaction came first")

func (a Again) Update(ctx context.Context, fn func(Tx) error) error {
	_ = a.Other().Update(ctx, func(t Tx) error {
		_ = fn(t)
		return errFirst
	})
	return a.Memory.Update(ctx, fn)
}

func (a Again) View(ctx context.Context, fn func(Tx) error) error {
	_ = a.Other().View(ctx, fn)
	return a.Memory.View(ctx, fn)
}

func (a Again) Do(ctx context.Context, j *Job) error { return a.Update(ctx, j.Do) }
