package watch

import (
	"strings"
	"testing"

	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard"
)

// What no setting opens says who can do it instead.
func TestRemedyOfASocket(t *testing.T) {
	said := `permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock: dial unix /var/run/docker.sock: socket: permission denied`
	denials := sandbox.Profile{}.ExplainOutput(said, "/")
	if len(denials) != 1 || !strings.Contains(remedy(denials[0]), "run it yourself in a terminal") {
		t.Errorf("%+v", denials)
	}
}

// A command that met the limit of processes and ended at once is told by its own words, where no
// count has told it already.
func TestProcessesRefused(t *testing.T) {
	b := Before{Plan: &pathguard.Plan{Dir: "/"},
		Profile: sandbox.Profile{Limits: sandbox.Limits{Processes: 20}}}
	a := After{Status: sandbox.Status{Code: 1},
		Complaints: "a.sh: fork: retry: Resource temporarily unavailable\n"}
	var told strings.Builder
	if refusals(b, a, &told) == nil ||
		!strings.Contains(told.String(), "to raise limits.processes: tadactl policy edit") {
		t.Errorf("told %q", told.String())
	}
	a.Status.Reached = sandbox.LimitProcesses
	if found := refusals(b, a, &told); found != nil {
		t.Errorf("told twice: %v", found)
	}
}
