package etcd

import (
	"slices"
	"sync"

	"github.com/tada-run/tada-run/approval"
)

// A waiting is a job that waits for its transaction.
type waiting struct {
	job  *approval.Job
	line []byte
	done chan error // errAlone: it was not done, and is to be done alone
}

// A queue has the jobs that nobody does yet.
type queue struct {
	mu   sync.Mutex
	list []*waiting
}

// Jobs beyond these wait for the next transaction.
const (
	maxJobs  = 256
	maxLines = 1 << 20
)

func (q *queue) add(w *waiting) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.list = append(q.list, w)
}

// remove reports whether the job was still waiting.
func (q *queue) remove(w *waiting) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.list, w)
	if i < 0 {
		return false
	}
	q.list = slices.Delete(q.list, i, i+1)
	return true
}

// take removes the jobs that go into one transaction, the oldest first.
func (q *queue) take() []*waiting {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, size := 0, 0
	for n < len(q.list) && n < maxJobs && size+len(q.list[n].line) <= maxLines {
		size += len(q.list[n].line)
		n++
	}
	out := slices.Clone(q.list[:n])
	q.list = slices.Delete(q.list, 0, n)
	return out
}
