package live

import "fmt"

// An UnreachableError says why a session cannot be attached to.
type UnreachableError struct {
	ID, Reason, Try string
	Alone           bool // it runs, and has no place for others: what it shows is in its transcript
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("session %q: %s; try: %s", e.ID, e.Reason, e.Try)
}
