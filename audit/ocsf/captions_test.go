package ocsf

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/runs"
)

// A captionList has what the schema calls the numbers of its enumerations, by attribute. One that a
// class calls otherwise is there with the name of the class.
type captionList struct {
	Version  string
	Captions map[string]map[string]string
}

func captions(t *testing.T) (list captionList) {
	t.Helper()
	text, err := os.ReadFile("testdata/captions.json")
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil || list.Version != Version {
		t.Fatalf("captions of version %q, not %q: %v", list.Version, Version, err)
	}
	return list
}

// of returns the captions of an attribute of a class; nil if the schema has no such numbers.
func (l captionList) of(class, name string) map[string]string {
	if list := l.Captions[class+"."+name]; list != nil {
		return list
	}
	return l.Captions[name]
}

// Each kind of entry has numbers that the schema calls what the entry is.
func TestCaptions(t *testing.T) {
	t.Parallel()
	list := captions(t)
	for kind, want := range map[string]map[string]string{
		audit.KindStart: {"activity_id": "Launch", "status_id": "Success", "action_id": "Allowed",
			"disposition_id": "Allowed", "severity_id": "Informational"},
		audit.KindDenied: {"activity_id": "Launch", "status_id": "Failure", "action_id": "Denied",
			"disposition_id": "Blocked", "severity_id": "Medium"},
		audit.KindFailed: {"activity_id": "Launch", "status_id": "Failure", "action_id": "Allowed",
			"disposition_id": "Allowed", "severity_id": "Informational"},
		audit.KindEnd: {"activity_id": "Terminate", "status_id": "Success",
			"action_id": "Allowed", "disposition_id": "Allowed", "severity_id": "Informational"},
		audit.KindOrphan: {"activity_id": "Terminate", "status_id": "Unknown",
			"action_id": "Allowed", "disposition_id": "Allowed", "severity_id": "Informational"},
		audit.KindIntent:    {"activity_id": "Other", "severity_id": "Informational"},
		audit.KindAccept:    {"activity_id": "Other", "severity_id": "High"},
		"tamper.detected":   {"activity_id": "Other", "severity_id": "High"},
		"approval.rejected": {"activity_id": "Other", "severity_id": "Medium"},
		"approval.refused":  {"activity_id": "Other", "severity_id": "Medium"},
	} {
		open := runs.Open{}
		r := open.Add(audit.Entry{Kind: audit.KindIntent, Body: []byte(`{"sid":"s"}`)})
		e := audit.Entry{Kind: kind, Body: []byte(`{"sid":"s"}`)}
		v, class := decode(t, e, r), "base_event"
		if _, about := activityOf(kind); about {
			class = "process_activity"
		}
		for _, name := range []string{"activity_id", "status_id", "action_id", "disposition_id",
			"severity_id"} {
			number, there := v[name].(float64)
			caption := list.of(class, name)[strconv.Itoa(int(number))]
			if there != (want[name] != "") || there && caption != want[name] {
				t.Errorf("%s: %s is %v, %q, not %q", kind, name, v[name], caption, want[name])
			}
		}
	}
}

// What a number of an event can be is what the schema has captions for.
func TestNumbers(t *testing.T) {
	t.Parallel()
	list := captions(t)
	for _, class := range []string{"base_event", "process_activity"} {
		for _, name := range []string{"activity_id", "status_id", "action_id", "disposition_id",
			"severity_id"} {
			have, ok := numbers[class+"."+name]
			for _, n := range have {
				if list.of(class, name)[strconv.Itoa(int(n))] == "" {
					t.Errorf("the schema has no number %v of %s.%s", n, class, name)
				}
			}
			if ok && name != "disposition_id" && len(have) != len(list.of(class, name)) {
				t.Errorf("%s.%s: %v, and the schema has %d", class, name, have,
					len(list.of(class, name)))
			}
		}
	}
	for n, caption := range list.of("process_activity", "activity_id") {
		id, err := strconv.Atoi(n)
		if want := float64(100*processActivity + id); err != nil ||
			!slices.Contains(numbers["process_activity.type_uid"], want) {
			t.Errorf("type_uid of activity %q is not %v", caption, want)
		}
	}
}
