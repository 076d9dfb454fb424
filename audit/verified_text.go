package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// maxVerified is how long the text of a Verified may be.
const maxVerified = 64 << 20

// Sum appends the SHA-256 of a line to it, on a line of its own, as Summed reads it.
func Sum(line []byte) []byte {
	sum := sha256.Sum256(line)
	return hex.AppendEncode(append(line, '\n'), sum[:])
}

// Summed returns the line of a text that Sum made; false for any other text.
func Summed(text []byte) (line []byte, ok bool) {
	line, want, ok := bytes.Cut(text, newline)
	sum := sha256.Sum256(line)
	return line, ok && hex.EncodeToString(sum[:]) == string(want)
}

// Text returns the note as LoadVerified reads it: a line of JSON, and its SHA-256.
func (k Verified) Text() []byte {
	text, err := json.Marshal(k)
	if err != nil {
		return nil
	}
	return Sum(text)
}

// ParseVerified reads what Text wrote. Anything else is a note that says nothing.
func ParseVerified(text []byte) *Verified {
	k := &Verified{}
	if line, ok := Summed(text); !ok || json.Unmarshal(line, k) != nil {
		return &Verified{}
	}
	return k
}

// LoadVerified reads a note from a file; one that is missing or damaged says nothing.
func LoadVerified(path string) *Verified {
	text, err := ReadPlain(path, maxVerified)
	if err != nil {
		return &Verified{}
	}
	return ParseVerified(text)
}
