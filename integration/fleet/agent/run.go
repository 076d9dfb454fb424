package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/relay/served"
	"github.com/tada-run/tada-run/integration/fleet/cosign"
	"github.com/tada-run/tada-run/integration/fleet/document"
)

// The pauses between attempts to reach etcd.
const (
	firstPause = 200 * time.Millisecond
	lastPause  = 30 * time.Second
)

// Run works until the context ends. It fails with ErrTaken, ErrMoved, document.ErrRevoked,
// approval.ErrLocked for a second agent of the account, approval.ErrMeddled for another cluster, or
// for files and a database that cannot be used; a connection that is lost is no failure.
func (a *Agent) Run(ctx context.Context) error {
	own, err := a.Folder.Load()
	if err != nil {
		return err
	}
	a.own.Membership = own
	if a.own.labels, err = document.ParseLabels(own.Labels); err != nil {
		return err
	}
	a.asking = cosign.NewAsking()
	a.place.unique, a.place.silence = rand.Text()[:8], cmp.Or(a.place.silence, silence)
	a.news.changed = make(chan struct{}, 1)
	socket, err := served.Listen(a.Launcher.Home().FleetSocket())
	if err != nil {
		return err
	}
	defer socket.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() { cancel(a.serveApprovals(ctx, socket)) }()
	var parts sync.WaitGroup
	for name, part := range map[string]func(context.Context) error{
		"place": a.holdPlace, "seen": a.beSeen, "questions": a.publish, "answers": a.takeAnswers,
		"documents": a.followDocuments, "freezes": a.obey, "certificate": a.renew,
		"record": a.shipRecord,
		"policy": a.keepBundles, "trials": a.followTrials,
		"asking": a.askOthers, "witness": a.cosignOthers,
	} {
		parts.Go(func() {
			if err := a.keepDoing(ctx, name, part); err != nil {
				cancel(err)
			}
		})
	}
	parts.Wait()
	switch err := context.Cause(ctx); {
	case errors.Is(err, context.Canceled):
		return nil
	case errors.Is(err, approval.ErrMeddled): // also where etcd lets this machine read nothing
		return cmp.Or(a.expelled(context.WithoutCancel(ctx)), err)
	default:
		return err
	}
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
		case errors.Is(err, ErrTaken), errors.Is(err, ErrMoved),
			errors.Is(err, document.ErrRevoked), errors.Is(err, approval.ErrMeddled):
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
