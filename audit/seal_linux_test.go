package audit

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func mustSeal(t testing.TB, l *Log) sealBody {
	t.Helper()
	e, err := l.Seal(rand.Reader)
	must(t, err)
	var b sealBody
	must(t, json.Unmarshal(e.Body, &b))
	return b
}

// sealed makes a log of three epochs and returns the pinned key.
func sealed(t *testing.T) (dir, pin string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "audit")
	l := openTest(t, dir)
	for epoch := range int64(3) {
		for i := range 4 {
			mustAppend(t, l, "k", fmt.Sprintf(`{"epoch":%d,"i":%d}`, epoch, i))
		}
		b := mustSeal(t, l)
		if b.Epoch != epoch {
			t.Fatalf("sealed epoch %d, want %d", b.Epoch, epoch)
		}
		if epoch == 0 {
			pin = b.Key
		}
	}
	mustAppend(t, l, "k", `{"after":true}`)
	return dir, pin
}

func TestSeal(t *testing.T) {
	dir, pin := sealed(t)
	r, err := Verify(dir, VerifyOptions{SealKey: pin})
	if err != nil || r.Seals != 3 || r.Sealed != 15 || r.Entries != 16 {
		t.Errorf("%+v, %v", r, err)
	}
	var bad *BadEntry
	if _, err := Verify(dir, VerifyOptions{SealKey: strings.Repeat("0", 64)}); !errors.As(err,
		&bad) || bad.Seq != 4 {
		t.Errorf("another pin: %v", err)
	}
	if _, err := Verify(fill(t, 3), VerifyOptions{SealKey: pin}); !errors.As(err, &bad) ||
		!strings.Contains(bad.Reason, "nothing is sealed") {
		t.Errorf("pinned and never sealed: %v", err)
	}
	keys := parseKeys(readAll(t, filepath.Join(dir, sealKeyName)))
	if len(keys) != 1 || keys[0].epoch != 3 {
		t.Errorf("keys left: %d", len(keys))
	}
	l := openTest(t, dir)
	if l.SealDue() {
		t.Error("due after one entry")
	}
	for range SealEvery {
		mustAppend(t, l, "k", `{}`)
	}
	if !l.SealDue() {
		t.Errorf("not due after %d entries", SealEvery)
	}
	if _, err := l.Append("seal", []byte(`{}`), Lazy); !errors.Is(err, ErrKind) {
		t.Errorf("a caller writes seals: %v", err)
	}
}

// rewrite does what an attacker who has the whole account can do: change lines, chain them again,
// and write a matching anchor.
func rewrite(t *testing.T, dir string,
	change func(n int, f fields) (kind string, body []byte, keep bool)) {
	t.Helper()
	b := &batch{at: startCursor()}
	a, ok := parseAnchor(readAll(t, filepath.Join(dir, anchorName)), nil)
	if !ok {
		t.Fatal("no anchor")
	}
	a.Epoch, a.Sealed = 0, 0
	for n, line := range bytes.Split(bytes.TrimSpace(readLog(t, dir)), newline) {
		f, _ := splitLine(line)
		kind, body, keep := change(n, f)
		if !keep {
			break
		}
		b.now = stamp(f.time)
		b.add(kind, body)
		if kind == kindSeal {
			a.Epoch, a.Sealed = a.Epoch+1, b.at.seq
		}
	}
	a.Count, a.Head, a.Last, a.Size, a.Time = b.at.seq, b.at.head, b.last, b.at.offset,
		b.at.time.time()
	a.Synced, a.SyncedCount, a.SyncedHead = a.Size, a.Count, a.Head
	writeLog(t, dir, b.bytes)
	even := a
	even.turn = 2
	odd := a
	odd.turn = 3
	must(t, os.WriteFile(filepath.Join(dir, anchorName),
		odd.appendSlot(even.appendSlot(nil, nil), nil), 0o600))
}

// Forward security: with everything that is left on the disk, what is sealed cannot be changed, cut
// off or left out.
func TestSealedCannotBeRewritten(t *testing.T) {
	t.Parallel()
	same := func(f fields) (string, []byte, bool) { return string(f.kind), f.body, true }
	for n := range 15 {
		dir, pin := sealed(t)
		rewrite(t, dir, func(i int, f fields) (string, []byte, bool) {
			if i == n {
				return "k", []byte(`{"forged":true}`), true
			}
			return same(f)
		})
		var bad *BadEntry
		if _, err := Verify(dir, VerifyOptions{SealKey: pin}); !errors.As(err, &bad) ||
			bad.Seq < int64(n) && n != 14 {
			// 14 is the last seal itself: the entry after the seal before is named.
			t.Errorf("entry %d rewritten: %v", n, err)
		}
	}
	for n := 1; n < 15; n++ {
		dir, pin := sealed(t)
		rewrite(t, dir, func(i int, f fields) (string, []byte, bool) {
			kind, body, _ := same(f)
			return kind, body, i < n
		})
		if _, err := Verify(dir, VerifyOptions{SealKey: pin}); err == nil {
			t.Errorf("cut to %d entries with a matching anchor: verified", n)
		}
		var tampered *TamperError
		if _, err := openTest(t, dir).Seal(rand.Reader); !errors.As(err, &tampered) {
			t.Errorf("cut to %d entries: sealed on: %v", n, err)
		}
	}
	// The same steps without a change verify: the steps themselves are sound.
	dir, pin := sealed(t)
	rewrite(t, dir, func(_ int, f fields) (string, []byte, bool) { return same(f) })
	if _, err := Verify(dir, VerifyOptions{SealKey: pin}); err != nil {
		t.Errorf("rewritten as it was: %v", err)
	}
}

// After a seal was killed at any step, the next one continues.
func TestSealKilledAtEveryStep(t *testing.T) {
	for _, step := range []string{"key stored", "write", "written", "anchored", "sync locked",
		"synced", "published", "sealed"} {
		dir, pin := sealed(t)
		if err := run(t, "seal", dir, step).Run(); !killed(err) {
			t.Fatalf("%s: %v", step, err)
		}
		if _, err := Verify(dir, VerifyOptions{SealKey: pin}); err != nil {
			t.Errorf("killed at %q: %v", step, err)
		}
		for range 2 {
			l := openNow(t, dir)
			mustAppend(t, l, "k", `{}`)
			mustSeal(t, l)
		}
		r, err := Verify(dir, VerifyOptions{SealKey: pin})
		if err != nil || r.Seals < 5 {
			t.Errorf("killed at %q, then sealed twice: %d seals, %v", step, r.Seals, err)
		}
		if keys := parseKeys(readAll(t, filepath.Join(dir, sealKeyName))); len(keys) != 1 {
			t.Errorf("killed at %q: %d keys left", step, len(keys))
		}
	}
}

// A power cut may take back a seal that was never stored; its key still exists, to make it again.
func TestSealAndPowerCut(t *testing.T) {
	dir, pin := sealed(t)
	before := readLog(t, dir)
	if err := run(t, "seal", dir, "anchored").Run(); !killed(err) {
		t.Fatal(err)
	}
	writeLog(t, dir, before)
	l, err := OpenLog(dir, LogOptions{Now: time.Now, BootID: "another-boot"})
	must(t, err)
	defer l.Close()
	mustAppend(t, l, "k", `{}`)
	mustSeal(t, l)
	if r, err := Verify(dir, VerifyOptions{SealKey: pin}); err != nil || r.Seals != 4 {
		t.Errorf("%d seals, %v", r.Seals, err)
	}
}

// A lost key stops sealing until a person accepts; then a new, visible chain of keys begins.
func TestSealKeyLost(t *testing.T) {
	dir, _ := sealed(t)
	must(t, os.Remove(filepath.Join(dir, sealKeyName)))
	l := openTest(t, dir)
	var tampered *TamperError
	if _, err := l.Seal(rand.Reader); !errors.As(err, &tampered) {
		t.Fatalf("sealed without the key: %v", err)
	}
	if _, err := l.Accept("uid 1000", "disk replaced"); err != nil {
		t.Fatal(err)
	}
	if b := mustSeal(t, l); b.Epoch != 0 {
		t.Errorf("sealed epoch %d", b.Epoch)
	}
	if r := mustVerify(t, dir); r.Seals != 4 || len(r.Gaps) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestCheckSealEveryByte(t *testing.T) {
	dir, _ := sealed(t)
	for e, err := range Entries(dir, Filter{Kinds: []string{kindSeal}}) {
		must(t, err)
		if _, reason := checkSeal(e); reason != "" {
			t.Fatal(reason)
		}
		for i := range e.Body {
			forged := e
			forged.Body = bytes.Clone(e.Body)
			forged.Body[i] ^= 1
			if _, reason := checkSeal(forged); reason == "" {
				t.Errorf("byte %d of a seal changed: believed", i)
			}
		}
		e.Prev = sha256.Sum256(nil)
		if _, reason := checkSeal(e); reason == "" {
			t.Error("a seal for another history was believed")
		}
	}
}
