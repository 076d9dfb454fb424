package pathguard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// An Intent is what the caller says about its own command. Nothing in it lowers a verdict:
// "safe" is worth nothing, anything else makes the command ask.
type Intent struct {
	NeedsConfirm bool
	Hint         string // "" and "safe" say nothing; every other word raises
	Reason       string // the caller's words, unverified
}

// Confirm reports whether the caller wants a person to look.
func (i Intent) Confirm() bool { return i.NeedsConfirm || i.Hint != "" && i.Hint != "safe" }

// Why returns the caller's words for it.
func (i Intent) Why() string {
	switch {
	case i.Reason != "":
		return i.Reason
	case i.Hint != "" && i.Hint != "safe":
		return i.Hint
	}
	return "needs_confirm"
}

// maxIntent bounds the caller's JSON: it is read before anything is judged.
const maxIntent = 1 << 20

// ParseIntent reads the caller's JSON:
//
//	{"needs_confirm": true, "hint": "dangerous", "reason": "drops a table", "commands": [...]}
//
// The commands are the caller's own account of what it runs; they are checked to be JSON
// and not used, because the command line itself is judged. An unknown key, a wrong type or
// more than one value is an error, for the caller would believe that it was heard.
func ParseIntent(r io.Reader) (Intent, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxIntent+1))
	if err != nil {
		return Intent{}, fmt.Errorf("reading the intent: %w", err)
	}
	if len(text) > maxIntent {
		return Intent{}, errors.New("the intent is larger than 1 MiB")
	}
	var in struct {
		NeedsConfirm bool              `json:"needs_confirm"`
		Hint         string            `json:"hint"`
		Reason       string            `json:"reason"`
		Commands     []json.RawMessage `json:"commands"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return Intent{}, fmt.Errorf("the intent is not what it should be: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return Intent{}, errors.New("the intent holds more than one JSON value")
	}
	return Intent{in.NeedsConfirm, in.Hint, in.Reason}, nil
}
