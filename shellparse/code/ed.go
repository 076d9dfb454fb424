package code

import "strings"

// edEdits are the commands of ed(1) that change the buffer, show it, write the file that the
// command line names, or leave. Lines of text follow a, c and i, up to a dot.
var edEdits = pattern(
	`^[0-9.,;$+ -]*(?:/[^/\\]*/)?[0-9.,;$+ -]*(?:([aci])|[dhHjnpPqQu=]|wq?|[mt][0-9.$+-]*|s/[^/\\]*/[^/\\]*/?[gp0-9]*)?$`)

// scanEd reports whether a list of commands for ed(1) could do more than edit.
func scanEd(text string) (opaque bool) {
	inserts := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if inserts {
			inserts = line != "."
			continue
		}
		edit := edEdits().FindStringSubmatch(line)
		if edit == nil {
			return true
		}
		inserts = edit[1] != ""
	}
	return false
}
