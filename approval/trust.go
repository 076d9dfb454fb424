package approval

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/private"
)

// A TrustList holds the keys whose answers count. Its zero value trusts no key.
//
// As text it has a line for each key, like ssh's allowed_signers:
//
//	ed25519 BASE64 NAME [max-risk=N]
//
// Blank lines and lines that begin with # are skipped. Two keys with the same name are one person.
type TrustList []TrustedKey

// A TrustedKey is one key and how far it is trusted.
type TrustedKey struct {
	Public  ed25519.PublicKey
	Name    string
	MaxRisk int // it may allow plans up to this risk
}

// Line returns the line of a trust list for the key.
func (k TrustedKey) Line() string {
	line := "ed25519 " + base64.StdEncoding.EncodeToString(k.Public) + " " + k.Name
	if k.MaxRisk < plan.MaxRisk {
		line += " max-risk=" + strconv.Itoa(k.MaxRisk)
	}
	return line
}

// maxTrustList is far more than the keys of a team need.
const maxTrustList = 256 << 10

// ParseTrust reads a trust list. An error names the line. A list with an unreadable line is not
// used at all, because that line may be the one that limits a key.
func ParseTrust(text []byte) (TrustList, error) {
	if len(text) > maxTrustList {
		return nil, fmt.Errorf("approval: trust list: %w", ErrOversized)
	}
	var list TrustList
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		k, err := parseTrusted(line)
		if err == nil && list.find(KeyID(k.Public)) != nil {
			err = fmt.Errorf("duplicate key %s", KeyID(k.Public))
		}
		if err != nil {
			return nil, fmt.Errorf("approval: trust list, line %d: %w", i+1, err)
		}
		list = append(list, k)
	}
	return list, nil
}

func parseTrusted(line string) (TrustedKey, error) {
	f := strings.Fields(line)
	if len(f) < 3 || len(f) > 4 || f[0] != "ed25519" {
		return TrustedKey{}, fmt.Errorf("the line must be: ed25519 BASE64 NAME [max-risk=N]")
	}
	public, err := base64.StdEncoding.Strict().DecodeString(f[1])
	if err != nil || len(public) != ed25519.PublicKeySize {
		return TrustedKey{}, fmt.Errorf("%q is not an Ed25519 key", f[1])
	}
	if !isName(f[2]) {
		return TrustedKey{}, fmt.Errorf("%q is not a valid name", f[2])
	}
	k := TrustedKey{Public: public, Name: f[2], MaxRisk: plan.MaxRisk}
	if len(f) == 4 {
		digits, ok := strings.CutPrefix(f[3], "max-risk=")
		n, err := strconv.Atoi(digits)
		if !ok || err != nil || n < 0 || n >= plan.MaxRisk+1 {
			return TrustedKey{}, fmt.Errorf("%q is not a limit; write max-risk=0 to max-risk=%d",
				f[3], plan.MaxRisk+1-1)
		}
		k.MaxRisk = n
	}
	return k, nil
}

// LoadTrust reads the trust list at path, which must belong to this user alone.
func LoadTrust(path string) (TrustList, error) {
	text, err := private.Read(path, maxTrustList)
	if err != nil {
		return nil, err
	}
	return ParseTrust(text)
}

// LoadWholeTrust is LoadTrust for a list that the fleet's agent has written. One that does not end
// with a line was cut, perhaps before what limits its last key.
func LoadWholeTrust(path string) (TrustList, error) {
	text, err := private.Read(path, maxTrustList)
	if err != nil {
		return nil, err
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		return nil, &FileError{Path: path, Err: ErrMalformed,
			Hint: "its last line was cut; the agent writes it again: tadactl fleet agent"}
	}
	return ParseTrust(text)
}

// And returns the keys of both lists. A key that is in both is trusted as far as both say.
func (l TrustList) And(more TrustList) TrustList {
	all := slices.Clone(l)
	for _, k := range more {
		if have := all.find(KeyID(k.Public)); have != nil {
			have.MaxRisk = min(have.MaxRisk, k.MaxRisk)
		} else {
			all = append(all, k)
		}
	}
	return all
}

// find returns the key of an id, or nil.
func (l TrustList) find(id string) *TrustedKey {
	i := slices.IndexFunc(l, func(k TrustedKey) bool { return KeyID(k.Public) == id })
	if i < 0 {
		return nil
	}
	return &l[i]
}
