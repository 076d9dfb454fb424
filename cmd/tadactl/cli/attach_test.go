package cli

import "testing"

func TestPlural(t *testing.T) {
	for _, c := range []struct {
		n          int
		word, want string
	}{
		{0, "transcript", "0 transcripts"}, {1, "transcript", "1 transcript"}, {2, "transcript", "2 transcripts"},
		{1, "log entry", "1 log entry"}, {2, "log entry", "2 log entries"}, {0, "entry", "0 entries"},
	} {
		if got := plural(c.n, c.word); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
