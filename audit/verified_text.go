package audit

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
)

// maxVerified is how long the text of a Verified may be.
const maxVerified = 64 << 20

// String returns the note as LoadVerified reads it: a line of JSON, and its SHA-256.
func (k Verified) String() string {
	text, err := json.Marshal(k)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s\n%x\n", text, sha256.Sum256(text))
}

// ParseVerified reads what String wrote. Anything else is a note that says nothing.
func ParseVerified(text string) *Verified {
	line, sum, ok := strings.Cut(text, "\n")
	if !ok || sum != fmt.Sprintf("%x\n", sha256.Sum256([]byte(line))) {
		return &Verified{}
	}
	k := &Verified{}
	if json.Unmarshal([]byte(line), k) != nil {
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
