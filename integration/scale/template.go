package scale

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/plans"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
)

// A template is a real run that is varied: the bodies of its entries by their kinds, and what these
// name.
type template struct {
	bodies  map[string]map[string]any
	took    time.Duration // from the intent to the end
	plan    []byte
	payload []byte // of its question; nil for a run that asked none
	header  audit.Header
	printed []audit.Event
}

// templates are the real runs, by what became of them.
type templates struct{ ran, denied, asked []*template }

// readTemplates reads the real runs of a state directory.
func readTemplates(home state.Home) (list templates, err error) {
	r, byID, began := record.Of(home.Use()), map[string]*template{}, map[string]time.Time{}
	for e, err := range r.Entries(audit.Filter{Kinds: []string{"exec."}}) {
		if err != nil {
			return list, err
		}
		v, err := canonical.Parse(e.Body)
		if err != nil {
			return list, err
		}
		body := v.(map[string]any)
		sid := body["sid"].(string)
		t := byID[sid]
		if t == nil {
			t = &template{bodies: map[string]map[string]any{}}
			byID[sid], began[sid] = t, e.Time
		}
		t.bodies[e.Kind], t.took = body, e.Time.Sub(began[sid])
		if !record.IsEnd(e.Kind) {
			continue
		}
		if err := t.fill(home, r, sid); err != nil {
			return list, fmt.Errorf("%v: %w", t.bodies[record.KindIntent]["command"], err)
		}
		list.add(t)
	}
	if len(list.ran) == 0 || len(list.denied) == 0 || len(list.asked) == 0 {
		return list, errors.New("the real runs do not have all three: ended, denied, asked")
	}
	return list, nil
}

func (l *templates) add(t *template) {
	switch {
	case t.payload != nil:
		l.asked = append(l.asked, t)
	case t.bodies[record.KindEnd] != nil:
		l.ran = append(l.ran, t)
	default:
		l.denied = append(l.denied, t)
	}
}

// fill reads what the entries of the run name.
func (t *template) fill(home state.Home, r *record.Record, sid string) (err error) {
	plan, _ := t.bodies[record.KindIntent]["plan"].(string)
	if t.plan, err = plans.Get(home.Plans(), plan, audit.Codec{}); err != nil {
		return err
	}
	if denied := t.bodies[record.KindDenied]; denied != nil {
		if denied["code"] == "pending" {
			t.payload, err = payloadOf(home, denied["envelope_id"].(string))
		}
		return err
	}
	f, err := r.Transcript(sid)
	if err != nil {
		return err
	}
	defer f.Close()
	events, err := audit.NewReader(sid, f)
	if err != nil {
		return err
	}
	t.header = events.Header
	for {
		e, err := events.Next()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		e.Data = bytes.Clone(e.Data)
		t.printed = append(t.printed, e)
	}
}

// payloadOf is what a person was shown for a question.
func payloadOf(home state.Home, envelope string) ([]byte, error) {
	store, err := bolt.Open(home.Approvals(), approval.Options{Rand: rand.Reader,
		Clock: func() approval.Clock { return approval.Clock{Now: time.Now()} }})
	if err != nil {
		return nil, err
	}
	e, err := store.Get(context.Background(), envelope)
	return e.Payload, err
}
