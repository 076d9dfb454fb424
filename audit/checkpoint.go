package audit

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// headLine begins the only extension line of a checkpoint: the head of the chain, so that a
// verifier can begin there (VerifyOptions.Since) without the tree over everything before it.
const headLine = "tada-head "

// CheckpointPoint returns the head in a checkpoint signed by a known key, as VerifyOptions.Since
// and Remember take it.
func CheckpointPoint(signed []byte, known note.Verifiers) (Point, error) {
	size, _, err := openCheckpoint(signed, known)
	if err != nil {
		return Point{}, err
	}
	for line := range strings.SplitSeq(string(signed), "\n") {
		if line == "" {
			break // the signatures follow
		}
		text, ok := strings.CutPrefix(line, headLine)
		if head, whole := parseHash([]byte(text)); ok && whole {
			return Point{Count: size, Head: head}, nil
		}
	}
	return Point{}, errNoHead
}

var errNoHead = errors.New("checkpoint: it does not name the head of the chain")

// openCheckpoint checks the signatures and reads size and root. The origin
// must be the name of a key that signed: a signature by that key over another
// log's checkpoint proves nothing about this one.
func openCheckpoint(signed []byte, known note.Verifiers) (size int64, root tlog.Hash, err error) {
	n, err := note.Open(signed, known)
	if err != nil {
		return 0, root, fmt.Errorf("checkpoint: %w", err)
	}
	lines := strings.Split(n.Text, "\n")
	signedBy := func(s note.Signature) bool { return s.Name == lines[0] }
	if len(lines) < 4 || !slices.ContainsFunc(n.Sigs, signedBy) {
		return 0, root, errors.New("checkpoint: not one of the log that signed it")
	}
	size, err = strconv.ParseInt(lines[1], 10, 64)
	raw, err2 := base64.StdEncoding.DecodeString(lines[2])
	if err != nil || err2 != nil || size < 0 || strconv.FormatInt(size, 10) != lines[1] ||
		len(raw) != len(root) {
		return 0, root, errors.New("checkpoint: not a size and a root")
	}
	return size, tlog.Hash(raw), nil
}
