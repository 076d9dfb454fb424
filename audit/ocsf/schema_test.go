package ocsf

import (
	"slices"
	"strings"
	"testing"
)

// known has the attributes that the schema has for what an event is made of, of those that events
// here may have, and numbers the values of its enumerations. They were compared by hand with stored
// versions of its definitions, up to 1.8 (github.com/ocsf/ocsf-schema, Apache-2.0:
// events/base_event.json, events/system/process_activity.json, the profiles host and
// security_control, and objects/). The numbers are compared with its captions: see TestNumbers. An
// attribute that is not here is compared there before it is added.
var known = map[string]string{
	"base_event": "activity_id activity_name category_uid class_uid duration end_time message " +
		"metadata severity_id start_time status_detail status_id time type_uid unmapped " +
		"actor device action_id disposition_id",
	"process_activity": "exit_code process",
	"metadata": "event_code log_name original_time product profiles sequence uid version " +
		"correlation_uid",
	"product": "name uid vendor_name version",
	"device":  "hostname ip name type_id uid",
	"actor":   "app_name process session user",
	"process": "cmd_line created_time pid terminated_time uid working_directory",
	"user":    "name uid",
}

var numbers = map[string][]float64{
	"base_event.activity_id":          {0, 99},
	"base_event.category_uid":         {0},
	"base_event.class_uid":            {0},
	"base_event.type_uid":             {0, 99},
	"process_activity.activity_id":    {0, 1, 2, 3, 4, 5, 99},
	"process_activity.category_uid":   {1},
	"process_activity.class_uid":      {1007},
	"process_activity.type_uid":       {100700, 100701, 100702, 100703, 100704, 100705, 100799},
	"process_activity.status_id":      {0, 1, 2, 99},
	"process_activity.action_id":      {0, 1, 2},
	"base_event.severity_id":          {0, 1, 2, 3, 4, 5, 6, 99},
	"process_activity.severity_id":    {0, 1, 2, 3, 4, 5, 6, 99},
	"device.type_id":                  {0, 1, 2, 3, 4, 5, 6, 7, 8, 99},
	"process_activity.disposition_id": {0, 1, 2, 99},
}

// inSchema requires an object to have nothing but what the schema has, with its numbers.
func inSchema(t *testing.T, what string, o map[string]any) {
	t.Helper()
	names := strings.Fields(known[what])
	if what == "process_activity" {
		names = append(names, strings.Fields(known["base_event"])...)
	}
	for name, v := range o {
		if !slices.Contains(names, name) {
			t.Errorf("the schema has no %s.%s", what, name)
		}
		if list, ok := numbers[what+"."+name]; ok {
			if n, isNumber := v.(float64); !isNumber || !slices.Contains(list, n) {
				t.Errorf("%s.%s is %v", what, name, v)
			}
		} else if strings.HasSuffix(name, "_id") {
			t.Errorf("nothing says which numbers %s.%s can be", what, name)
		}
		if in, ok := v.(map[string]any); ok && name != "unmapped" {
			inSchema(t, name, in)
		}
	}
}
