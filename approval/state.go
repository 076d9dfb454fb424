package approval

import "fmt"

// State is the state of an envelope. The zero value means that there is no envelope.
type State string

// The life of an envelope: it starts pending and ends once.
const (
	Pending  State = "pending"  // asked; perhaps answered, not yet used
	Consumed State = "consumed" // used, or spoiled in the attempt; never again
	Rejected State = "rejected" // denied by a person, or cancelled
	Expired  State = "expired"  // not answered, or not used, in time
)

// A TransitionError says that one state cannot follow another.
type TransitionError struct{ From, To State }

func (e *TransitionError) Error() string {
	return fmt.Sprintf("approval: an envelope that is %q cannot become %q", e.From, e.To)
}

// checkTransition allows pending to end in three ways and nothing else.
func checkTransition(from, to State) error {
	if from == Pending && (to == Consumed || to == Rejected || to == Expired) {
		return nil
	}
	return &TransitionError{From: from, To: to}
}
