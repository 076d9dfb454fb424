package audit

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// SealEvery is how many entries should at most be unsealed: SealDue.
const SealEvery = 256

const (
	kindSeal    = "seal"
	sealKeyName = "seal.key"
	sealVersion = "tada-seal/v1\n"
	keySlotSize = 256
)

// A sealKey is the secret of one epoch. The file seal.key has two slots, for
// even and odd epochs: the next key is stored before the seal that names it,
// and the one that made the seal is wiped after it. Whoever takes over the
// account can sign from then on, but not change what was sealed before: that
// key is gone. (On flash and copy-on-write file systems the old bytes may
// survive for a while; nothing short of hardware helps there.)
type sealKey struct {
	epoch int64
	seed  [ed25519.SeedSize]byte
}

func (k sealKey) private() ed25519.PrivateKey { return ed25519.NewKeyFromSeed(k.seed[:]) }

func (k sealKey) public() string {
	return hex.EncodeToString(k.private().Public().(ed25519.PublicKey))
}

func (k sealKey) slot() []byte {
	b := fmt.Appendf(nil, "tada-seal-key %d %x", k.epoch, k.seed)
	b = fmt.Appendf(b, " %x", sha256.Sum256(b))
	b = append(b, bytes.Repeat([]byte{' '}, keySlotSize-1-len(b))...)
	return append(b, '\n')
}

// parseKeys returns the whole keys of a key file.
func parseKeys(file []byte) (keys []sealKey) {
	for i := 0; i+keySlotSize <= len(file); i += keySlotSize {
		slot := file[i : i+keySlotSize]
		var k sealKey
		var seed []byte
		if n, _ := fmt.Sscanf(string(slot), "tada-seal-key %d %x", &k.epoch, &seed); n != 2 || len(seed) != len(k.seed) {
			continue
		}
		copy(k.seed[:], seed)
		if bytes.Equal(k.slot(), slot) && int(k.epoch%2) == i/keySlotSize {
			keys = append(keys, k)
		}
	}
	return keys
}

// keyOf returns the key of an epoch.
func keyOf(keys []sealKey, epoch int64) (sealKey, bool) {
	for _, k := range keys {
		if k.epoch == epoch {
			return k, true
		}
	}
	return sealKey{}, false
}

// SealDue tells whether SealEvery entries have come since the last seal. An
// error means no.
func (l *Log) SealDue() bool { return l.Unsealed() >= SealEvery }

// Unsealed returns how many entries no seal covers yet, 0 when that cannot be
// told. It costs one small read.
func (l *Log) Unsealed() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.anchor == nil {
		return 0
	}
	a, state, err := l.readAnchor()
	if err != nil || state != anchorGood {
		return 0
	}
	return a.Count - a.Sealed
}

// Seal signs the log up to here with the key of this epoch, and throws that
// key away. It costs some disk writes: call it after a run, not before one.
//
// The first seal makes the first key, and its entry names it: the body's
// member key is what a person pins (VerifyOptions.SealKey) and keeps
// elsewhere. It returns *TamperError when the key is not that of the log's
// next epoch, because then one of the two was put back or taken away.
func (l *Log) Seal(rand io.Reader) (Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.poisoned != nil {
		return Entry{}, l.poisoned
	}
	f, err := openAt(l.dir, sealKeyName, openLockFlags)
	if err != nil {
		return Entry{}, fmt.Errorf("seal: %w", err)
	}
	defer f.Close()
	e, end, epoch, err := l.sealLocked(f, rand)
	if errors.Is(err, errUnstored) {
		if err = l.makeDurable(end); err == nil {
			e, end, epoch, err = l.sealLocked(f, rand)
		}
	}
	if err != nil {
		return Entry{}, fmt.Errorf("seal: %w", err)
	}
	if err := l.makeDurable(end); err != nil {
		return Entry{}, fmt.Errorf("seal: %w", err)
	}
	if err := l.wipeKey(f, epoch); err != nil {
		return Entry{}, fmt.Errorf("seal: %w", err)
	}
	return e, nil
}

// errUnstored says that the seal before is not on disk yet. A power cut may
// then take back one seal, but never two, and the key of that one is still
// there.
var errUnstored = errors.New("the seal before is not stored yet")

func (l *Log) sealLocked(f *os.File, rand io.Reader) (e Entry, end, epoch int64, err error) {
	if err := l.takeLock(); err != nil {
		return e, 0, 0, err
	}
	defer l.freeLock()
	t, err := l.tail()
	if err != nil {
		return e, 0, 0, err
	}
	if err := l.rotate(&t); err != nil {
		return e, 0, 0, err
	}
	if t.anchor.Sealed > t.anchor.SyncedCount {
		return e, t.at.offset, 0, errUnstored
	}
	key, next, err := l.sealKeys(f, t.anchor.Epoch, rand)
	if err != nil {
		return e, 0, 0, err
	}
	b, err := l.repair(t)
	if err != nil {
		return e, 0, 0, err
	}
	b.setClock(l.opts.Now())
	body := func(sig []byte) []byte {
		return fmt.Appendf(nil, `{"epoch":%d,"key":"%s","next":"%s","sig":"%x"}`, key.epoch, key.public(), next.public(), sig)
	}
	unsigned := appendLine([]byte(sealVersion), kindSeal, body(nil), b.at.head, b.at.seq, b.now)
	e = b.add(kindSeal, body(ed25519.Sign(key.private(), unsigned)))
	was := t.anchor
	was.Epoch, was.Sealed = key.epoch+1, b.at.seq
	if err := l.write(b, was); err != nil {
		return e, 0, 0, err
	}
	return e, b.at.offset, key.epoch, nil
}

// sealKeys returns the key of the epoch and a new one for the next, stored.
func (l *Log) sealKeys(f *os.File, epoch int64, rand io.Reader) (key, next sealKey, err error) {
	file, err := io.ReadAll(io.NewSectionReader(f, 0, 2*keySlotSize))
	if err != nil {
		return key, next, err
	}
	keys := parseKeys(file)
	key, ok := keyOf(keys, epoch)
	switch {
	case ok:
	case epoch == 0 && len(keys) == 0:
		if key, err = newSealKey(f, 0, rand); err != nil {
			return key, next, err
		}
	default:
		return key, next, &TamperError{File: sealKeyName, Offset: -1, Reason: fmt.Sprintf("it does not hold the key of epoch %d, which is the log's next", epoch)}
	}
	next, err = newSealKey(f, epoch+1, rand)
	l.step("key stored")
	return key, next, err
}

func newSealKey(f *os.File, epoch int64, rand io.Reader) (k sealKey, err error) {
	k.epoch = epoch
	if _, err := io.ReadFull(rand, k.seed[:]); err != nil {
		return k, fmt.Errorf("no randomness for a key: %w", err)
	}
	if _, err := f.WriteAt(k.slot(), epoch%2*keySlotSize); err != nil {
		return k, fmt.Errorf("writing %q: %w", sealKeyName, err)
	}
	if err := f.Sync(); err != nil {
		return k, fmt.Errorf("storing %q: %w", sealKeyName, err)
	}
	return k, nil
}

// wipeKey overwrites the key of a sealed epoch, unless another process has
// put a newer one in its place.
func (l *Log) wipeKey(f *os.File, epoch int64) error {
	l.step("sealed")
	if err := l.takeLock(); err != nil {
		return err
	}
	defer l.freeLock()
	file, err := io.ReadAll(io.NewSectionReader(f, 0, 2*keySlotSize))
	if err != nil {
		return err
	}
	if _, there := keyOf(parseKeys(file), epoch); !there {
		return nil
	}
	if _, err := f.WriteAt(bytes.Repeat([]byte{' '}, keySlotSize), epoch%2*keySlotSize); err != nil {
		return fmt.Errorf("wiping %q: %w", sealKeyName, err)
	}
	return f.Sync()
}

type sealBody struct {
	Epoch int64  `json:"epoch"`
	Key   string `json:"key"`
	Next  string `json:"next"`
	Sig   string `json:"sig"`
}

// checkSeal checks the signature over the entry as it was before it had one.
func checkSeal(e Entry) (b sealBody, reason string) {
	if json.Unmarshal(e.Body, &b) != nil {
		return b, "is not a seal"
	}
	key, err1 := hex.DecodeString(b.Key)
	sig, err2 := hex.DecodeString(b.Sig)
	tail := `,"sig":"` + b.Sig + `"}`
	body, ok := bytes.CutSuffix(e.Body, []byte(tail))
	if err1 != nil || err2 != nil || !ok || len(key) != ed25519.PublicKeySize {
		return b, "is not a seal"
	}
	body = append(bytes.Clone(body), `,"sig":""}`...)
	line := appendLine([]byte(sealVersion), e.Kind, body, e.Prev, e.Seq, stampOf(e.Time))
	if !ed25519.Verify(key, line, sig) {
		return b, "the seal's signature is wrong"
	}
	return b, ""
}

// checkSeals checks that every seal is signed by the key that the one before it
// named, the first by the pinned one, without a number left out. A log that
// was gone on with after tampering may have lost some: there the chain of
// keys begins anew, and the report's Gaps say why.
func (v *verifier) checkSeals() error {
	var last *sealBody
	var at Entry
	for _, e := range v.found.seals {
		if e.Kind == KindAccept {
			last = nil
			continue
		}
		b, reason := checkSeal(e)
		first := v.report.Seals == 0
		switch {
		case reason != "":
		case last != nil && b.Epoch != last.Epoch+1:
			reason = fmt.Sprintf("seals epoch %d, not %d", b.Epoch, last.Epoch+1)
		case last != nil && b.Key != last.Next:
			reason = "is not sealed with the key that the seal before it named"
		case first && v.o.SealKey != "" && v.report.Since == 0 && b.Key != v.o.SealKey:
			reason = "is not sealed with the pinned key"
		case first && b.Epoch != 0 && len(v.report.Gaps) == 0 && v.report.Since == 0:
			reason = fmt.Sprintf("the first seal is of epoch %d", b.Epoch)
		}
		if reason != "" {
			return &BadEntry{File: logName, Seq: e.Seq, Line: e.Line, Offset: e.Offset, Reason: reason}
		}
		if first {
			v.report.FirstKey = b.Key
		}
		v.report.Seals++
		v.report.Sealed = e.Seq + 1
		last, at = &b, e
	}
	if v.report.Seals == 0 && v.o.SealKey != "" && v.report.Since == 0 {
		return &BadEntry{File: logName, Seq: v.at.seq, Reason: "a key is pinned, but nothing is sealed"}
	}
	return v.sealFile(last, at)
}

// sealFile compares the seals with the key file, where it could be read: a
// log cut back to an older seal has no key any more that could go on from
// there.
func (v *verifier) sealFile(last *sealBody, at Entry) error {
	switch {
	case v.spoiled != "":
		return &BadEntry{File: sealKeyName, Reason: v.spoiled}
	case last == nil && v.report.Since > 0:
	case len(v.keys) == 0: // a copy for an auditor has no secrets
		if last != nil {
			v.report.note("%s is missing, so it cannot be ruled out that a seal was cut off", sealKeyName)
		}
	case last == nil && len(v.found.seals) > 0: // only accept entries since
	case last == nil:
		if _, unused := keyOf(v.keys, 0); !unused {
			return &BadEntry{File: logName, Seq: v.at.seq, Reason: "nothing is sealed, but the key has been used"}
		}
	default:
		if k, ok := keyOf(v.keys, last.Epoch+1); !ok || k.public() != last.Next {
			return &BadEntry{File: logName, Seq: at.Seq + 1, Line: at.Line + 1,
				Reason: fmt.Sprintf("%s is ahead of this log: the log was cut back to the seal of epoch %d, or the key was replaced", sealKeyName, last.Epoch)}
		}
	}
	return nil
}

// readKeys reads the keys in a folder, if there are any and we may, and says
// what in the file is neither a key nor the place of one.
func readKeys(dir string) (keys []sealKey, spoiled string, err error) {
	file, err := readPlain(filepath.Join(dir, sealKeyName), 2*keySlotSize+1)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil, "", nil
	}
	keys = parseKeys(file)
	blank := 0
	for i := 0; i+keySlotSize <= len(file); i += keySlotSize {
		slot := file[i : i+keySlotSize]
		if wiped := bytes.Count(slot, []byte{slot[0]}) == keySlotSize; wiped && (slot[0] == ' ' || slot[0] == 0) {
			blank++
		}
	}
	if n := len(keys) + blank; len(file) != n*keySlotSize {
		spoiled = fmt.Sprintf("has %s beside the keys of the log", Plural(len(file)-n*keySlotSize, "byte"))
	}
	return keys, spoiled, err
}

// epochToGoOn is the epoch that a log continues with after it was accepted:
// the one expected if its key is there, else that of the key that is, else
// none and a new first key.
func (l *Log) epochToGoOn(expected int64) (int64, error) {
	keys, _, err := readKeys(l.dir.Name())
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	epoch := keys[0].epoch
	for _, k := range keys {
		if k.epoch == expected {
			return expected, nil
		}
		epoch = min(epoch, k.epoch)
	}
	return epoch, nil
}
