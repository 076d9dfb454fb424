//go:build linux || darwin

package undo

import (
	"slices"
	"strings"
)

// A restorer takes back one run.
type restorer struct {
	run     *Run
	past    *past
	scene   *scene
	objects *objects
	take    Take
	jobs    []*job
	steps   []Step
	u       *Journal // of the undo, nil for a plan
	placed  map[ID]bool
	ajar    ajar
	lookups
}

// lookups are what has been searched for once; nil before.
type lookups struct {
	entries map[ID][]*entry // see byID
	noted   map[ID]*inode
	after   []*Run // see later
}

// A job is an entry that is not as it was before the run.
type job struct {
	*entry
	path string // as the kernel has it now, if its folder is there
	do   Do
	why  string
	done bool
}

func newRestorer(run *Run, past *past, take Take, u *Journal) *restorer {
	return &restorer{
		run: run, past: past, scene: newScene(run.book, past.now), take: take, u: u,
		objects: newObjects(append([]*Run{run}, past.runs...)), placed: map[ID]bool{},
		ajar: ajar{},
	}
}

func (r *restorer) close() {
	r.ajar.shut()
	r.scene.close()
	r.objects.close()
}

// pathOf is the path of an entry as the kernel has it now; where its folder is gone, as it was.
func (r *restorer) pathOf(e *entry) string {
	fd, err := r.scene.open(e.in)
	if err != nil {
		return e.path()
	}
	return join(pathOf(fd), e.name)
}

// chosen are the entries of the chosen paths. What was renamed is two entries, of which none goes
// alone.
func (r *restorer) chosen() map[*entry]bool {
	chosen := map[*entry]bool{}
	before, left := map[ID][]*entry{}, map[ID]*entry{}
	for _, e := range r.run.book.entries {
		if e.before != nil {
			before[e.before.before.ID] = append(before[e.before.before.ID], e)
		}
		if !e.left.Absent() {
			left[e.left.ID] = e
		}
	}
	var choose func(e *entry)
	choose = func(e *entry) {
		if chosen[e] {
			return
		}
		chosen[e] = true
		if e.before != nil {
			if f := left[e.before.before.ID]; f != nil && f != e {
				choose(f)
			}
		}
		if !e.left.Absent() {
			for _, f := range before[e.left.ID] {
				choose(f)
			}
		}
		for _, f := range before[e.in.before.ID] { // the folder, if it is gone
			if f.left.ID != e.in.before.ID {
				choose(f)
			}
		}
	}
	for _, e := range r.run.book.entries {
		if r.wanted(e.path()) {
			choose(e)
		}
	}
	return chosen
}

func (r *restorer) wanted(path string) bool {
	return len(r.take.Paths) == 0 || slices.ContainsFunc(r.take.Paths, func(p string) bool {
		return path == p || strings.HasPrefix(path, strings.TrimSuffix(p, "/")+"/")
	})
}

func (r *restorer) step(path string, do Do, why string) {
	r.steps = append(r.steps, Step{path, do, why})
}

// refuse says why a job is not done.
func (j *job) refuse(why string) { j.do, j.why = Refuse, why }

func (j *job) refused() bool { return j.do == Refuse }
