package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/witness"
	"github.com/tada-run/tada-run/integration/fleet/cosign"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

const (
	// answerWait is how long an answer of a witness is waited for.
	answerWait = 20 * time.Second
	// askAgain is when a witness that did not cosign a checkpoint is asked for the same one again.
	askAgain = 10 * time.Minute
	// rounds are needed where a witness has seen something else than it last said.
	rounds = 2
)

// An asked is the last checkpoint that a witness was asked for.
type asked struct {
	signed []byte
	at     time.Time
	said   string // why it refused
}

// askOthers asks other machines to cosign what the shipper wants cosigned.
func (a *Agent) askOthers(ctx context.Context) error {
	last := map[string]*asked{}
	for {
		w, ok := a.asking.Next(ctx)
		if !ok {
			return nil
		}
		if err := a.askAll(ctx, w, last); err != nil {
			return err
		}
	}
}

// A growing is a checkpoint, and the proofs that the log has grown to it.
type growing struct {
	cosign.Want
	log    note.Verifier
	count  int64 // of its entries
	mu     sync.Mutex
	proofs map[int64]tlog.TreeProof // by how many entries were seen before
}

// askAll asks each witness of this machine that was not asked for this checkpoint lately.
func (a *Agent) askAll(ctx context.Context, w cosign.Want, last map[string]*asked) error {
	g := &growing{Want: w, proofs: map[int64]tlog.TreeProof{}}
	fleet, err := a.Folder.Document()
	if err == nil {
		g.log, err = note.NewVerifier(w.Log.Public)
	}
	if err != nil {
		return err
	}
	p, err := audit.CheckpointPoint(w.Signed, note.VerifierList(g.log))
	if err != nil {
		return err
	}
	g.count = p.Count
	ids, err := cosign.Others(ctx, a.Etcd, fleet, a.own.ID)
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	for _, id := range ids {
		was := last[id]
		if was == nil {
			was = &asked{}
			last[id] = was
		}
		if bytes.Equal(was.signed, w.Signed) && a.Now().Sub(was.at).Abs() < askAgain {
			continue
		}
		was.signed, was.at = w.Signed, a.Now()
		all.Go(func() { a.ask(ctx, id, g, was) })
	}
	all.Wait()
	a.asking.Settled()
	return nil
}

// ask asks one witness. That it refuses is said when it says something new.
func (a *Agent) ask(ctx context.Context, id string, g *growing, was *asked) {
	ctx, cancel := context.WithTimeout(ctx, answerWait)
	defer cancel()
	answer, err := cosign.Said(ctx, a.Etcd, id, a.own.ID)
	for n := 0; n < rounds && err == nil; n++ {
		if answer, err = a.askOnce(ctx, id, g, answer.Entries); answer.Lines != nil ||
			answer.Refused != "" {
			break
		}
	}
	switch {
	case err == nil && answer.Lines != nil:
		err = a.takeCosignature(id, g, answer)
	case err == nil && answer.Refused != "":
		err = fmt.Errorf("it refuses to cosign: %q", answer.Refused)
	}
	if err == nil || ctx.Err() != nil { // one that is away is no news: tadactl fleet status
		was.said = ""
		return
	}
	if said := err.Error(); said != was.said {
		was.said = said
		a.say("witness %s: %v", id, err)
	}
}

// askOnce sends a request to a witness that has seen so many entries, and waits for the answer.
func (a *Agent) askOnce(ctx context.Context, id string, g *growing, seen int64) (cosign.Answer,
	error) {
	if seen > g.count {
		seen = 0 // it was cut; the witness will say so
	}
	proof, err := a.growth(g, seen)
	if err != nil {
		return cosign.Answer{}, err
	}
	self, err := a.self(ctx)
	if err != nil {
		return cosign.Answer{}, err
	}
	text, err := cosign.Request{Machine: a.own.ID, Witness: id, Holder: self.Holder,
		Log: g.Log.Public, Add: witness.AddBody(seen, proof, g.Signed)}.Sign(self.Key)
	if err != nil {
		return cosign.Answer{}, err
	}
	put, err := a.Etcd.Put(ctx, keyspace.Below(keyspace.Checkpoints, id)+a.own.ID, string(text))
	if err != nil {
		return cosign.Answer{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the watch
	for w := range a.Etcd.Watch(ctx, keyspace.Below(keyspace.Cosigned, id)+a.own.ID,
		clientv3.WithRev(put.Header.Revision)) {
		for _, e := range w.Events {
			if e.Type == clientv3.EventTypePut {
				return cosign.ReadAnswer(e.Kv.Value)
			}
		}
	}
	return cosign.Answer{}, errWatch
}

// growth is the proof that the log of this machine has grown from so many entries. The whole log is
// read for it, so it is made once for witnesses that have seen the same.
func (a *Agent) growth(g *growing, from int64) (tlog.TreeProof, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	proof, ok := g.proofs[from]
	if ok || from == 0 {
		return proof, nil
	}
	proof, err := a.Launcher.ProveGrowth(from, g.Signed, g.Log)
	if err == nil {
		g.proofs[from] = proof
	}
	return proof, err
}

// takeCosignature hands the cosignature of a witness to the shipper, if it is one.
func (a *Agent) takeCosignature(id string, g *growing, answer cosign.Answer) error {
	fleet, err := a.Folder.Document()
	if err != nil {
		return err
	}
	signed, err := audit.AddCosignatures(g.Signed, answer.Lines)
	if err != nil {
		return err
	}
	by, err := cosign.Cosigned(fleet, a.own.ID, signed, g.log, []document.Holder{answer.Holder})
	if err == nil && (len(by) != 1 || by[0].ID != id) {
		err = errors.New("its answer has no cosignature of it")
	}
	if err == nil {
		a.asking.Add(g.Want, answer)
	}
	return err
}
