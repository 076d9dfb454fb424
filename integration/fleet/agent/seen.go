package agent

import (
	"context"
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// seenEvery is how often a machine says that it is there.
const seenEvery = time.Minute

// beSeen says from time to time that the machine is there, while this agent has its place: that it
// says so is how another one knows.
func (a *Agent) beSeen(ctx context.Context) error {
	for ctx.Err() == nil {
		if !a.place.link.holds() {
			wait(ctx, lookPause)
			continue
		}
		if err := a.saySeen(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-a.news.changed:
		case <-time.After(seenEvery):
		}
	}
	return nil
}

// saySeen stores what the machine says of itself.
func (a *Agent) saySeen(ctx context.Context) error {
	said := plan.Fields{"time": plan.FormatTime(a.Now())}
	if head, err := a.Launcher.Head(); err == nil {
		said["head"] = head.String()
	}
	for what, list := range map[string][]any{"refused": a.news.refused.list(),
		"record": a.news.record.list(), "replays": a.news.replays.list()} {
		if len(list) > 0 {
			said[what] = list
		}
	}
	if policies, err := a.standing(); err == nil {
		said["policies"] = policies
	}
	value, err := canonical.Append(nil, map[string]any(said))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, placeLife*time.Second)
	defer cancel()
	_, err = a.Etcd.Put(ctx, keyspace.Below(keyspace.Seen, a.own.ID)+keyspace.Said, string(value))
	return err
}
