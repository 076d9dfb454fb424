package witness

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/tada-run/tada-run/audit"
)

// A request is the body of an add-checkpoint.
type request struct {
	old    int64
	proof  tlog.TreeProof
	signed []byte
	origin string
}

// AddBody is the body of an add-checkpoint: see Client.Add.
func AddBody(old int64, proof tlog.TreeProof, signed []byte) []byte {
	body := fmt.Appendf(nil, "old %d\n", old)
	for _, h := range proof {
		body = fmt.Appendln(body, base64.StdEncoding.EncodeToString(h[:]))
	}
	return append(append(body, '\n'), signed...)
}

// CheckpointOf is the checkpoint in the body of an add-checkpoint.
func CheckpointOf(body []byte) []byte {
	_, signed, _ := bytes.Cut(body, []byte("\n\n"))
	return signed
}

func parseRequest(body []byte) (r request, err error) {
	head, signed, ok := strings.Cut(string(body), "\n\n")
	lines := strings.Split(head, "\n")
	size, ok2 := strings.CutPrefix(lines[0], "old ")
	if r.old, err = parseSize(size); !ok || !ok2 || err != nil || len(lines) > 1+63 {
		return r, errors.New("not an add-checkpoint request")
	}
	for _, line := range lines[1:] {
		h, err := base64.StdEncoding.DecodeString(line)
		if err != nil || len(h) != tlog.HashSize {
			return r, errors.New("the proof is not hashes in base64")
		}
		r.proof = append(r.proof, tlog.Hash(h))
	}
	r.signed = []byte(signed)
	r.origin, _, ok = strings.Cut(signed, "\n")
	if !ok || r.origin == "" {
		return r, errors.New("there is no checkpoint")
	}
	return r, nil
}

// follows returns why a checkpoint cannot follow the remembered one.
func (r request) follows(was, new checkpoint) *refusal {
	switch {
	case r.old != was.size:
		return &refusal{http.StatusConflict, strconv.FormatInt(was.size, 10), true}
	case was.size == new.size && was.size > 0 && was.root != new.root:
		return refuse(http.StatusConflict, "another log of %s was seen",
			audit.Plural(was.size, "entry"))
	case was.size == 0 || was.size == new.size:
		if len(r.proof) > 0 {
			return refuse(http.StatusUnprocessableEntity,
				"there is nothing to prove, and a proof was sent")
		}
		return nil
	}
	if err := tlog.CheckTree(r.proof, new.size, new.root, was.size, was.root); err != nil {
		return refuse(http.StatusUnprocessableEntity, "the log does not extend the stored one")
	}
	return nil
}

type checkpoint struct {
	size int64
	root tlog.Hash
}

func parseCheckpoint(text string) (c checkpoint, err error) {
	lines := strings.Split(text, "\n")
	if len(lines) < 4 {
		return c, errors.New("not a checkpoint")
	}
	size, err := parseSize(lines[1])
	root, err2 := base64.StdEncoding.DecodeString(lines[2])
	if err != nil || err2 != nil || len(root) != tlog.HashSize {
		return c, errors.New("not a checkpoint")
	}
	return checkpoint{size, tlog.Hash(root)}, nil
}

// originName is the name of a log in paths, which is public.
func originName(origin string) string {
	sum := sha256.Sum256([]byte(origin))
	return hex.EncodeToString(sum[:])
}
