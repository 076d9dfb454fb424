package cli

import (
	"slices"
	"testing"
)

func TestParseNumbers(t *testing.T) {
	for answer, want := range map[string][]int{"": nil, "1": {0}, "3,1": {0, 2}, " 2 2 ": {1},
		"all": {0, 1, 2}, ",": nil} {
		if got, ok := parseNumbers(answer, 3); !ok || !slices.Equal(got, want) {
			t.Errorf("%q: %v %v, want %v", answer, got, ok, want)
		}
	}
	for _, bad := range []string{"0", "4", "-1", "1-2", "yes", "1,x", "99999999999999999999"} {
		if got, ok := parseNumbers(bad, 3); ok {
			t.Errorf("%q: %v", bad, got)
		}
	}
}
