package document

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ErrPin is returned for a fleet document that is not of the fleet that an invitation names.
var ErrPin = errors.New("it is not of the fleet that the invitation names, is an older one, or " +
	"the administrators have changed since; ask one of them for another invitation")

// Pin names a fleet for a machine that knows nothing of it yet: a serial, and a hash of the fleet's
// name and its administrators. Whoever carries the documents to that machine can give it none but
// theirs, and none that is older than the pin.
func (f Fleet) Pin() string {
	var lines []string
	for _, p := range f.Admins() {
		lines = append(lines, p.Name+" "+base64.StdEncoding.EncodeToString(p.Key)+"\n")
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(f.Name + "\n" + strings.Join(lines, "")))
	return strconv.FormatInt(f.Serial, 10) + "-" + base64.RawURLEncoding.EncodeToString(sum[:])
}

// PinnedFleet is [FirstFleet] for a document that a pin was made of, or one that the same
// administrators have signed since. The error is ErrPin for another one.
func PinnedFleet(text []byte, pin string) (Fleet, error) {
	first, err := FirstFleet(text)
	if err != nil {
		return Fleet{}, err
	}
	_, who, _ := strings.Cut(pin, "-")
	_, now, _ := strings.Cut(first.Pin(), "-")
	if least := PinnedSerial(pin); least == 0 || first.Serial < least || who != now {
		return Fleet{}, fmt.Errorf("fleet document %d of %q: %w", first.Serial, first.Name, ErrPin)
	}
	return first, nil
}

// PinnedSerial is the serial of the document that a pin was made of; 0 for a text that is no pin.
func PinnedSerial(pin string) int64 {
	text, _, _ := strings.Cut(pin, "-")
	serial, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return max(serial, 0)
}

// IsPin reports whether a text has the form of a pin.
func IsPin(text string) bool {
	_, who, _ := strings.Cut(text, "-")
	sum, err := base64.RawURLEncoding.Strict().DecodeString(who)
	return err == nil && len(sum) == sha256.Size && PinnedSerial(text) > 0
}
