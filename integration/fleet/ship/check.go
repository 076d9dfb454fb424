package ship

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/fleet/document"
)

// A Finding says what is proven of the record of a machine.
type Finding struct {
	ID        string
	Machine   document.Machine // as the registrar has signed it; its zero value if nothing was read
	Manifests int64
	Shipped   time.Time     // when the last manifest was made, by the machine's clock
	Covered   time.Time     // when the last was made with which the record is whole
	Report    audit.Report  // of the log, up to there
	Seen      []Seen        // who cosigned that
	Missing   []string      // files that were gone before they were shipped
	Plans     int           // of them and others, plans that the bucket has not
	Skipped   []audit.Point // deleted on the machine before it was shipped: up to each, from Before
	Stray     int           // objects that no manifest names
	Revoked   bool          // it is no longer a member
}

// Cosigned counts those that cosigned the last checkpoint: witnesses of the team, of so many, and
// other machines.
func (f Finding) Cosigned() (team, of, machines int) {
	for _, s := range f.Seen {
		switch {
		case s.Machine.ID != "":
			machines++
		case s.Time.IsZero():
			of++
		default:
			team, of = team+1, of+1
		}
	}
	return team, of, machines
}

// Machine proves the record of one machine. An error that is a *BrokenError says that the bucket,
// or the machine, does not have what was there; another one that nothing is known. The finding is
// what is proven in spite of it.
func (c Check) Machine(ctx context.Context, id string) (Finding, error) {
	return c.Entries(ctx, id, nil)
}

// Entries is Machine, and if everything is proven each is called with the entries of the log,
// oldest first. An error of each ends it.
func (c Check) Entries(ctx context.Context, id string, each EachEntry) (Finding, error) {
	dir, err := os.MkdirTemp("", "tada-verify-")
	if err != nil {
		return Finding{ID: id}, err
	}
	defer os.RemoveAll(dir)
	f, all, err := c.proven(ctx, id, dir)
	if err != nil || each == nil {
		return f, err
	}
	for _, s := range all {
		if err := s.entries(f.Machine, each); err != nil {
			return f, err
		}
	}
	return f, nil
}

// Restore is Machine, and leaves what was proven in a folder, which is empty.
func (c Check) Restore(ctx context.Context, id, dir string) (Finding, Record, error) {
	f, all, err := c.proven(ctx, id, dir)
	if err != nil {
		return f, Record{}, err
	}
	return f, recordOf(dir, all), nil
}

// proven restores a record to a folder, and returns the stretches of its log, which are proven
// unless there is an error.
func (c Check) proven(ctx context.Context, id, dir string) (Finding, []stretch, error) {
	f := Finding{ID: id, Revoked: c.Fleet.IsRevoked(id)}
	t, broken := c.tell(ctx, id, dir)
	if t.all != nil {
		defer t.all.Close()
	}
	f.Machine, f.Manifests, f.Shipped = t.h.machine, t.h.next, t.h.last.Time
	var b *BrokenError
	if broken != nil && !errors.As(broken, &b) || t.all.n == 0 {
		return f, nil, broken
	}
	if broken == nil {
		broken = c.followed(ctx, t)
	}
	if broken == nil {
		broken = c.kept(ctx, t)
	}
	if broken != nil && !errors.As(broken, &b) {
		return f, nil, broken
	}
	r, err := newRestored(dir)
	var all []stretch
	if err == nil {
		all, err = c.restored(ctx, t, r, &f)
	}
	return f, all, errors.Join(broken, err)
}

// restored proves what manifests cover.
func (c Check) restored(ctx context.Context, t *told, r *restored, f *Finding) ([]stretch,
	error) {
	f.Missing = t.missing
	if err := c.stray(ctx, t, f); err != nil {
		return nil, err
	}
	last, err := r.restore(ctx, t, c.Identities)
	if err != nil || t.whole == 0 {
		return nil, err
	}
	f.Covered = last.Time
	if f.Seen, err = seen(ctx, last, c.Fleet, c.Ask); err != nil {
		return nil, t.h.broken("the checkpoint of manifest %d: %v", last.Number, err)
	}
	for _, s := range f.Seen {
		var b *BrokenError
		if errors.As(s.Silent, &b) {
			return nil, b
		}
	}
	all := r.covered()
	if len(all) == 0 {
		return nil, t.h.empty(last, f)
	}
	return all, r.proveAll(t.h, all, t.points, f)
}

// empty proves a log of which the bucket has nothing: it had no entry yet.
func (h *history) empty(last manifest, f *Finding) error {
	p, err := last.point()
	if err == nil && p.Count > 0 {
		err = fmt.Errorf("its checkpoint covers %s of which no manifest has any",
			audit.Plural(p.Count, "entry"))
	}
	if err != nil {
		return h.broken("manifest %d: %v", last.Number, err)
	}
	f.Report.Head = p.Head
	return nil
}

// proveAll proves all stretches of the log.
func (r *restored) proveAll(h *history, all []stretch, points []audit.Point, f *Finding) error {
	for i, s := range all {
		n := slices.IndexFunc(points, func(p audit.Point) bool { return p.Count > s.point.Count })
		if n < 0 {
			n = len(points)
		}
		report, p, err := r.prove(s, slices.Clone(points[:n]), len(all) == 1)
		f.Report, all[i].gaps = report, report.Gaps
		if err == nil {
			var missing int
			missing, err = p.lost()
			f.Plans += missing
		}
		var path *fs.PathError
		if errors.As(err, &path) { // of the folder here
			return err
		}
		if err != nil {
			return h.broken("%v", err)
		}
		f.Skipped = append(f.Skipped, s.point)
	}
	f.Skipped = f.Skipped[:max(0, len(f.Skipped)-1)]
	return nil
}

// stray counts the objects that no manifest names.
func (c Check) stray(ctx context.Context, t *told, f *Finding) error {
	h := t.h
	for name, err := range c.Bucket.list(ctx, h.id+"/", "") {
		if err != nil {
			return err
		}
		_, document := serialOf(h.id, name)
		if _, _, ok := metOf(h.id, name); ok || document || t.names(name) {
			continue
		}
		if n, ok := numberOf(h.id, name); !ok || n >= h.next {
			f.Stray++
		}
	}
	return nil
}
