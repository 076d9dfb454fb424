package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/integration/fleet/cosign"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// cosignOthers answers other machines that want their checkpoints cosigned.
func (a *Agent) cosignOthers(ctx context.Context) error {
	self, err := a.self(ctx)
	if err != nil {
		return err
	}
	w, err := cosign.Open(a.Folder.Witness(), self)
	if err != nil {
		return err
	}
	defer w.Close()
	below := keyspace.Below(keyspace.Checkpoints, a.own.ID)
	return a.each(ctx, below, func(key string, text []byte) error {
		id := strings.TrimPrefix(key, below)
		fleet, err := a.Folder.Document()
		if err != nil {
			return err
		}
		answer, err := w.Answer(fleet, id, text)
		if err != nil { // every member can write there, whatever it likes
			return nil
		}
		return a.answerMachine(ctx, id, answer)
	})
}

// answerMachine stores the answer to a machine, and names one whose log is another than before.
func (a *Agent) answerMachine(ctx context.Context, id string, answer cosign.Answer) error {
	var why plan.Fields
	if answer.Refused != "" {
		why = plan.Fields{"machine": id, "why": briefly(answer.Refused)}
	}
	if a.news.refused.note(id, why) {
		if why != nil {
			a.say("the log of machine %s is not cosigned: %s", id, answer.Refused)
		}
		a.hasNews()
	}
	text, err := answer.Text()
	if err == nil {
		_, err = a.Etcd.Put(ctx, keyspace.Below(keyspace.Cosigned, a.own.ID)+id, string(text))
	}
	return err
}

// self is this machine as one that signs.
func (a *Agent) self(ctx context.Context) (cosign.Self, error) {
	s := cosign.Self{ID: a.own.ID, Now: a.Now}
	got, err := a.Etcd.Get(ctx, keyspace.Machines+a.own.ID)
	if err != nil {
		return s, err
	}
	if len(got.Kvs) == 0 {
		return s, fmt.Errorf("etcd has no record of machine %s", a.own.ID)
	}
	if s.Key, err = a.Folder.Key(); err == nil {
		s.Holder, err = document.HolderOf(got.Kvs[0].Value, s.Key), nil
	}
	return s, err
}
