package etcd

import (
	"context"
	"errors"

	"github.com/tada-run/tada-run/approval"
)

// Jobs that wait while another transaction is on its way to the servers share the next one. So the
// number of jobs in a second does not depend on how long a commit takes.

// errAlone is not an error of the job: it was not done with others.
var errAlone = errors.New("to be done alone")

// Do implements [approval.DB]: alone if no one has the turn, otherwise together with those that
// wait too.
func (b *DB) Do(ctx context.Context, j *approval.Job) error {
	limited, cancel := context.WithTimeout(ctx, b.o.Wait)
	defer cancel()
	line, err := j.Line()
	if err != nil || len(line) > maxLines {
		return b.alone(limited, j)
	}
	w := &waiting{job: j, line: line, done: make(chan error, 1)}
	b.jobs.add(w)
	select {
	case b.turn <- struct{}{}:
		if b.jobs.remove(w) {
			defer b.give()
			return b.lead(limited, w)
		}
		b.give()
		err = <-w.done // it was done in the meantime
	case err = <-w.done:
	case <-limited.Done():
		if b.jobs.remove(w) {
			return b.away(limited, nil)
		}
		err = <-w.done // it is being done, so it is too late to give up
	}
	if errors.Is(err, errAlone) {
		return b.alone(limited, j)
	}
	return err
}

func (b *DB) alone(ctx context.Context, j *approval.Job) error {
	return b.Update(ctx, j.Do)
}

// lead does a job and those that wait. The caller has the turn. Whoever leads must not take the
// jobs of others along when giving up.
func (b *DB) lead(ctx context.Context, w *waiting) error {
	others := b.jobs.take()
	if len(others) == 0 {
		return b.write(ctx, w.job.Do)
	}
	together, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.o.Wait)
	defer cancel()
	for _, o := range others {
		w.job.Join(o.line)
	}
	err := b.write(together, w.job.Do)
	var failed *approval.FileError
	if err != nil && !errors.As(err, &failed) {
		for _, o := range others { // one of the jobs may be the reason
			o.done <- errAlone
		}
		w.job.Alone()
		return b.write(ctx, w.job.Do)
	}
	b.answer(w, others, err)
	return err
}

// answer tells the others what came of their jobs.
func (b *DB) answer(w *waiting, others []*waiting, err error) {
	lines := map[string][]byte{}
	if err == nil {
		for _, a := range w.job.Answers() {
			lines[a.Ticket] = a.Line
		}
	}
	for _, o := range others {
		if err == nil && !o.job.Read(lines[o.job.Ticket()]) {
			o.done <- errAlone
			continue
		}
		o.done <- err
	}
}
