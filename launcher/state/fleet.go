package state

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/approval/private"
)

// Joined reports whether the machine is in a fleet. Where that cannot be seen, it is.
func (h Home) Joined() bool {
	_, err := os.Lstat(h.Membership())
	return !errors.Is(err, fs.ErrNotExist)
}

// maxFreeze bounds what is read of an order.
const maxFreeze = 64 << 10

// Frozen returns why nothing new may start on this machine of a fleet, as a quoted line; "" if it
// may. An order that cannot be read is one.
func (h Home) Frozen() string {
	text, err := private.Read(h.Freeze(), maxFreeze)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil {
		return "the order to freeze cannot be read: " + err.Error()
	}
	line, _, _ := strings.Cut(string(text), "\n")
	if len(line) > maxOrder {
		line = line[:maxOrder]
	}
	return strconv.Quote(strings.TrimSpace(line))
}

// maxOrder is how much of the line is shown.
const maxOrder = 1 << 10
