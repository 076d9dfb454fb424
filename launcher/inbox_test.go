package launcher

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
	"github.com/tada-run/tada-run/launcher/state"
)

// A looker counts how often all questions are looked through.
type looker struct {
	approval.DB
	looked int
}

func (d *looker) View(ctx context.Context, fn func(approval.Tx) error) error {
	return d.DB.View(ctx, func(tx approval.Tx) error { return fn(looking{tx, d}) })
}

type looking struct {
	approval.Tx
	*looker
}

func (l looking) Keys(b approval.Bucket) []string {
	if b == "pending" {
		l.looked++
	}
	return l.Tx.Keys(b)
}

// A list of two hundred questions is searched once: a question is found by its whole id without the
// others, and by a prefix only if no other id begins like that.
func TestEnvelopeIsFound(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l, base := world(t)
	base.Stdio.In, base.Stdio.Out, base.Stdio.Err = devNull(t), devNull(t), devNull(t)
	var ids []string
	for n := range 17 { // so that two begin alike, with sixteen digits to begin with
		req := base
		req.Shell.Text = fmt.Sprint("rm -rf src ", n)
		// a person is not limited
		req.Ask = func(context.Context, approval.Envelope) (approval.Decision, error) {
			return approval.Decision{}, nil
		}
		out, err := l.Run(ctx, req)
		if err != nil || out.Envelope == "" {
			t.Fatal(out, err)
		}
		ids = append(ids, out.Envelope)
	}
	s := &looker{DB: bolt.File(l.state.Approvals(), l.StoreOptions())}
	var err error
	if l.Store, err = approval.Open(s, l.StoreOptions()); err != nil {
		t.Fatal(err)
	}
	first := map[byte]int{}
	for _, id := range ids {
		first[id[0]]++
		if e, err := l.Envelope(ctx, id); err != nil || e.ID != id || e.Payload == nil {
			t.Errorf("%s: %+v, %v", id, e, err)
		}
	}
	if s.looked != 0 {
		t.Errorf("all were looked through %d times for one each", s.looked)
	}
	for digit, n := range first {
		e, err := l.Envelope(ctx, string(digit))
		if n == 1 && (err != nil || e.ID[0] != digit) ||
			n > 1 && !errors.Is(err, state.ErrAmbiguous) {
			t.Errorf("%c, with which %d begin: %s, %v", digit, n, e.ID, err)
		}
	}
	for _, none := range []string{"", "x", ids[0] + "0"} {
		if _, err := l.Envelope(ctx, none); !errors.Is(err, state.ErrNoSuch) {
			t.Errorf("%q: %v", none, err)
		}
	}
}
