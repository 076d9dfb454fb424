package etcd

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/served"
)

// A harm is what is done to three nodes while others use them. At most one of them is away at a
// time, so that the others can go on.
type harm struct {
	do    func(c *served.Etcd, wires []*proxy, i, turn int)
	disk  time.Duration // how long it takes more
	wires []*proxy      // between some clients and the nodes
}

func (m *harm) cluster(t *testing.T) *served.Etcd {
	if m.disk > 0 {
		return served.StartSlowEtcd(t, 3, m.disk)
	}
	return served.StartEtcd(t, 3)
}

// before puts a wire before each node.
func (m *harm) before(t *testing.T, endpoints []string) (list []string) {
	for _, to := range endpoints {
		p := newProxy(t, to)
		m.wires = append(m.wires, p)
		list = append(list, p.Addr().String())
	}
	return list
}

// faults does harm to one node after the other, most often to the leader.
func (h *history) faults(b *bed, cluster *served.Etcd, m harm, until int64) {
	client := b.client()
	for turn := 0; monotonic() < until; turn++ {
		time.Sleep(400 * time.Millisecond)
		i := leader(client, b.o.Endpoints)
		if turn%3 == 2 {
			i = (i + 1) % len(b.o.Endpoints)
		}
		m.do(cluster, m.wires, i, turn)
		time.Sleep(900 * time.Millisecond)
	}
}

// killed kills a node, or stops it.
func killed(c *served.Etcd, _ []*proxy, i, turn int) {
	if turn%2 == 0 {
		c.Kill(i)
		time.Sleep(700 * time.Millisecond)
		c.Start(i)
		return
	}
	c.Pause(i)
	time.Sleep(time.Duration(800+rand.IntN(800)) * time.Millisecond)
	c.Resume(i)
}

// parted parts a node from the others, in both ways or in one, for longer than an election takes;
// and clients from all nodes: what they sent arrives later, or never.
func parted(c *served.Etcd, wires []*proxy, i, turn int) {
	c.Part(i, turn%3 != 1, turn%3 != 2)
	time.Sleep(time.Duration(rand.IntN(500)) * time.Millisecond)
	for _, p := range wires {
		p.held.Store(true)
	}
	time.Sleep(time.Duration(1200+rand.IntN(1200)) * time.Millisecond)
	for _, p := range wires {
		if turn%2 == 0 {
			p.close()
		}
		p.held.Store(false)
	}
	c.Heal()
}

func leader(c *clientv3.Client, endpoints []string) int {
	for i, e := range endpoints {
		limited, cancel := context.WithTimeout(ctx, time.Second)
		s, err := c.Status(limited, e)
		cancel()
		if err == nil && s.Leader == s.Header.MemberId {
			return i
		}
	}
	return 0
}

// A leader that is parted from the others is followed by another one, and answers nothing: not
// what it knew either. Afterwards it knows what it missed.
func TestPartedLeader(t *testing.T) {
	t.Parallel()
	cluster := served.StartEtcd(t, 3)
	b := newBed(t, cluster.Endpoints())
	s, client := b.store(b.db(nil)), b.client()
	for turn, lost := range []struct{ says, hears bool }{{true, true}, {true, false},
		{false, true}} {
		e := b.approved(s, turn)
		i := leader(client, b.o.Endpoints)
		alone := b.db(func(o *Options) { o.Endpoints = o.Endpoints[i : i+1]; o.Wait = time.Second })
		b.store(alone)
		cluster.Part(i, lost.says, lost.hears)
		for tries := 0; leader(client, b.o.Endpoints) == i; tries++ {
			if tries == 100 {
				t.Fatalf("%+v: it still leads", lost)
			}
			time.Sleep(50 * time.Millisecond)
		}
		if _, err := s.Consume(ctx, claim(e)); err != nil {
			t.Errorf("%+v: by the others: %v", lost, err)
		}
		err := alone.View(ctx, func(approval.Tx) error { return nil })
		if lost.says && lost.hears && !errors.Is(err, approval.ErrAway) {
			t.Errorf("it answers: %v", err)
		}
		cluster.Heal()
		own := b.store(b.db(func(o *Options) { o.Endpoints = o.Endpoints[i : i+1] }))
		if _, err := own.Consume(ctx, claim(e)); !errors.Is(err, approval.ErrReplayed) {
			t.Errorf("%+v: by the one that missed it: %v", lost, err)
		}
	}
}
