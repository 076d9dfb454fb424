package columns

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/fleet/document"
)

// A read is a row as other programs find it, by the names of the columns.
type read struct {
	Machine   string            `parquet:"machine"`
	Name      string            `parquet:"name"`
	Labels    map[string]string `parquet:"labels"`
	ID        string            `parquet:"id"`
	Time      time.Time         `parquet:"time,timestamp(microsecond)"`
	Command   string            `parquet:"command"`
	Inside    *string           `parquet:"inside"`
	Agent     string            `parquet:"agent"`
	Workspace string            `parquet:"workspace"`
	State     string            `parquet:"state"`
	Verdict   string            `parquet:"verdict"`
	Rules     []string          `parquet:"rules,list"`
	Bundles   []string          `parquet:"bundles,list"`
	Status    *int32            `parquet:"status"`
	Micros    *int64            `parquet:"duration_us"`
	Hosts     []string          `parquet:"hosts,list"`
	Changes   *changes          `parquet:"changes"`
}

// rows reads a file as a whole.
func rows(t *testing.T, file []byte) []read {
	t.Helper()
	list, err := parquet.Read[read](bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// written is what the entries of machines become.
func written(t *testing.T, machines map[string][]audit.Entry) []read {
	t.Helper()
	var file bytes.Buffer
	w := New(&file, "test", "1")
	for name, list := range machines {
		m := document.Machine{ID: "tada-" + name, Name: name,
			Labels: document.Labels{"env": "ci", "team": "web"}}
		for _, e := range list {
			if err := w.Add(m, e); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.End(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	list := rows(t, file.Bytes())
	if int64(len(list)) != w.Rows {
		t.Errorf("%d rows, not %d", len(list), w.Rows)
	}
	return list
}

func entry(kind, body string) audit.Entry {
	return audit.Entry{Kind: kind, Body: []byte(body),
		Time: time.Date(2026, 4, 1, 12, 0, 0, 123_456_000, time.UTC)}
}

func ptr[T any](v T) *T { return &v }

// What is written is read again: a run that ended, one that was refused and one that goes on.
func TestColumns(t *testing.T) {
	list := written(t, map[string][]audit.Entry{"a": {
		entry("exec.intent", `{"agent":"codex","command":"sh -c x","cwd":"/w","inside":"x",`+
			`"policies":["base@7"],"rules":["network","cost"],"sid":"1","verdict":"allow"}`),
		entry("exec.intent", `{"command":"rm x","sid":"2","verdict":"deny"}`),
		entry("exec.intent", `{"command":"sleep","sid":"3","verdict":"allow"}`),
		entry("exec.denied", `{"sid":"2"}`),
		entry("net.traffic", `{"connections":[{"host":"b"},{"host":"a"}],"sid":"1"}`),
		entry("exec.end", `{"changes":{"added":1,"changed":2,"removed":3},"duration_us":9,`+
			`"sid":"1","status":7}`),
	}})
	at := entry("", "").Time
	labels := map[string]string{"env": "ci", "team": "web"}
	want := []read{
		{Machine: "tada-a", Name: "a", Labels: labels, ID: "2", Time: at, Command: "rm x",
			State: "refused", Verdict: "deny"},
		{Machine: "tada-a", Name: "a", Labels: labels, ID: "1", Time: at, Command: "sh -c x",
			Inside: ptr("x"), Agent: "codex", Workspace: "/w", State: "ended", Verdict: "allow",
			Rules: []string{"network", "cost"}, Bundles: []string{"base@7"}, Status: ptr(int32(7)),
			Micros: ptr(int64(9)), Hosts: []string{"a", "b"}, Changes: &changes{1, 2, 3}},
		{Machine: "tada-a", Name: "a", Labels: labels, ID: "3", Time: at, Command: "sleep",
			State: "announced", Verdict: "allow"},
	}
	if len(list) != len(want) {
		t.Fatalf("%+v", list)
	}
	for i, got := range list {
		got.Time = got.Time.UTC()
		for _, empty := range []*[]string{&got.Rules, &got.Bundles, &got.Hosts} {
			if len(*empty) == 0 {
				*empty = nil
			}
		}
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("%+v\nis not\n%+v", got, want[i])
		}
	}
}

// A file without rows is one, and so is one of several groups of rows.
func TestColumnsSizes(t *testing.T) {
	if list := written(t, nil); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	var many []audit.Entry
	for i := range rowsInGroup + 10 {
		many = append(many, entry("exec.intent", fmt.Sprintf(`{"sid":"%d"}`, i)),
			entry("exec.denied", fmt.Sprintf(`{"sid":"%d"}`, i)))
	}
	list := written(t, map[string][]audit.Entry{"a": many, "b": many[:2]})
	if len(list) != rowsInGroup+11 {
		t.Errorf("%d rows", len(list))
	}
}

// Whatever a machine writes into its log is at most a strange value in a row of its own.
func TestColumnsHostile(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	list := written(t, map[string][]audit.Entry{"a": {
		entry("exec.intent", `{"command":"`+long+`","cwd":"/\ud800\u0000","rules":["a\nb"],`+
			`"sid":"1"}`),
		entry("exec.end", `{"duration_us":"x","sid":"1","status":99999999999,`+
			`"changes":[1]}`),
		entry("exec.intent", `{"command":["x"],"sid":"2","rules":7}`),
		entry("exec.intent", `[]`),
		entry("exec.end", `{"sid":"of no run"}`),
	}})
	if len(list) != 2 || list[0].Command != long || list[0].Workspace != "/\ufffd\x00" ||
		list[0].Rules[0] != "a\nb" || list[0].Status != nil ||
		list[0].Micros != nil || list[0].Changes != nil {
		t.Errorf("%d rows: %.200v", len(list), list)
	}
}

// The page and the manual name every column.
func TestColumnsDocs(t *testing.T) {
	for path, quote := range map[string]string{"../../../docs/shipping.md": "`",
		"../../../cmd/tadactl/cli/verbs.txt": ""} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range parquet.SchemaOf(row{}).Fields() {
			if !strings.Contains(string(text), quote+f.Name()+quote) {
				t.Errorf("%s does not name the column %q", path, f.Name())
			}
		}
	}
}

// A full disk is an error.
func TestColumnsFull(t *testing.T) {
	w := New(full{}, "test", "1")
	err := w.Add(document.Machine{}, entry("exec.intent", `{"sid":"1"}`))
	if err = errors.Join(err, w.End(), w.Close()); err == nil {
		t.Error("a full disk took everything")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }
