package pathguard

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestRunSettings(t *testing.T) {
	for _, test := range []struct {
		text, fault string // fault: a part of the error; "" when the text is right
	}{
		{"environment: {keep: [MYAPP_*, DATABASE_URL]}", ""},
		{"environment: {keep: ['*']}", "must be the name of a variable"},
		{"environment: {keep: [1X]}", "must be the name of a variable"},
		{"environment: {keep: ['A=B']}", "must be the name of a variable"},
		{"environment: {drop: [A]}", `unknown key "drop"`},
		{"limits: {time: 30m, cpu: 90s, memory: 4G, processes: 500, output: 100M, file_size: 1T, open_files: 64}", ""},
		{"limits: {time: 10ms}", "must be a time of at least 1s"},
		{"limits: {time: 5}", "must be a time of at least 1s"},
		{"limits: {memory: 4GB}", "must be a number of bytes"},
		{"limits: {memory: 9999999T}", "must be between"},
		{"limits: {processes: 0}", "must be a number above 0"},
		{"limits: {processes: -1}", "must be a number above 0"},
	} {
		_, err := decode(ConfigFile{Path: "config.yaml"}, []byte(test.text), defaults())
		if test.fault == "" && err != nil || test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)) {
			t.Errorf("%s: %v, want %q", test.text, err, test.fault)
		}
	}
}

// A second file can lower a limit and cannot keep a variable.
func TestRunSettingsTighten(t *testing.T) {
	first := Settings{KeepEnv: []string{"A"}, Limits: Limits{Time: time.Hour, Memory: 1 << 30}}
	got, notes := first.strictest(Settings{KeepEnv: []string{"B"}, Limits: Limits{Time: time.Minute, Memory: 1 << 40, OpenFiles: 9}})
	if want := (Limits{Time: time.Minute, Memory: 1 << 30, OpenFiles: 9}); got.Limits != want {
		t.Errorf("limits %v, want %v", got.Limits, want)
	}
	if !slices.Equal(got.KeepEnv, []string{"A"}) || len(notes) != 1 {
		t.Errorf("kept %q, notes %q", got.KeepEnv, notes)
	}
	if text := got.Limits.String(); text != "{time: 1m0s, memory: 1073741824, open_files: 9}" {
		t.Error(text)
	}
}
