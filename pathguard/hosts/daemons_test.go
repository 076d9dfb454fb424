package hosts

import (
	"fmt"
	"testing"
)

// N4: a program is known with the daemon that it asks, by whatever path it is called.
func TestDaemons(t *testing.T) {
	got := fmt.Sprint(DaemonsOf([]string{"/usr/bin/docker", "ls", "docker", "ssh-add"}))
	if got != "[{docker /run/docker.sock} {ssh-add $SSH_AUTH_SOCK}]" {
		t.Error(got)
	}
	for program, sockets := range daemons() {
		for _, socket := range sockets {
			if socket[0] != '/' && socket[0] != '$' && socket[0] != '~' {
				t.Errorf("%s: %q", program, socket)
			}
		}
	}
}
