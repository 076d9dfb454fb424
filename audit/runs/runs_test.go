package runs

import (
	"reflect"
	"testing"
	"time"

	"github.com/tada-run/tada-run/audit"
)

func at(second int64) time.Time { return time.Unix(second, 0).UTC() }

func ptr[T any](v T) *T { return &v }

// A run is put together from its entries, whatever others are between them.
func TestRun(t *testing.T) {
	open := Open{}
	var r *Run
	for i, e := range []audit.Entry{
		{Kind: "exec.intent", Body: []byte(`{"agent":"codex","command":"sh -c x","cwd":"/w",` +
			`"inside":"x","policies":["base@7"],"rules":["network"],"sid":"a","verdict":"allow"}`)},
		{Kind: "exec.intent", Body: []byte(`{"sid":"b"}`)},
		{Kind: "net.traffic", Body: []byte(`{"connections":[{"host":"b.example"},` +
			`{"address":"192.0.2.1","host":""},{"host":"b.example"}],"sid":"a"}`)},
		{Kind: "exec.start", Body: []byte(`{"network":"b.example","sid":"a"}`)},
		{Kind: "rec.close", Body: []byte(`{"sid":"a"}`)},
		{Kind: "exec.orphan", Body: []byte(`{"sid":"a"}`)},
		{Kind: "exec.end", Body: []byte(`{"changes":{"added":1,"changed":2,"removed":3},` +
			`"duration_us":5,"network":{"connections":[{"host":"a.example"}]},"sid":"a",` +
			`"status":7}`)},
	} {
		e.Time = at(int64(i))
		if got := open.Add(e); got != nil {
			r = got
		}
	}
	want := Run{ID: "a", Began: at(0), State: "ended",
		Asked:  Asked{"codex", "/w", "sh -c x", "x"},
		Judged: Judged{"allow", []string{"network"}, []string{"base@7"}},
		Ended:  Ended{ptr(int32(7)), ptr(int64(5)), &Changes{1, 2, 3}},
		Hosts:  []string{"192.0.2.1", "a.example", "b.example"}}
	if !reflect.DeepEqual(*r, want) || len(open) != 1 {
		t.Errorf("%+v, not %+v; %d are open", *r, want, len(open))
	}
	if r := open.Add(audit.Entry{Kind: "exec.denied", Body: []byte(`{"sid":"b"}`)}); r == nil ||
		r.State != "refused" || len(open) != 0 {
		t.Errorf("%+v; %d are open", r, len(open))
	}
}

// Whatever an entry says, it is at most not understood.
func FuzzRun(f *testing.F) {
	f.Add("exec.intent", []byte(`{"sid":"a","command":5,"rules":[1,"x"]}`),
		"exec.end", []byte(`{"sid":"a","status":1e99,"network":"x","changes":[]}`))
	f.Add("exec.intent", []byte(`null`), "net.traffic",
		[]byte(`{"connections":[null,{"host":[]}]}`))
	f.Fuzz(func(t *testing.T, kind string, body []byte, then string, more []byte) {
		open := Open{}
		open.Add(audit.Entry{Kind: kind, Body: body})
		r := open.Add(audit.Entry{Kind: then, Body: more})
		if r != nil && r.State == "" {
			t.Errorf("%+v", r)
		}
	})
}
