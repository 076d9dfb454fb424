package launcher

import (
	_ "embed"
	"strings"
)

// gateRC is what the shell of a session reads when it starts.
//
//go:embed gate.bash
var gateRC string

// gateScript is gateRC for a tada-run at that path.
func gateScript(door string) string {
	return strings.Replace(gateRC, "@DOOR@", "'"+strings.ReplaceAll(door, "'", `'\''`)+"'", 1)
}
