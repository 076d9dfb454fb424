//go:build linux || darwin

package undo

import (
	"fmt"
	"slices"
)

// Plan returns what an undo would do. Of several runs, a later step assumes that the earlier ones
// went well.
func (s *Store) Plan(take Take) ([]Step, error) {
	runs, err := s.readAll(s.redone(take.Runs))
	if err != nil {
		return nil, err
	}
	var steps []Step
	seen, newer, undos := map[string]bool{}, newFound(), s.undos()
	for _, run := range runs {
		r := newRestorer(run, pastOf(run, undos, nil), take, nil)
		r.find()
		r.entriesDone()
		r.contents()
		if r.lacksTimes() {
			r.timeSteps(r.times())
		}
		r.close()
		for _, step := range r.steps {
			if step.Do == Refuse && newer.explains(step.Path, run.book) {
				continue
			}
			if !seen[step.Path] {
				seen[step.Path] = true
				steps = append(steps, step)
			}
		}
		newer.add(run.book)
	}
	return steps, nil
}

// Undo takes runs back, as a run of its own with the name id. What cannot be taken back is in the
// result; an error means that the undo itself failed, and it can be tried again.
func (s *Store) Undo(take Take, id string) (Result, error) {
	runs, err := s.readAll(s.redone(take.Runs))
	if err != nil {
		return Result{}, err
	}
	var trees []string
	for _, run := range runs {
		lock, err := s.lock(run.book.head.run)
		if err != nil {
			return Result{}, fmt.Errorf("run %q: %w", run.book.head.run, err)
		}
		defer unlock(lock)
		for _, f := range run.book.folders {
			if f.at == nil && !slices.Contains(trees, f.name) {
				trees = append(trees, f.name)
			}
		}
	}
	u, err := s.Begin(Start{Run: id, Trees: trees, Of: take.Runs})
	if err != nil {
		return Result{}, err
	}
	result, undos := Result{Run: id}, s.undos()
	for _, run := range runs {
		r := newRestorer(run, pastOf(run, undos, u), take, u)
		r.all()
		r.close()
		result.Steps = append(result.Steps, r.steps...)
	}
	result.Steps = oncePerPath(result.Steps)
	for _, step := range result.Steps {
		if step.Do == Refuse || step.Do == Beside {
			result.Refused++
		}
	}
	_, err = u.Close(End{})
	return result, err
}

// oncePerPath leaves the first step of each path, or what was not done to it.
func oncePerPath(steps []Step) (list []Step) {
	at := map[string]int{}
	for _, step := range steps {
		n, seen := at[step.Path]
		switch {
		case !seen:
			at[step.Path] = len(list)
			list = append(list, step)
		case step.Do == Refuse || step.Do == Beside:
			list[n] = step
		}
	}
	return list
}

func (s *Store) readAll(names []string) (runs []*Run, err error) {
	for _, name := range names {
		r, err := s.Read(name)
		if err != nil {
			return nil, fmt.Errorf("run %q: %w", name, err)
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// redone puts before each run the redos of it: what a redo made anew is not what the run left.
func (s *Store) redone(names []string) (all []string) {
	list, err := s.Runs()
	if err != nil {
		return names
	}
	undoOf := func(run string) string {
		for _, info := range slices.Backward(list) {
			if info.Ended && slices.Equal(info.Of, []string{run}) {
				return info.Run
			}
		}
		return ""
	}
	for _, run := range names {
		chain := []string{run}
		for redo := undoOf(undoOf(run)); redo != ""; redo = undoOf(undoOf(redo)) {
			chain = append(chain, redo)
		}
		for _, name := range slices.Backward(chain) {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

// undos reads all undos, the oldest first. One that cannot be read is left out.
func (s *Store) undos() (all []*Run) {
	list, err := s.Runs()
	if err != nil {
		return nil
	}
	for _, info := range list {
		if len(info.Of) == 0 {
			continue
		}
		if k, err := s.Read(info.Run); err == nil {
			all = append(all, k)
		}
	}
	return all
}

// pastOf finds the undos of a run, and the undos of those: they may hold what the run held. Of all
// other undos, and of the one that goes on, it takes which folders they made anew.
func pastOf(run *Run, undos []*Run, u *Journal) *past {
	p := &past{now: renewals{}}
	names := []string{run.book.head.run}
	for _, k := range undos {
		p.now.add(k.book)
		known := func(of string) bool { return slices.Contains(names, of) }
		if slices.ContainsFunc(k.book.head.of, known) {
			names = append(names, k.book.head.run)
			p.runs = append(p.runs, k)
		}
	}
	if u != nil {
		p.now.add(&u.book)
	}
	return p
}

// all does the steps.
func (r *restorer) all() {
	r.find()
	times := r.times()
	r.stage()
	r.putBack()
	r.entriesDone()
	r.contents()
	r.links()
	r.drop()
	if r.lacksTimes() {
		r.timeSteps(times)
	}
	r.folderTimes(times)
}

// entriesDone makes the jobs steps, in the order of their paths.
func (r *restorer) entriesDone() {
	for _, j := range slices.Backward(r.jobs) {
		if j.refused() && j.why == errLater.Error() && r.take.KeepBoth && j.before != nil &&
			r.entryBeside(j) {
			continue
		}
		r.step(j.path, j.do, j.why)
	}
}

// entryBeside puts what was at an entry beside what is there now.
func (r *restorer) entryBeside(j *job) bool {
	other := besideName(j.name, r.run.book.head.run)
	if r.u != nil {
		if j.was().Folder() {
			return false
		}
		b := *j.entry
		b.name = other
		if r.link(&job{entry: &b}) != nil {
			return false
		}
	}
	r.step(j.path, Beside, other)
	return true
}
