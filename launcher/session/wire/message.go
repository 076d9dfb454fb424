package wire

import (
	"encoding/binary"
	"encoding/json"
)

// A Greeting is the body of Hello.
type Greeting struct {
	Take bool   `json:"take,omitempty"` // it wants to drive at once
	Cols int    `json:"cols"`           // of the client's terminal, 0 for none
	Rows int    `json:"rows"`
	TTY  string `json:"tty,omitempty"` // its name, for people
	// seconds without a key after which a lease ends; 0 for the usual
	Idle int `json:"idle,omitempty"`
	// what the person holds, if the client's terminal is only where it runs; for people, at most
	// MaxDevice characters
	Device string `json:"device,omitempty"`
}

// MaxDevice is how long the name of a device may be, in characters. What is longer is cut.
const MaxDevice = 80

// A Status is the body of State.
type Status struct {
	ID      string `json:"id"`
	Command string `json:"command"`
	Cols    int    `json:"cols"`
	Rows    int    `json:"rows"`
	Driver  string `json:"driver"`            // the client that may type, "" for none
	You     bool   `json:"you,omitempty"`     // that is this client
	Frozen  bool   `json:"frozen,omitempty"`  // nothing of the session runs, and no one types
	Private bool   `json:"private,omitempty"` // only the driver sees what is shown
	Viewers int    `json:"viewers"`
	Tier    string `json:"tier"`
}

// The codes of a Notice.
const (
	CodeRefused   = "refused"   // what was asked for is not possible; Message says why
	CodeDiscarded = "discarded" // Bytes of input did not reach the program
	CodeTaken     = "taken"     // a person took over
	CodeHandback  = "handback"  // and gave back; Summary says what happened in between
	CodeSummary   = "summary"   // the report that a hand-back would send now
	CodeFrozen    = "frozen"
	CodePrivate   = "private"
	CodeAsked     = "asked"    // something inside waits for a person's answer
	CodeAnswered  = "answered" // and waits no longer
)

// A Notice is the body of Tell.
type Notice struct {
	Code     string  `json:"code"`
	Message  string  `json:"message"`
	By       string  `json:"by,omitempty"`
	Envelope string  `json:"envelope,omitempty"` // the question that waits
	Bytes    int     `json:"bytes,omitempty"`
	Summary  *Report `json:"summary,omitempty"`
}

// A Report is what happened while a person drove.
type Report struct {
	By       string    `json:"by"`
	Seconds  int       `json:"seconds"`
	Typed    int       `json:"typed_bytes"`
	Hidden   int       `json:"hidden_bytes,omitempty"`  // of them, typed where nothing was shown
	Private  int       `json:"private_bytes,omitempty"` // output that only the person saw
	Commands []Command `json:"commands"`
	Dir      string    `json:"cwd,omitempty"`
	DirWas   string    `json:"cwd_before,omitempty"`
	Files    []string  `json:"files_changed"`
	// there are more files than are listed, or not all were looked at
	More bool   `json:"more_changed,omitempty"`
	Note string `json:"note,omitempty"` // what the person wrote
}

// A Command is a line that was on the screen when Enter was pressed, or that the shell reported.
type Command struct {
	Line   string `json:"line"`
	Status *int   `json:"status,omitempty"` // if the shell reported it
}

// An Ending is the body of End.
type Ending struct {
	Status int    `json:"status"`
	Signal int    `json:"signal,omitempty"`
	Error  string `json:"error,omitempty"`
}

// JSON returns a frame whose body is v. A value that is too long becomes a frame without a body,
// which no reader takes for one.
func JSON(k Kind, epoch uint32, v any) Frame {
	b, err := json.Marshal(v)
	if err != nil || len(b) > MaxBody {
		b = nil
	}
	return Frame{Kind: k, Epoch: epoch, Body: b}
}

// Size returns the body of Window, or of Redraw's size.
func Size(cols, rows int) []byte {
	b := binary.BigEndian.AppendUint16(nil, uint16(min(max(cols, 0), 1<<16-1)))
	return binary.BigEndian.AppendUint16(b, uint16(min(max(rows, 0), 1<<16-1)))
}

// ReadSize reads the body of Window; ok is false for any other length.
func ReadSize(b []byte) (cols, rows int, ok bool) {
	if len(b) != 4 {
		return 0, 0, false
	}
	return int(binary.BigEndian.Uint16(b)), int(binary.BigEndian.Uint16(b[2:])), true
}

// Count returns the body of Ack.
func Count(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }

// ReadCount reads the body of Ack; anything else counts nothing.
func ReadCount(b []byte) int {
	if len(b) != 4 {
		return 0
	}
	return int(binary.BigEndian.Uint32(b))
}
