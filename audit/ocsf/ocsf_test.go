package ocsf

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/runs"
)

// required has the attributes that version 1.8.0 of the schema requires, by object. Of "one of",
// the schema requires at least one.
var required = map[string][]string{
	"process_activity": {"activity_id", "category_uid", "class_uid", "metadata", "severity_id",
		"time", "type_uid", "actor", "device", "process"},
	"base_event": {"activity_id", "category_uid", "class_uid", "metadata", "severity_id", "time",
		"type_uid"},
	"metadata": {"product", "version"},
	"product":  {"vendor_name", "one of: name uid"},
	"device":   {"type_id", "one of: ip uid name hostname instance_uid interface_uid"},
	"actor":    {"one of: process user session app_name app_uid"},
	"process":  {"one of: pid uid cpid"},
	"user":     {"one of: account name uid"},
}

// check requires an object to have what the schema requires of it, and of all in it.
func check(t *testing.T, what string, o map[string]any) {
	t.Helper()
	for _, need := range required[what] {
		names, found := []string{need}, false
		if list, any := strings.CutPrefix(need, "one of: "); any {
			names = strings.Fields(list)
		}
		for _, name := range names {
			v, there := o[name]
			found = found || there && v != "" && v != nil
		}
		if !found {
			t.Errorf("%s has no %s: %v", what, need, o)
		}
	}
	for name, v := range o {
		if in, ok := v.(map[string]any); ok {
			check(t, name, in)
		}
	}
}

// decode returns the event of an entry, which has all that the schema requires.
func decode(t *testing.T, e audit.Entry, r *runs.Run) map[string]any {
	t.Helper()
	line, err := Source{"build-7", "ci", "1.0"}.Event(e, r, "")
	if err != nil || bytes.ContainsAny(line, "\n") || !utf8.Valid(line) {
		t.Fatalf("%v: %q", err, line)
	}
	var v map[string]any
	if err := json.Unmarshal(line, &v); err != nil {
		t.Fatal(err)
	}
	class := "base_event"
	if v["class_uid"] == 1007.0 {
		class = "process_activity"
		if v["type_uid"] != 100700+v["activity_id"].(float64) || v["category_uid"] != 1.0 {
			t.Errorf("%v", v)
		}
	}
	check(t, class, v)
	inSchema(t, class, v)
	return v
}

// Every entry about a run is an event of the right class and activity, with what is known.
func TestEvent(t *testing.T) {
	open := runs.Open{}
	began := time.Date(2026, 4, 1, 0, 0, 0, 5_000_000, time.UTC)
	for i, x := range []struct {
		kind, body              string
		class, activity, status any
	}{
		{"exec.intent", `{"agent":"codex","command":"a\nb","cwd":"/w","sid":"s","verdict":"allow"}`,
			0.0, 99.0, nil},
		{"exec.start", `{"pid":7,"sid":"s"}`, 1007.0, 1.0, 1.0},
		{"approval.decided", `{"outcome":"approved"}`, 0.0, 99.0, nil},
		{"exec.end", `{"duration_us":2000,"sid":"s","status":3}`, 1007.0, 2.0, 1.0},
		{"exec.end", `{"sid":"of no run","status":3}`, 0.0, 99.0, nil},
	} {
		e := audit.Entry{Seq: int64(i), Kind: x.kind, Body: []byte(x.body), Time: began}
		v := decode(t, e, open.Add(e))
		if v["class_uid"] != x.class || v["activity_id"] != x.activity ||
			v["status_id"] != x.status {
			t.Errorf("%s: %v", x.kind, v)
		}
		if p, ok := v["process"].(map[string]any); ok && (p["uid"] != "s" ||
			p["cmd_line"] != "a\nb" || p["working_directory"] != "/w") {
			t.Errorf("%v", p)
		}
		if i == 3 && (v["exit_code"] != 3.0 || v["duration"] != 2.0 ||
			v["time"] != float64(began.UnixMilli())) {
			t.Errorf("%v", v)
		}
		if body := v["unmapped"].(map[string]any)["body"]; body == nil {
			t.Error("an event lacks its entry")
		}
	}
	e := audit.Entry{Kind: "exec.intent", Body: []byte(`{"sid":"t","verdict":"deny"}`)}
	open.Add(e)
	e = audit.Entry{Kind: "exec.denied", Body: []byte(`{"code":"policy","sid":"t"}`)}
	if v := decode(t, e, open.Add(e)); v["status_id"] != 2.0 || v["action_id"] != 2.0 ||
		v["status_detail"] != "policy" {
		t.Errorf("%v", v)
	}
}

// A line of any length and content is one line.
func TestEventHostile(t *testing.T) {
	for _, text := range []string{strings.Repeat("x", 100_000), `\ud800\u2028\n</script>`,
		`\u0000\u001b[2J`} {
		e := audit.Entry{Kind: "exec.intent", Body: []byte(`{"command":"` + text + `","sid":"s"}`)}
		open := runs.Open{}
		open.Add(e)
		e.Kind, e.Body = "exec.start", []byte(`{"pid":"x","sid":"s"}`)
		decode(t, e, open.Add(e))
	}
}

// Whatever an entry says, its event is one line with all that the schema requires.
func FuzzEvent(f *testing.F) {
	f.Add("exec.start", []byte(`{"pid":7,"sid":"s"}`))
	f.Add("exec.end", []byte(`{"duration_us":-9223372036854775808,"sid":"s","status":3}`))
	f.Add("exec.denied", []byte(`{"code":{},"pid":"x","sid":"s"}`))
	f.Fuzz(func(t *testing.T, kind string, body []byte) {
		open := runs.Open{}
		open.Add(audit.Entry{Kind: "exec.intent", Body: []byte(`{"command":"c","sid":"s"}`)})
		e := audit.Entry{Kind: kind, Body: body}
		if canonical.Check(body) == nil { // the log has nothing else
			decode(t, e, open.Add(e))
		}
	})
}
