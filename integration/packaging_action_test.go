package integration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// A job is where a step of a workflow runs: with the files that a runner gives it.
type job struct {
	*place
	temp string
}

func newJob(t *testing.T) job {
	t.Helper()
	j := job{newPlace(t), ""}
	j.temp = filepath.Join(filepath.Dir(j.dir), "temp")
	if err := os.Mkdir(j.temp, 0o755); err != nil {
		t.Fatal(err)
	}
	// without the variable, the state is that of --home
	j.env = append(j.env, "TRANSCRIPT_HOME=", "RUNNER_TEMP="+j.temp)
	for _, name := range []string{"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH"} {
		j.env = append(j.env, name+"="+filepath.Join(j.temp, name))
	}
	return j
}

// step runs a script of the action, and returns what it printed and the files of the runner.
func (j job) step(t *testing.T, script string, env ...string) (printed, output, summary string) {
	t.Helper()
	file, err := filepath.Abs("../packaging/action/" + script)
	if err != nil {
		t.Fatal(err)
	}
	j.place.env = append(j.env[:len(j.env):len(j.env)], env...)
	printed = j.run("bash " + file + "; echo status $?")
	text, _ := os.ReadFile(filepath.Join(j.temp, "GITHUB_OUTPUT"))
	sum, _ := os.ReadFile(filepath.Join(j.temp, "GITHUB_STEP_SUMMARY"))
	return printed, string(text), string(sum)
}

// The action for workflows runs commands like a step, with their status, leaves a page for each
// run, and sums up verdicts and connections. What commands print or are named is no markup there.
func TestActionRuns(t *testing.T) {
	j := newJob(t)
	printed, output, summary := j.step(t, "run.sh", "TADA_COMMANDS=echo one\n"+
		"echo '</pre>```<b>' | cat\nfalse\necho two")
	if !strings.Contains(printed, "one\n</pre>```<b>\nstatus 1\n") {
		t.Errorf("printed %q", printed)
	}
	for _, want := range []string{"Exit status 1.", "    ok: 4 entries", "    verdict    allow"} {
		if !strings.Contains(summary, want) {
			t.Errorf("no %q in\n%s", want, summary)
		}
	}
	for line := range strings.Lines(summary) {
		if strings.ContainsAny(line, "<`") && !strings.HasPrefix(line, "    ") {
			t.Errorf("markup: %q", line)
		}
	}
	folder := strings.TrimSpace(strings.TrimPrefix(output, "record="))
	pages, err := filepath.Glob(filepath.Join(folder, "*.html"))
	if err != nil || len(pages) != 1 || !strings.Contains(read(t, pages[0]), "<html") {
		t.Errorf("pages %q, %v, output %q", pages, err, output)
	}
}

// What would need an approval fails the step, and the summary says which command and why. Commands
// cannot write the files with which a step changes later ones.
func TestActionDenies(t *testing.T) {
	j := newJob(t)
	printed, output, summary := j.step(t, "run.sh", "TADA_COMMANDS=git push --force")
	if !strings.Contains(printed, "status 126") || !strings.Contains(summary, "verdict    ask") ||
		!strings.Contains(summary, "exec.denied") || !strings.HasPrefix(output, "record=") {
		t.Errorf("printed %q\nsummary %s\noutput %q", printed, summary, output)
	}
	j = newJob(t)
	printed, output, _ = j.step(t, "run.sh",
		"TADA_COMMANDS=echo PATH=/evil >> $GITHUB_OUTPUT")
	if strings.Contains(printed, "status 0") || strings.Contains(output, "evil") {
		t.Errorf("printed %q\noutput %q", printed, output)
	}
}

// The action installs nothing where the programs are, and nothing without a version, an address and
// a key.
func TestActionInstalls(t *testing.T) {
	j := newJob(t)
	if printed, _, _ := j.step(t, "install.sh"); printed != "status 0\n" {
		t.Errorf("printed %q", printed)
	}
	for version, why := range map[string]string{"main": "which version",
		"v1.2.3;id": "which version", "v1.2.3": "release.env has no address"} {
		printed, _, _ := j.step(t, "install.sh", "PATH=/usr/bin:/bin", "TADA_REF="+version)
		if !strings.Contains(printed, why) || !strings.Contains(printed, "status 1") {
			t.Errorf("%s: printed %q", version, printed)
		}
	}
}

// The description of the action is as its scripts need it.
func TestActionIsDescribed(t *testing.T) {
	var action struct {
		Inputs map[string]any
		Runs   struct {
			Using string
			Steps []struct {
				Run, Uses, Shell string
				Env              map[string]string
			}
		}
	}
	text := read(t, "../packaging/action/action.yml")
	if err := yaml.Unmarshal([]byte(text), &action); err != nil {
		t.Fatal(err)
	}
	used := ""
	for _, s := range action.Runs.Steps {
		for name, value := range s.Env {
			used += value
			if !strings.Contains(read(t, "../packaging/action/install.sh")+
				read(t, "../packaging/action/run.sh"), name) {
				t.Errorf("no script reads %s", name)
			}
		}
		// a value inside of run would be a way to put a command there
		if strings.Contains(s.Run, "${{") || s.Run != "" && s.Shell == "" {
			t.Errorf("%+v", s)
		}
		if _, commit, _ := strings.Cut(s.Uses, "@"); s.Uses != "" && len(commit) != 40 {
			t.Errorf("%q is not pinned to a commit", s.Uses)
		}
	}
	for name := range action.Inputs {
		if name != "artifact" && !strings.Contains(used, "inputs."+name+" ") {
			t.Errorf("the input %s does nothing", name)
		}
	}
	if action.Runs.Using != "composite" || len(action.Inputs) != 4 {
		t.Errorf("%+v", action)
	}
}
