package state

import "testing"

// A process that waits gets the name of the process that blocks it: the holder of the lock, one
// that is stopped among several, and behind a holder that waits itself the one that it waits for.
func TestBlocker(t *testing.T) {
	locks := parseLocks(`1: FLOCK  ADVISORY  WRITE 100 fe:00:11 0 EOF
1: -> FLOCK  ADVISORY  WRITE 200 fe:00:11 0 EOF
1:  -> FLOCK  ADVISORY  WRITE 300 fe:00:11 0 EOF
2: FLOCK  ADVISORY  WRITE 200 fe:00:22 0 EOF
3: POSIX  ADVISORY  WRITE 400 fe:00:33 0 EOF
4: FLOCK  ADVISORY  READ 500 fe:00:44 0 EOF
5: FLOCK  ADVISORY  READ 501 fe:00:44 0 EOF
6: FLOCK  ADVISORY  WRITE 600 fe:00:66 0 EOF
6: -> FLOCK  ADVISORY  WRITE 700 fe:00:66 0 EOF
7: FLOCK  ADVISORY  WRITE 700 fe:00:77 0 EOF
7: -> FLOCK  ADVISORY  WRITE 600 fe:00:77 0 EOF
torn
`)
	for _, test := range []struct {
		name    string
		ino     uint64
		stopped int
		want    int
	}{
		{"the holder", 11, 0, 100}, {"behind a holder that waits", 22, 0, 100},
		{"a stopped holder that waits", 22, 200, 200},
		{"not by flock", 33, 0, 0}, {"shared", 44, 0, 500}, {"shared, one stopped", 44, 501, 501},
		{"nobody", 55, 0, 0}, {"each waits for the other", 66, 0, 600},
	} {
		got := blocker(locks, test.ino, 1, func(pid int) bool { return pid == test.stopped })
		if got != test.want && (test.ino != 66 || got != 700) {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}
