// Package ocsf spells entries of the log as events of the Open Cybersecurity Schema Framework
// (https://schema.ocsf.io), which SIEMs read.
//
// Each entry becomes one event. A start, a refusal and an end of a run are of the class Process
// Activity (1007), with the profiles host and security_control; all other entries are a Base Event
// (0), named by their kind. The member unmapped always has the body of the entry, and metadata.uid
// the head of the log with it, SIZE:HASH, which is the only one of that name anywhere.
package ocsf

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/runs"
)

// Version is the version of the schema. Its later versions of 1.x read the same.
const Version = "1.8.0"

// The classes, by their numbers.
const (
	baseEvent       = 0
	processActivity = 1007
)

// A Source is where a log is.
type Source struct {
	Host    string // name of the machine
	Account string // whose runs these are
	Version string // of the product
}

type object = map[string]any

// Event returns an entry as one line of JSON without its newline. r is the run that it is about, or
// nil; unproven says why it is not proven, "" if it is.
func (s Source) Event(e audit.Entry, r *runs.Run, unproven string) ([]byte, error) {
	user := object{"name": s.Account}
	actor := object{"user": user}
	if r != nil && r.Agent != "" {
		actor["app_name"] = r.Agent
	}
	v := object{
		"time": e.Time.UnixMilli(), "severity_id": severity(e.Kind), "message": e.Kind,
		"actor": actor, "device": object{"type_id": 0, "hostname": s.Host},
		"metadata": object{"version": Version, "uid": e.Place().Point().String(),
			"product":  object{"name": "tada-run", "vendor_name": "tada-run", "version": s.Version},
			"profiles": []string{"host", "security_control"}, "log_name": "audit",
			"event_code": e.Kind, "sequence": e.Seq,
			"original_time": e.Time.UTC().Format(time.RFC3339Nano)},
		"unmapped": object{"body": json.RawMessage(e.Body)},
	}
	if unproven != "" {
		v["unmapped"].(object)["unproven"] = unproven
	}
	if a, about := activityOf(e.Kind); about && r != nil {
		a.describe(v, e, r)
	} else {
		v["class_uid"], v["category_uid"], v["type_uid"] = baseEvent, 0, 99
		v["activity_id"], v["activity_name"] = 99, e.Kind
	}
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("entry %d: %w", e.Seq, err)
	}
	return bytes.TrimSuffix(line.Bytes(), []byte{'\n'}), nil
}

// severity is how serious an entry is: informational, medium or high.
func severity(kind string) int {
	switch kind {
	case "tamper.detected", audit.KindAccept:
		return 4
	case audit.KindDenied, "approval.rejected", "approval.refused":
		return 3
	}
	return 1
}

// An activity is what an entry about a run means in the class Process Activity.
type activity struct{ id, status, action, disposition int }

// The numbers of the schema.
const (
	launch, terminate         = 1, 2
	unknown, success, failure = 0, 1, 2
	allowed, denied           = 1, 2
	blocked                   = 2 // of a disposition, where 1 is allowed too
)

// activityOf returns the activity of an entry, false for one that is none.
func activityOf(kind string) (a activity, about bool) {
	switch kind {
	case audit.KindStart:
		a = activity{launch, success, allowed, allowed}
	case audit.KindDenied:
		a = activity{launch, failure, denied, blocked}
	case audit.KindFailed:
		a = activity{launch, failure, allowed, allowed}
	case audit.KindEnd:
		a = activity{terminate, success, allowed, allowed}
	case audit.KindOrphan:
		a = activity{terminate, unknown, allowed, allowed}
	}
	return a, a != activity{}
}

// describe adds what the class has.
func (a activity) describe(v object, e audit.Entry, r *runs.Run) {
	v["class_uid"], v["category_uid"] = processActivity, processActivity/1000
	v["activity_id"], v["type_uid"] = a.id, processActivity*100+a.id
	v["status_id"], v["action_id"], v["disposition_id"] = a.status, a.action, a.disposition
	p := object{"uid": r.ID, "cmd_line": r.Command, "created_time": r.Began.UnixMilli(),
		"working_directory": r.Workspace}
	var b struct {
		PID  int32
		Code string
	}
	_ = json.Unmarshal(e.Body, &b) // of another kind of value: not known
	if b.PID > 0 {
		p["pid"] = b.PID
	}
	if detail := cmp.Or(b.Code, r.Verdict); detail != "" {
		v["status_detail"] = detail
	}
	if a.id == terminate {
		p["terminated_time"] = e.Time.UnixMilli()
		v["start_time"], v["end_time"] = r.Began.UnixMilli(), e.Time.UnixMilli()
	}
	if r.Status != nil {
		v["exit_code"] = *r.Status
	}
	if r.Micros != nil {
		v["duration"] = *r.Micros / 1000
	}
	v["process"] = p
}
