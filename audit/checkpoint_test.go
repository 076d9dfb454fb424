package audit

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func testKey(t *testing.T) (note.Signer, note.Verifiers) {
	t.Helper()
	skey, vkey, err := note.GenerateKey(rand.Reader, "tada-run.test")
	must(t, err)
	s, err := note.NewSigner(skey)
	must(t, err)
	v, err := note.NewVerifier(vkey)
	must(t, err)
	return s, note.VerifierList(v)
}

// A checkpoint holds the log to its history: it may grow, and everything else is reported,
// including another history with a good chain and anchor.
func TestCheckpoint(t *testing.T) {
	signer, known := testKey(t)
	for _, n := range []int{0, 1, 2, 7, 8, 100} {
		dir := fill(t, n)
		signed, err := Checkpoint(dir, VerifyOptions{}, signer)
		must(t, err)
		if _, err := verifyCheckpoint(dir, VerifyOptions{}, signed, known); err != nil {
			t.Errorf("%d entries: %v", n, err)
		}
		l := openTest(t, dir)
		for range 3 {
			mustAppend(t, l, "k", `{}`)
		}
		if r, err := verifyCheckpoint(dir, VerifyOptions{}, signed, known); err != nil ||
			r.Entries != int64(n+3) {
			t.Errorf("%d entries, grown: %v", n, err)
		}
	}
	signed, err := Checkpoint(fill(t, 20), VerifyOptions{}, signer)
	must(t, err)
	var bad *BadEntry
	if _, err := verifyCheckpoint(fill(t, 19), VerifyOptions{}, signed, known); !errors.As(err,
		&bad) || bad.Seq != 19 {
		t.Errorf("rolled back: %v", err)
	}
	other := fill(t, 0)
	l := openTest(t, other)
	for range 25 {
		mustAppend(t, l, "k", `{"another":"story"}`)
	}
	mustVerify(t, other)
	if _, err := verifyCheckpoint(other, VerifyOptions{}, signed, known); !errors.As(err, &bad) ||
		bad.Seq != 19 {
		t.Errorf("another history: %v", err)
	}
	_, strangers := testKey(t)
	if _, err := verifyCheckpoint(fill(t, 20), VerifyOptions{}, signed, strangers); err == nil {
		t.Error("believed a key that is not known")
	}
	wantSize, wantRoot, err := openCheckpoint(signed, known)
	must(t, err)
	for i := range signed {
		b := bytes.Clone(signed)
		b[i] ^= 1
		// The last base64 digit of the signature has bits without meaning.
		size, root, err := openCheckpoint(b, known)
		if err == nil && (size != wantSize || root != wantRoot) {
			t.Errorf("checkpoint byte %d changed: believed %d, %s", i, size, root)
		}
	}
}

// A proof needs nothing else; no byte of it can be changed.
func TestProve(t *testing.T) {
	signer, known := testKey(t)
	dir := fill(t, 9)
	signed, err := Checkpoint(dir, VerifyOptions{}, signer)
	must(t, err)
	mustAppend(t, openTest(t, dir), "later", `{}`)
	for seq := range int64(9) {
		proof, err := Prove(dir, VerifyOptions{}, seq, signed, known)
		must(t, err)
		e, err := CheckProof(proof, known)
		if err != nil || e.Seq != seq || string(e.Body) != fmt.Sprintf(`{"i":%d}`, seq) {
			t.Errorf("entry %d: %+v, %v", seq, e, err)
		}
		if seq != 5 {
			continue
		}
		for i := range proof {
			b := bytes.Clone(proof)
			b[i] ^= 1
			if got, err := CheckProof(b, known); err == nil && string(got.Body) != string(e.Body) {
				t.Errorf("proof byte %d changed: believed %+v", i, got)
			}
		}
	}
	if _, err := Prove(dir, VerifyOptions{}, 9, signed, known); err == nil {
		t.Error("proved an entry that the checkpoint does not cover")
	}
}

// The tree is that of RFC 6962 over the entries' hashes, without gaps.
func TestTreeSkipsGaps(t *testing.T) {
	dir := fill(t, 3)
	line := bytes.SplitAfter(readLog(t, dir), newline)[1]
	writeLog(t, dir, append(readLog(t, dir), line...)) // a copy of an entry as garbage
	l := openTest(t, dir)
	if _, err := l.Accept("uid 1000", "mine"); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, l, "k", `{}`)
	tr, report, err := proveTree(dir, VerifyOptions{})
	must(t, err)
	if tr.size != 5 || report.Entries != 5 {
		t.Fatalf("%d leaves for %d entries", tr.size, report.Entries)
	}
	if tr.hashes[tlog.StoredHashIndex(0, 4)] != tlog.RecordHash(report.Head[:]) {
		t.Error("the last leaf is not the head")
	}
}

// verifyCheckpoint verifies the log in dir, and that it is the log for which the checkpoint was
// signed, or grew out of it; otherwise the error is a *BadEntry.
func verifyCheckpoint(dir string, o VerifyOptions, signed []byte,
	known note.Verifiers) (Report, error) {
	_, _, report, err := checkedTree(dir, o, signed, known)
	return report, err
}
