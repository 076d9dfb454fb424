package approval

import "testing"

// B-R1.1a: of the 16 transitions three are allowed; the other 13, and those of states that do not
// exist, are errors.
func TestCheckTransition(t *testing.T) {
	all := []State{Pending, Consumed, Rejected, Expired}
	allowed := 0
	for _, from := range append(all, "", "other") {
		for _, to := range append(all, "", "other") {
			want := from == Pending && (to == Consumed || to == Rejected || to == Expired)
			if got := checkTransition(from, to) == nil; got != want {
				t.Errorf("%q to %q: allowed %v", from, to, got)
			} else if got {
				allowed++
			}
		}
	}
	if allowed != 3 {
		t.Errorf("%d transitions are allowed", allowed)
	}
}
