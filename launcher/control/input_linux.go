package control

import "github.com/tada-run/tada-run/launcher/session/wire"

// admit takes input of a client, or tells the client why not. It reports whether the client kept to
// its credit.
func (d *Server) admit(s *client, f wire.Frame) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.owed += len(f.Body)
	if s.owed > wire.Credit {
		return false
	}
	if err := d.lease.Admit(s.n, f.Epoch, d.Host.Now()); err != nil {
		s.refusedBytes += len(f.Body)
		s.tell(wire.Notice{Code: wire.CodeRefused, Message: err.Error(), By: d.lease.Taken(),
			Bytes: len(f.Body)})
		s.ack(len(f.Body))
		return true
	}
	d.jobs = append(d.jobs, typing{s, f.Epoch, s.by(f.Epoch), append([]byte(nil), f.Body...)})
	d.work.Signal()
	return true
}

// keys types what was admitted, in order. A program that does not read holds up this goroutine, and
// nothing else.
func (d *Server) keys() {
	for {
		d.mu.Lock()
		for len(d.jobs) == 0 && !d.over {
			d.work.Wait()
		}
		if d.over {
			d.mu.Unlock()
			return
		}
		job := d.jobs[0]
		d.jobs = d.jobs[1:]
		if d.watch != nil {
			d.watch.typed(job.keys, d.Terminal.Hidden() || d.private.Load())
		}
		d.mu.Unlock()
		stale := func() bool { return d.epoch.Load() != job.epoch }
		n, err := d.Terminal.Type(job.by, job.keys, stale)
		d.mu.Lock()
		if rest := len(job.keys) - n; rest > 0 && err == nil {
			d.discarded(job.client, job.by, rest)
		}
		job.client.ack(len(job.keys))
		d.mu.Unlock()
	}
}
