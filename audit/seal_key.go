package audit

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// SealEvery is the number of unsealed entries at which a seal is due: see SealDue.
const SealEvery = 256

const (
	kindSeal    = "seal"
	sealKeyName = "seal.key"
	sealVersion = "tada-seal/v1\n"
	keySlotSize = 256
)

// A sealKey is the secret of one epoch. The file seal.key has two slots, for even and odd epochs:
// the next key is stored before the seal that names it, and the one that made the seal is wiped
// after it. An attacker who takes over the account can sign from then on, but cannot change what
// was sealed before, because that key is gone. (On flash and copy-on-write file systems the old
// bytes may survive for a while; only hardware can prevent that.)
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

// parseKeys returns the whole keys in a key file.
func parseKeys(file []byte) (keys []sealKey) {
	for i := 0; i+keySlotSize <= len(file); i += keySlotSize {
		slot := file[i : i+keySlotSize]
		var k sealKey
		var seed []byte
		if n, _ := fmt.Sscanf(string(slot), "tada-seal-key %d %x", &k.epoch, &seed); n != 2 ||
			len(seed) != len(k.seed) {
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

// readKeys reads the keys in a folder, if they exist and are readable, and describes anything in
// the file that is neither a key nor an empty slot.
func readKeys(dir string) (keys []sealKey, spoiled string, err error) {
	file, err := ReadPlain(filepath.Join(dir, sealKeyName), 2*keySlotSize+1)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil, "", nil
	}
	keys = parseKeys(file)
	blank := 0
	for i := 0; i+keySlotSize <= len(file); i += keySlotSize {
		slot := file[i : i+keySlotSize]
		if wiped := bytes.Count(slot, []byte{slot[0]}) == keySlotSize; wiped &&
			(slot[0] == ' ' || slot[0] == 0) {
			blank++
		}
	}
	if n := len(keys) + blank; len(file) != n*keySlotSize {
		spoiled = fmt.Sprintf("has %s beside the keys of the log", Plural(len(file)-n*keySlotSize,
			"byte"))
	}
	return keys, spoiled, err
}

type sealBody struct {
	Epoch int64  `json:"epoch"`
	Key   string `json:"key"`
	Next  string `json:"next"`
	Sig   string `json:"sig"`
}

// checkSeal checks the signature over the entry without its signature.
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
