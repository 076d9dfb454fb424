package watch

import "io"

// maxSwapped is how many names the record has of them.
const maxSwapped = 12

// swappedFiles are the names that changed while the command ran, for the record: by the command
// itself, as a build does, or by another process, and then it may have executed what was not
// judged.
func swappedFiles(b Before, _ After, _ io.Writer) Found {
	names, err := b.Plan.Changed()
	if err != nil {
		names = []string{"unknown: " + err.Error()}
	}
	return finding("swapped", names[:min(len(names), maxSwapped)])
}
