package launcher

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// maxBehind is how many of the processes that a command left running are told of.
const maxBehind = 5

// leftBehind tells which processes the command left running: they have ended with it, and nothing else says so.
func (r *run) leftBehind(out io.Writer, s sandbox.Status) []string {
	names := slices.Clone(s.Left)
	slices.Sort(names)
	if names = slices.Compact(names); len(names) == 0 || r.desk != nil {
		return nil
	}
	shown := names[:min(len(names), maxBehind)]
	for i := range shown {
		shown[i] = visible(shown[i])
	}
	more := ""
	if len(names) > maxBehind {
		more = fmt.Sprintf(" and %d more", len(names)-maxBehind)
	}
	fmt.Fprintf(out, "tada-run: ended with the command, which left it running: %s%s; to start what keeps running: tada-run --background 'COMMAND'\n", strings.Join(shown, ", "), more)
	return names
}
