package state

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Bundle is a part of the policy of the fleet that a machine is in, as the fleet's agent has
// checked it.
type Bundle struct {
	Name    string
	Version int64
	Trial   bool   // it is tried beside the policy in force, and decides nothing
	Text    []byte // of a configuration; empty for one that no longer holds here
}

// bundleHead begins the file of a bundle. Its name, version, stage and the SHA-256 of all that
// follow on the same line; the rest of the file is the text.
const bundleHead = "tada-fleet-policy/v1"

// MaxBundle is the maximum length of the file of a bundle, in bytes.
const MaxBundle = 64<<10 + 256

// trialStage and forceStage are the words for [Bundle.Trial].
const (
	trialStage = "shadow"
	forceStage = "force"
)

// String returns how the record names the bundle: NAME@VERSION.
func (b Bundle) String() string { return fmt.Sprintf("%s@%d", b.Name, b.Version) }

// Stage returns the word for what the machine does with the bundle.
func (b Bundle) Stage() string {
	if b.Trial {
		return trialStage
	}
	return forceStage
}

// sum covers what the file says.
func (b Bundle) sum() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %d %s\n", b.Name, b.Version, b.Stage())
	h.Write(b.Text)
	return hex.EncodeToString(h.Sum(nil))
}

// Marshal returns the file of the bundle.
func (b Bundle) Marshal() []byte {
	head := fmt.Sprintf("%s %s %d %s %s\n", bundleHead, b.Name, b.Version, b.Stage(), b.sum())
	return append([]byte(head), b.Text...)
}

// errBundle is returned for a file that is not what was written.
var errBundle = errors.New("it is damaged")

// ParseBundle reads the file of a bundle.
func ParseBundle(file []byte) (Bundle, error) {
	head, text, found := strings.Cut(string(file), "\n")
	words := strings.Split(head, " ")
	if !found || len(words) != 5 || words[0] != bundleHead {
		return Bundle{}, errBundle
	}
	b := Bundle{Name: words[1], Trial: words[3] == trialStage, Text: []byte(text)}
	version, err := strconv.ParseInt(words[2], 10, 64)
	if b.Version = version; err != nil || version < 1 || string(b.Marshal()) != string(file) {
		return Bundle{}, errBundle
	}
	return b, nil
}
