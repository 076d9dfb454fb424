package etcd

import (
	"sync/atomic"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/served"
)

func benchStore(b *testing.B) (*bed, *DB, *approval.Store) {
	bed := newBed(b, served.StartEtcd(b, 1).Endpoints())
	db := bed.db(nil)
	return bed, db, bed.store(db)
}

// BenchmarkConsume is how long one use takes, alone.
func BenchmarkConsume(b *testing.B) {
	bed, _, s := benchStore(b)
	n := 0
	for b.Loop() {
		b.StopTimer()
		e := bed.approved(s, n)
		n++
		b.StartTimer()
		if _, err := s.Consume(ctx, claim(e)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkQuestions asks, answers and uses in 64 goroutines over one connection. Uses and requests
// share commits, answers have each their own.
func BenchmarkQuestions(b *testing.B) {
	bed, db, s := benchStore(b)
	var n atomic.Int64
	b.SetParallelism(32)
	bed.ask(s, 0)
	before := db.state.n
	b.ResetTimer()
	b.RunParallel(func(next *testing.PB) {
		for next.Next() {
			e := bed.approved(s, n.Add(1))
			if _, err := s.Consume(ctx, claim(e)); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(db.state.n-before)/b.Elapsed().Seconds(), "commits/s")
	b.ReportMetric(float64(n.Load())/b.Elapsed().Seconds(), "questions/s")
}

// BenchmarkMachines asks, answers and uses on 64 machines, each with a connection and questions of
// its own, and one node that waits for the disk: what one etcd can do.
func BenchmarkMachines(b *testing.B) {
	servers := served.StartEtcd(b, 1, "-no-fsync=false").Endpoints()
	const machines = 64
	turns := make(chan *approval.Store, machines)
	beds := map[*approval.Store]*bed{}
	for range machines {
		bed := newBed(b, servers)
		s := bed.store(bed.db(nil))
		bed.ask(s, 0)
		turns <- s
		beds[s] = bed
	}
	var n atomic.Int64
	b.SetParallelism(machines / 2)
	b.ResetTimer()
	b.RunParallel(func(next *testing.PB) {
		s := <-turns
		for next.Next() {
			e := beds[s].approved(s, n.Add(1))
			if _, err := s.Consume(ctx, claim(e)); err != nil {
				b.Error(err)
			}
		}
		turns <- s
	})
	b.StopTimer()
	b.ReportMetric(float64(n.Load())/b.Elapsed().Seconds(), "questions/s")
	c := beds[<-turns].client()
	if status, err := c.Status(ctx, servers[0]); err == nil {
		b.ReportMetric(float64(status.DbSize)/float64(n.Load()+machines), "bytes/question")
	}
}

// BenchmarkCommit is one change of one key, and BenchmarkView one read.
func BenchmarkCommit(b *testing.B) {
	_, db, _ := benchStore(b)
	for b.Loop() {
		if err := db.Update(ctx, func(tx approval.Tx) error {
			return tx.SetSeq(tx.Seq() + 1)
		}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkView(b *testing.B) {
	bed, db, s := benchStore(b)
	bed.ask(s, 1)
	for b.Loop() {
		if err := db.View(ctx, func(approval.Tx) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
