package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/member"
	"github.com/tada-run/tada-run/launcher"
)

// An Agent serves one state directory.
type Agent struct {
	Launcher *launcher.Launcher
	Folder   member.Folder
	Etcd     *clientv3.Client
	Now      func() time.Time
	Out      io.Writer // one line for each thing that a person should know

	own    member.Membership
	labels document.Labels
	lines  sync.Mutex
}

// The pauses between attempts to reach etcd.
const (
	firstPause = 200 * time.Millisecond
	lastPause  = 30 * time.Second
)

// ErrTaken is returned by Run while another agent serves the same machine.
var ErrTaken = errors.New("another agent serves this machine")

// Run works until the context ends. It fails with ErrTaken, document.ErrRevoked, or for files that
// cannot be used; a connection that is lost is no failure.
func (a *Agent) Run(ctx context.Context) error {
	own, err := a.Folder.Load()
	if err != nil {
		return err
	}
	a.own = own
	if a.labels, err = document.ParseLabels(own.Labels); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var parts sync.WaitGroup
	for name, part := range map[string]func(context.Context) error{
		"place": a.holdPlace, "questions": a.publish, "answers": a.takeAnswers,
		"documents": a.followDocuments, "freezes": a.obey, "certificate": a.renew,
	} {
		parts.Go(func() {
			if err := a.keepDoing(ctx, name, part); err != nil {
				cancel(err)
			}
		})
	}
	parts.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// keepDoing does a part again whenever it fails, after a pause. It returns what ends the agent.
func (a *Agent) keepDoing(ctx context.Context, name string,
	part func(context.Context) error) error {
	pause := firstPause
	for ctx.Err() == nil {
		began := a.Now()
		err := part(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, ErrTaken), errors.Is(err, document.ErrRevoked):
			return err
		case err != nil:
			a.say("%s: %v; trying again", name, err)
		}
		if a.Now().Sub(began) > lastPause {
			pause = firstPause // it worked for a while
		}
		wait(ctx, pause)
		pause = min(2*pause, lastPause)
	}
	return nil
}

func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// say tells a person. What others wrote is quoted by the caller.
func (a *Agent) say(format string, args ...any) {
	a.lines.Lock()
	defer a.lines.Unlock()
	fmt.Fprintf(a.Out, "tada-fleet: "+format+"\n", args...)
}

// renewEvery is how often the age of the certificate is looked at.
const renewEvery = time.Hour

// renew keeps the certificate of the machine valid.
func (a *Agent) renew(ctx context.Context) error {
	for ctx.Err() == nil {
		if _, err := a.Folder.RenewIfDue(ctx, a.Now()); err != nil {
			return err
		}
		wait(ctx, renewEvery)
	}
	return nil
}
