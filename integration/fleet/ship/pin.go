package ship

import (
	"bufio"
	"bytes"
	"strings"

	"github.com/tada-run/tada-run/integration/fleet/document"
)

// pinPrefix begins the line of a file of age-keygen that names a fleet. To age it is a comment.
const pinPrefix = "# fleet: "

// PinLine is the line by which the file of the team's key names a fleet, so that the bucket and
// that file are enough for a proof.
func PinLine(f document.Fleet) string { return pinPrefix + f.Pin() }

// PinOf returns the pin that the file of a key has; "" for none.
func PinOf(text []byte) string {
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if pin, ok := strings.CutPrefix(lines.Text(), pinPrefix); ok {
			return strings.TrimSpace(pin)
		}
	}
	return ""
}
