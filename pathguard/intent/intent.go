package intent

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

// A Proposed is one command of an intent: a line for a shell, or words.
type Proposed struct {
	ID     string
	Text   string   // the command line; "" with Words
	Words  []string // one command without shell syntax
	Dir    string   // "" for the caller's
	Intent Intent   // with what the whole says
}

// Parse reads the caller's JSON:
//
//	{"needs_confirm": true, "hint": "dangerous", "reason": "drops a table", "commands": [...]}
//
// The commands are the caller's own account of what it runs; beside a command line they are
// checked to be JSON and not used, because the command line itself is judged. An unknown key, a
// wrong type or more than one value is an error, for the caller would believe that it was heard.
func Parse(r io.Reader) (Intent, error) {
	var in intent[json.RawMessage]
	if err := in.read(r); err != nil {
		return Intent{}, err
	}
	return in.own(), nil
}

// ParseAll reads the caller's JSON as ParseIntent does, for what is to run as well. A command
// is
//
//	"make test"
//	{"id": "c1", "command": "make test", "cwd": "sub", "needs_confirm": true, "hint": "", "reason": ""}
//	{"argv": ["grep", "-rn", "TODO", "."]}
//
// with an id of its own; without one it is numbered: c1, c2, ...
func ParseAll(r io.Reader) ([]Proposed, error) {
	var in intent[proposal]
	if err := in.read(r); err != nil {
		return nil, err
	}
	if len(in.Commands) == 0 {
		return nil, errors.New("the intent has no commands")
	}
	list, seen := make([]Proposed, 0, len(in.Commands)), map[string]bool{}
	for i, c := range in.Commands {
		p := Proposed{ID: c.ID, Text: c.Command, Words: c.Argv, Dir: c.Cwd,
			Intent: in.own().and(c.own())}
		if p.ID == "" {
			p.ID = fmt.Sprintf("c%d", i+1)
		}
		if (p.Text == "") == (len(p.Words) == 0) {
			return nil, fmt.Errorf("command %q of the intent needs one of command and argv", p.ID)
		}
		if seen[p.ID] {
			return nil, fmt.Errorf("two commands of the intent have the id %q", p.ID)
		}
		seen[p.ID] = true
		list = append(list, p)
	}
	return list, nil
}

// doubts are what a caller may say about a command.
type doubts struct {
	NeedsConfirm bool   `json:"needs_confirm"`
	Hint         string `json:"hint"`
	Reason       string `json:"reason"`
}

func (d doubts) own() Intent { return Intent(d) }

// and joins what is said about all commands with what is said about one.
func (i Intent) and(one Intent) Intent {
	one.NeedsConfirm = one.NeedsConfirm || i.Confirm()
	if one.Hint == "" || one.Hint == "safe" {
		one.Hint = i.Hint
	}
	if one.Reason == "" {
		one.Reason = i.Reason
	}
	return one
}

// intent is the whole JSON.
type intent[Command any] struct {
	doubts
	Commands []Command `json:"commands"`
}

func (in *intent[Command]) read(r io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(r, maxIntent+1))
	if err != nil {
		return fmt.Errorf("reading the intent: %w", err)
	}
	if len(text) > maxIntent {
		return errors.New("the intent is larger than 1 MiB")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(in); err != nil {
		return fmt.Errorf("invalid intent JSON: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("invalid intent JSON: more than one value")
	}
	return nil
}

// proposal is one command in the JSON: an object, or the command line alone.
type proposal struct {
	doubts
	ID      string   `json:"id"`
	Command string   `json:"command"`
	Argv    []string `json:"argv"`
	Cwd     string   `json:"cwd"`
}

// UnmarshalJSON implements [json.Unmarshaler].
func (p *proposal) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		return json.Unmarshal(text, &p.Command)
	}
	type plain proposal // without this method
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields() // a setting of the outer decoder that does not reach in here
	return d.Decode((*plain)(p))
}
