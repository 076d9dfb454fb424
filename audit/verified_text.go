package audit

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
)

// maxVerified is how long the text of a Verified may be.
const maxVerified = 64 << 20

// Sum returns a line and, on the next one, its SHA-256, as Summed reads it.
func Sum(line string) string { return fmt.Sprintf("%s\n%x\n", line, sha256.Sum256([]byte(line))) }

// Summed returns the line of a text that Sum made; false for any other text.
func Summed(text string) (line string, ok bool) {
	line, _, ok = strings.Cut(text, "\n")
	return line, ok && text == Sum(line)
}

// String returns the note as LoadVerified reads it: a line of JSON, and its SHA-256.
func (k Verified) String() string {
	text, err := json.Marshal(k)
	if err != nil {
		return ""
	}
	return Sum(string(text))
}

// ParseVerified reads what String wrote. Anything else is a note that says nothing.
func ParseVerified(text string) *Verified {
	k := &Verified{}
	if line, ok := Summed(text); !ok || json.Unmarshal([]byte(line), k) != nil {
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
	return ParseVerified(string(text))
}
