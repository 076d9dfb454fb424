package play

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/tada-run/tada-run/audit"
)

// The bar below a session shows its length and marks before any of it was verified. A false line
// can only make the bar wrong.

// lastTime reads the length of the session from the end of the transcript, whose size it returns
// too.
func lastTime(src io.ReadSeeker) (total time.Duration, size int64) {
	size, err := src.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, 0
	}
	const tail = 1024 // a #t line has at most some 400 bytes
	if _, err := src.Seek(max(0, size-tail), io.SeekStart); err != nil {
		return 0, 0
	}
	text, _ := io.ReadAll(io.LimitReader(src, tail))
	at := bytes.LastIndex(text, []byte("\n#t "))
	if at < 0 {
		return 0, size
	}
	total, _ = eventTime(text[at+1:])
	return total, size
}

// glanceBytes is how much of a transcript is searched for its marks. Later ones are shown once they
// were passed.
const glanceBytes = 16 << 20

// markTimes reads the times of the transcript's own marks.
func markTimes(src io.ReadSeeker) (marks []time.Duration) {
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return nil
	}
	r := bufio.NewReaderSize(io.LimitReader(src, glanceBytes), 64<<10)
	for whole := true; ; {
		line, err := r.ReadSlice('\n')
		if whole {
			if at, code := eventTime(line); code == audit.CodeMark {
				marks = append(marks, at)
			}
		}
		if whole = err == nil; err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return marks
		}
	}
}

// eventTime reads the time and the code of an event from its #t line; for any other line they are
// 0.
func eventTime(line []byte) (at time.Duration, code byte) {
	if !bytes.HasPrefix(line, []byte("#t ")) {
		return 0, 0
	}
	words := bytes.SplitN(line, []byte(" "), 5)
	if len(words) < 5 || len(words[3]) != 1 {
		return 0, 0
	}
	us, err := strconv.ParseInt(string(words[2]), 10, 64)
	if err != nil || us < 0 || us > int64(endOfTime/time.Microsecond) {
		return 0, 0
	}
	return time.Duration(us) * time.Microsecond, words[3][0]
}
