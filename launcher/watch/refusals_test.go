package watch

import (
	"strings"
	"testing"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// What no setting opens says who can do it instead.
func TestRemedyOfASocket(t *testing.T) {
	said := `permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock: dial unix /var/run/docker.sock: socket: permission denied`
	denials := sandbox.Profile{}.ExplainOutput(said, "/")
	if len(denials) != 1 || !strings.Contains(remedy(denials[0]), "run it yourself in a terminal") {
		t.Errorf("%+v", denials)
	}
}
