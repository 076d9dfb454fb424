package witness

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/tada-run/tada-run/audit"
)

// maxRequest is the maximum size of a request: many times that of a checkpoint with a hundred
// signatures and 63 hashes.
const maxRequest = 64 << 10

// sizeType is the content type of a conflict's answer.
const sizeType = "text/x.tlog.size"

// A ConflictError means that the witness remembers another size than the given one: ask again with
// a proof from Size. If the log has never had that many entries, it was cut.
type ConflictError struct{ Size int64 }

func (e *ConflictError) Error() string {
	return fmt.Sprintf("the witness remembers %s", audit.Plural(e.Size, "entry"))
}

// A RefusedError is every other answer that is not a cosignature.
type RefusedError struct {
	Status int    // of HTTP, see the package comment
	Text   string // the witness's words, for people
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the witness refused (%d): %q", e.Status, e.Text)
}

// A refusal is an answer that is not 200.
type refusal struct {
	status int
	text   string
	size   bool // the text is the size that is remembered
}

func refuse(status int, format string, args ...any) *refusal {
	return &refusal{status: status, text: fmt.Sprintf(format, args...)}
}

// err is the refusal as clients see it.
func (r *refusal) err() error {
	if size, err := parseSize(r.text); err == nil && r.size {
		return &ConflictError{size}
	}
	return &RefusedError{r.status, r.text}
}

// parseSize reads a size in its one spelling.
func parseSize(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 62)
	if err != nil || n < 0 || strconv.FormatInt(n, 10) != s {
		return 0, errors.New("not a size")
	}
	return n, nil
}
