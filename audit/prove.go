package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

var errChanged = errors.New("the log changed while its tree was built")

// proveTree verifies the log in dir and builds its tree.
func proveTree(dir string, o VerifyOptions) (*tree, Report, error) {
	o.Transcript, o.Transcripts = nil, nil
	report, err := Verify(dir, o)
	if err != nil {
		return nil, report, err
	}
	t, head := &tree{}, Genesis()
	if report.Pruned > 0 {
		s, err := openSegments(dir, o.Codec)
		if err != nil {
			return nil, report, err
		}
		s.Close()
		if s.pruned == nil || s.pruned.body.Count != report.Pruned {
			return nil, report, errChanged
		}
		if t, err = s.pruned.load(dir); err != nil {
			return nil, report, err
		}
		head = s.start.head
	}
	for e, err := range Entries(dir, Filter{Codec: o.Codec}) {
		// The bytes that a gap covers may contain lines that look like entries; only the next one
		// of the chain is an entry.
		if err != nil || t.size == report.Entries || e.Seq != t.size || e.Prev != head {
			continue
		}
		head = e.Hash
		if err := t.add(e.Hash); err != nil {
			return nil, report, err
		}
	}
	if head != report.Head {
		return nil, report, errChanged
	}
	return t, report, nil
}

// Checkpoint verifies the log in dir and signs its size and Merkle root as a C2SP tlog-checkpoint
// (https://c2sp.org/tlog-checkpoint). A person, a witness or another machine keeps it, so that this
// log cannot be cut or rewritten later. The origin is the signer's name.
func Checkpoint(dir string, o VerifyOptions, signer note.Signer) ([]byte, error) {
	t, report, err := proveTree(dir, o)
	if err != nil {
		return nil, err
	}
	root, err := t.root()
	if err != nil {
		return nil, fmt.Errorf("checkpoint of %q: %w", dir, err)
	}
	text := fmt.Sprintf("%s\n%d\n%s\n%s%s\n", signer.Name(), t.size,
		base64.StdEncoding.EncodeToString(root[:]), headLine, report.Head)
	return note.Sign(&note.Note{Text: text}, signer)
}

// checkedTree verifies the log in dir, and that it is the log for which the checkpoint was signed,
// or grew out of it; otherwise the error is a *BadEntry. It returns the tree of the log, and the
// size that was signed.
func checkedTree(dir string, o VerifyOptions, signed []byte,
	known note.Verifiers) (*tree, int64, Report, error) {
	size, root, err := openCheckpoint(signed, known)
	if err != nil {
		return nil, 0, Report{}, err
	}
	t, report, err := proveTree(dir, o)
	if err != nil {
		return nil, 0, report, err
	}
	if t.size < size {
		return nil, 0, report, &BadEntry{File: logName, Seq: t.size,
			Reason: fmt.Sprintf("the log ends here; the checkpoint was signed for %s",
				Plural(size, "entry"))}
	}
	have, err := tlog.TreeHash(size, t)
	if err != nil {
		return nil, 0, report, fmt.Errorf("verify %q: %w", dir, err)
	}
	if have != root {
		return nil, 0, report, &BadEntry{File: logName, Seq: max(size-1, 0),
			Reason: fmt.Sprintf(
				"the log does not begin with the %s that the checkpoint was signed for",
				Plural(size, "entry"))}
	}
	return t, size, report, nil
}

// proofHeader begins a C2SP tlog-proof (https://c2sp.org/tlog-proof).
const proofHeader = "c2sp.org/tlog-proof@v1"

// Prove writes a proof that entry seq is in the log for which the checkpoint was signed. The line
// itself is its extra data, so CheckProof needs nothing but the proof and the signer's key.
func Prove(dir string, o VerifyOptions, seq int64, signed []byte,
	known note.Verifiers) ([]byte, error) {
	t, size, report, err := checkedTree(dir, o, signed, known)
	if err != nil {
		return nil, err
	}
	if seq < 0 || seq >= size {
		return nil, fmt.Errorf("prove entry %d: the checkpoint covers entries 0 to %d", seq, size-1)
	}
	for _, g := range report.Unproven {
		if g.From.Count <= seq && seq < g.Seq {
			return nil, fmt.Errorf("prove entry %d: %s", seq, g.Unproven())
		}
	}
	path, err := tlog.ProveRecord(size, seq, t)
	if err != nil {
		return nil, fmt.Errorf("prove entry %d: %w", seq, err)
	}
	leaf := t.hashes[tlog.StoredHashIndex(0, seq)]
	for e, err := range Entries(dir, Filter{Codec: o.Codec}) {
		if err != nil || e.Seq != seq || tlog.RecordHash(e.Hash[:]) != leaf {
			continue
		}
		line := appendLine(nil, e.Kind, e.Body, e.Prev, e.Seq, stampOf(e.Time))
		var b bytes.Buffer
		fmt.Fprintf(&b, "%s\nextra %s\nindex %d\n", proofHeader,
			base64.StdEncoding.EncodeToString(line), seq)
		for _, h := range path {
			fmt.Fprintln(&b, base64.StdEncoding.EncodeToString(h[:]))
		}
		b.WriteString("\n")
		b.Write(signed)
		return b.Bytes(), nil
	}
	return nil, fmt.Errorf("prove entry %d: the log was changed at the same time", seq)
}

// CheckProof returns the entry in a proof made by Prove, if its path leads to a root that a known
// key signed. It needs no log.
func CheckProof(proof []byte, known note.Verifiers) (Entry, error) {
	head, signed, ok := bytes.Cut(proof, []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	if !ok || len(lines) < 3 || lines[0] != proofHeader {
		return Entry{}, errors.New("proof: not a " + proofHeader)
	}
	size, root, err := openCheckpoint(signed, known)
	if err != nil {
		return Entry{}, fmt.Errorf("proof: %w", err)
	}
	extra, ok1 := strings.CutPrefix(lines[1], "extra ")
	index, ok2 := strings.CutPrefix(lines[2], "index ")
	line, err1 := base64.StdEncoding.DecodeString(extra)
	seq, err2 := strconv.ParseInt(index, 10, 64)
	f, ok3 := splitLine(line)
	if !ok1 || !ok2 || !ok3 || err1 != nil || err2 != nil || f.seq != seq || len(lines) > 3+63 {
		return Entry{}, errors.New("proof: holds no entry")
	}
	if err := checkObject(f.body); err != nil {
		return Entry{}, fmt.Errorf("proof: body: %w", err)
	}
	var path tlog.RecordProof
	for _, l := range lines[3:] {
		h, err := base64.StdEncoding.DecodeString(l)
		if err != nil || len(h) != tlog.HashSize {
			return Entry{}, errors.New("proof: not a path of hashes")
		}
		path = append(path, tlog.Hash(h))
	}
	hash := Hash(sha256.Sum256(line))
	if err := tlog.CheckRecord(path, size, root, seq, tlog.RecordHash(hash[:])); err != nil {
		return Entry{}, fmt.Errorf("proof: entry %d: %w", seq, err)
	}
	return f.entry(hash, 0, 0), nil
}
