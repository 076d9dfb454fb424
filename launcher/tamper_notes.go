package launcher

import (
	"fmt"
	"io"
	"strings"

	"github.com/tada-run/tada-run/launcher/notice"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// noteLines are the notes that a person sees, each once: about one file, and about several.
var noteLines = []struct{ note, one, several string }{
	{tamper.NoteFirst, "now protected (seen for the first time)",
		"now protected (seen for the first time)"},
	{
		tamper.NoteAdopted, "changed by a run that was allowed to and ended unexpectedly; both " +
			"versions are kept: tadactl tamper log",
		"changed by a run that was allowed to and ended unexpectedly; both versions are kept: " +
			"tadactl tamper log",
	},
}

// maxNamed is how many files a note names. A workspace may protect thousands, and the record has
// them all.
const maxNamed = 4

// tellNotes writes one line for all files of a note.
func tellNotes(out io.Writer, notes []tamper.Note) {
	for _, line := range noteLines {
		var files []string
		for _, n := range notes {
			if n.Note == line.note {
				files = append(files, notice.Visible(n.Path))
			}
		}
		switch more := len(files) - maxNamed; {
		case len(files) == 0:
		case len(files) == 1:
			fmt.Fprintf(out, "tada-run: %s: %s\n", files[0], line.one)
		case more <= 0:
			fmt.Fprintf(out, "tada-run: %s: %s\n", strings.Join(files, ", "), line.several)
		default:
			fmt.Fprintf(out, "tada-run: %s and %d more: %s\n", strings.Join(files[:maxNamed], ", "),
				more, line.several)
		}
	}
}
