package pathguard

import (
	"fmt"

	"github.com/tada-run/tada-run/pathguard/hosts"
	"github.com/tada-run/tada-run/shellparse"
)

// Daemons are the Unix sockets of daemons that programs of a script are known to want, each with
// the program and with what becomes of the connection.
func Daemons(s *shellparse.Script, becomes string) (list []string) {
	var programs []string
	for i := range s.Commands {
		programs = append(programs, s.Commands[i].Name)
	}
	for _, d := range hosts.DaemonsOf(programs) {
		list = append(list, fmt.Sprintf("%s (%s: %s)", d.Socket, d.Program, becomes))
	}
	return list
}
