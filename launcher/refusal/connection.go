package refusal

import (
	"fmt"

	"github.com/tada-run/tada-run/launcher/notice"
)

// A Connection is one that a command was refused, with the question about it that is still open.
// Its JSON is a stable contract.
type Connection struct {
	Envelope string `json:"envelope"`
	Program  string `json:"program"`             // that wants to connect
	Host     string `json:"host"`                // HOST:PORT, or a Unix socket
	HumanCan string `json:"human_can,omitempty"` // "" once it is allowed
}

// Line is the connection in one line, without the newline.
func (c Connection) Line() string {
	next := "not allowed yet); to allow it: " + c.HumanCan + "; then"
	if c.HumanCan == "" {
		next = "allowed after it was refused);"
	}
	return notice.Visible(fmt.Sprintf("%s wants to connect to %s (%s", c.Program, c.Host, next)) +
		" run the identical command again"
}
