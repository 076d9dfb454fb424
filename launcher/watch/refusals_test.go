package watch

import (
	"strings"
	"testing"

	"github.com/tada-run/tada-run/launcher/broker"
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

// A message that says no more than "Permission denied" is about the connection that was refused,
// where there was one: nothing is guessed beside it.
func TestRefusedConnectionIsNoGuess(t *testing.T) {
	b := Before{Plan: &pathguard.Plan{Dir: "/"}}
	a := After{Status: sandbox.Status{Code: 1}, Complaints: "Permission denied\n"}
	for refused, want := range map[bool]bool{true: false, false: true} {
		a.Traffic = func() broker.Traffic {
			c := broker.Connection{Refusal: broker.Refusal{Refused: refused}}
			return broker.Traffic{Connections: []broker.Connection{c}}
		}
		var told strings.Builder
		if found := refusals(b, a, &told); (found != nil) != want {
			t.Errorf("refused %v: %v, %q", refused, found, told.String())
		}
	}
}

// A name in quotation marks of any kind is the name, and one that the sandbox lets be written is
// not what was blocked.
func TestQuotedNames(t *testing.T) {
	p := sandbox.Profile{Write: []sandbox.Path{{Name: "/w"}}}
	for _, name := range []string{"'/w/x'", "‘/w/x’", "“/w/x”", `"/w/x"`, "/w/x"} {
		said := "mkdir: cannot create directory " + name + ": Permission denied"
		if denials := p.ExplainOutput(said, "/home"); len(denials) > 0 {
			t.Errorf("%s: %+v", said, denials)
		}
	}
}
