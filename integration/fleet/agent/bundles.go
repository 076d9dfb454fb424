package agent

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
	"github.com/tada-run/tada-run/integration/fleet/member"
)

// keepBundles keeps the newest bundles that are for this machine.
func (a *Agent) keepBundles(ctx context.Context) error {
	if err := a.Launcher.Home().SweepBundles(); err != nil {
		return err
	}
	var one sync.Mutex // at a time
	return a.follow(ctx, keyspace.Bundles, func(key string, text []byte, again bool) error {
		one.Lock()
		defer one.Unlock()
		why, err := a.keepBundle(ctx, text)
		if why != nil && !again {
			a.say("bundle %q is not taken, and the one before it stays: %v", key, why)
		}
		a.hasNews()
		return err
	})
}

// keepBundle keeps a bundle that counts, and otherwise says why not. One that this machine cannot
// use is kept only if it is in force: what administrators have ordered is not known then, so
// nothing runs until it is withdrawn, or a newer version of this program can read it.
func (a *Agent) keepBundle(ctx context.Context, text []byte) (why, err error) {
	fleet, err := a.people(ctx)
	if err != nil {
		return nil, err
	}
	b, why := fleet.Bundle(text)
	if why != nil {
		return why, nil
	}
	if b.Machines.Selects(a.own.labels) {
		why = a.Launcher.TryBundle(member.OnDisk(b))
	}
	bad := why
	if a.unusable(b, bad); bad != nil && b.Stage != document.Force {
		return bad, nil
	}
	changed, err := a.Folder.Keep(b, a.own.labels)
	if errors.Is(err, document.ErrOldBundle) {
		return err, nil
	}
	if bad != nil && err == nil {
		a.say("bundle %q version %d is in force and cannot be used here, so nothing runs: %v",
			b.Name, b.Version, bad)
	} else if changed {
		a.say("bundle %q version %d (%s), signed by %s", b.Name, b.Version, b.Stage,
			strings.Join(b.By, ", "))
	}
	return nil, err
}

// people is the fleet document by which a bundle counts: the newest one, which may have come at the
// same time.
func (a *Agent) people(ctx context.Context) (document.Fleet, error) {
	known, err := a.Folder.Document()
	if err != nil {
		return known, err
	}
	got, err := a.Etcd.Get(ctx, keyspace.Fleet)
	if err != nil || len(got.Kvs) == 0 {
		return known, err
	}
	next, err := known.Follows(got.Kvs[0].Value)
	if err != nil {
		return known, nil // followDocuments reports it
	}
	return next, nil
}

// unusable notes why a bundle cannot be used here; nil for one that can.
func (a *Agent) unusable(b document.Bundle, why error) {
	about := b.Name + "." + string(b.Stage)
	if why == nil {
		a.news.bad.note(about, nil)
		return
	}
	a.news.bad.note(about, plan.Fields{"name": b.Name, "version": b.Version,
		"stage": string(b.Stage), "error": brief(why)})
}
