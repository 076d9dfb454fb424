package audit

import (
	"fmt"
	"strconv"
	"strings"
)

// The files of the folder.
const (
	logName    = "log.jsonl"
	anchorName = "anchor.json"
	// held for one append; never replaced, so that it is the same lock forever
	lockName    = "lock"
	syncName    = "lock.sync" // held while one process stores for all that wait
	reserveName = "reserve"

	pruneLockName = "lock.prune" // held while old segments are removed
)

// segmentName returns the file name of segment n. Nothing is renamed when the log continues in
// another file: a name means the same bytes forever, a writer that waited cannot be left with a
// file that was moved away, and it works in a folder whose files may only grow (chattr +a).
func segmentName(n int64) string {
	if n == 0 {
		return logName
	}
	return fmt.Sprintf("log.%06d.jsonl", n)
}

// numberOf reads the number from a name made of prefix, number and suffix, in the one spelling that
// name gives it.
func numberOf(file, prefix, suffix string, name func(int64) string) (int64, bool) {
	s, ok1 := strings.CutPrefix(file, prefix)
	s, ok2 := strings.CutSuffix(s, suffix)
	n, err := strconv.ParseInt(s, 10, 32)
	return n, ok1 && ok2 && err == nil && n >= 0 && name(n) == file
}

func segmentNumber(file string) (int64, bool) {
	if file == logName {
		return 0, true
	}
	return numberOf(file, "log.", ".jsonl", segmentName)
}

// packedName is the name of segment n when it is packed. It has the size of the plain text, so that
// offsets in the log are known without opening it.
func packedName(n, size int64) string {
	return fmt.Sprintf("%s.%d%s", segmentName(n), size, packedSuffix)
}

// packedNumber reads a name that packedName made.
func packedNumber(file string) (n, size int64, ok bool) {
	parts := strings.Split(strings.TrimSuffix(file, packedSuffix), ".")
	last := parts[len(parts)-1]
	n, ok = segmentNumber(strings.Join(parts[:len(parts)-1], "."))
	size, err := strconv.ParseInt(last, 10, 63)
	return n, size, ok && err == nil && size >= 0 && packedName(n, size) == file
}

func prunedName(n int64) string { return fmt.Sprintf("pruned.%06d", n) }

func prunedNumber(file string) (int64, bool) { return numberOf(file, "pruned.", "", prunedName) }
