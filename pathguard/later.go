package pathguard

import (
	"os"
	"strings"
)

// LaterIn returns what a directory holds of the names that run or instruct later without
// anybody asking: .envrc, .mcp.json, AGENTS.md, the tasks of an editor. A judgement knows those
// that a command line names; who runs code that nobody read compares what there was before with
// what there is after. What belongs to git is not among them, and neither are patterns.
func LaterIn(dir string) []string {
	var found []string
	for _, n := range protectedNames {
		name := strings.TrimPrefix(n.name, "**/")
		if n.tool == "git" || strings.Contains(name, "*") {
			continue
		}
		full := join(dir, name)
		if _, err := os.Lstat(full); err == nil {
			found = append(found, full)
		}
	}
	return found
}
