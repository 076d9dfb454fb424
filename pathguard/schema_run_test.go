package pathguard

import (
	"fmt"
	"reflect"
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
		{"approval: {people: 2, from_risk: 0, self: false, origin: quarantined}", ""},
		{"approval: {people: 0}", "must be a number from 1 to 16"},
		{"approval: {people: two}", "must be a number from 1 to 16"},
		{"approval: {from_risk: 4}", "must be a number from 0 to 3"},
		{"approval: {self: maybe}", "must be true or false"},
		{"approval: {origin: human}", "must be agent or quarantined"},
		{"approval: {quorum: 2}", `unknown key "quorum"`},
		{"limits: {inotify: 64, inotify_watches: none, record: 1G, record_rate: none, memory: auto}", ""},
		{"limits: {record_rate: fast}", "must be a number of bytes"},
		{"background: keep", ""},
		{"background: end", ""},
		{"background: yes", `background must be end or keep, not "yes"`},
		{"background: [keep]", "must be end or keep"},
		{"limits: {time: 10ms}", "must be a time of at least 1s"},
		{"limits: {time: 5}", "must be a time of at least 1s"},
		{"limits: {memory: 4GB}", "must be a number of bytes"},
		{"limits: {memory: 9999999T}", "must be between"},
		{"limits: {processes: 0}", "must be a number above 0"},
		{"limits: {processes: -1}", "must be a number above 0"},
	} {
		_, err := decode(ConfigFile{Path: "config.yaml"}, []byte(test.text), defaults())
		if test.fault == "" && err != nil ||
			test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)) {
			t.Errorf("%s: %v, want %q", test.text, err, test.fault)
		}
	}
}

// A second file can lower a limit and cannot keep a variable.
func TestRunSettingsTighten(t *testing.T) {
	first := Settings{KeepEnv: []string{"A"}, Limits: Limits{Time: time.Hour, Memory: 1 << 30}}
	got, notes := first.strictest(Settings{KeepEnv: []string{"B"},
		Limits: Limits{Time: time.Minute, Memory: 1 << 40, OpenFiles: 9}})
	if want := (Limits{Time: time.Minute, Memory: 1 << 30, OpenFiles: 9}); got.Limits != want {
		t.Errorf("limits %v, want %v", got.Limits, want)
	}
	if !slices.Equal(got.KeepEnv, []string{"A"}) || len(notes) != 1 {
		t.Errorf("kept %q, notes %q", got.KeepEnv, notes)
	}
	if got, notes := first.strictest(Settings{KeepBackground: true}); got.KeepBackground ||
		!slices.Equal(notes,
			[]string{"background: keep has no effect here: this file can only tighten"}) {
		t.Errorf("background: %t, notes %q", got.KeepBackground, notes)
	}
	shown := map[string]string{}
	for _, s := range (Policy{set: got}).Explain() {
		shown[s.Name] = s.Text
	}
	for name, want := range map[string]string{"limits.time": "1m", "limits.memory": "1G",
		"limits.open_files": "9", "limits.cpu": "none"} {
		if shown[name] != want {
			t.Errorf("%s: shown as %s, want %s", name, shown[name], want)
		}
	}
}

// What no file says is the machine's default; who may only lower cannot raise it, with "none"
// neither.
func TestLimitDefaults(t *testing.T) {
	machine := Limits{Memory: 12 << 30, Processes: 4096, Record: 256 << 20}
	for _, test := range []struct{ first, further, want Limits }{
		{Limits{}, Limits{}, machine},
		{Limits{Memory: 20 << 30, Record: Unlimited}, Limits{},
			Limits{Memory: 20 << 30, Processes: 4096}},
		{Limits{}, Limits{Memory: 20 << 30, Processes: Unlimited}, machine},
		{Limits{Memory: 30 << 30}, Limits{Memory: 20 << 30},
			Limits{Memory: 20 << 30, Processes: 4096, Record: 256 << 20}},
		{Limits{Processes: Unlimited}, Limits{Processes: 50, OpenFiles: 7},
			Limits{Memory: 12 << 30, Processes: 50, Record: 256 << 20, OpenFiles: 7}},
	} {
		s, _ := Settings{Limits: test.first}.strictest(Settings{Limits: test.further})
		s, _ = s.strictest(Settings{Limits: test.further})
		if got := s.LimitsOf(machine); got != test.want {
			t.Errorf("%v, then %v: %v, want %v", test.first, test.further, got, test.want)
		}
	}
}

// Every field of Limits is a key of the configuration.
func TestLimitKeys(t *testing.T) {
	var all Limits
	rows := 0
	for _, k := range Keys() {
		if k.Section() == "limits" {
			rows++
		}
	}
	if n := reflect.TypeFor[Limits]().NumField(); n != rows || n != len(all.fields()) {
		t.Errorf("%d fields, %d keys", n, rows)
	}
}

// E-quo-1, B-R9.2: a second file can ask more people, sooner, and trust less; never the other way
// round.
func TestApprovalTightens(t *testing.T) {
	loose, strict := Approval{People: 1, FromRisk: 3, Offline: Allow},
		Approval{People: 3, FromRisk: 1, NotSelf: true, Quarantined: true, Offline: Ask}
	for _, pair := range [][2]Approval{{loose, strict}, {strict, loose}, {strict, strict}} {
		got, _ := (Settings{Approval: pair[0]}).strictest(Settings{Approval: pair[1]})
		if !reflect.DeepEqual(got.Approval, strict) {
			t.Errorf("%v and %v: %v", pair[0], pair[1], got.Approval)
		}
	}
	for risk, want := range map[int]string{0: "1 true", 1: "3 false", 3: "3 false"} {
		if people, self := strict.For(risk); fmt.Sprint(people, self) != want {
			t.Errorf("risk %d: %d %v, want %s", risk, people, self, want)
		}
	}
	if people, self := (Approval{}).For(0); people != 1 || !self {
		t.Errorf("the zero value: %d %v", people, self)
	}
}
