package tamper

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// An Interface is the door that an operation came through. The program that is the door says so;
// nothing that its caller can set does.
type Interface string

// The interfaces.
const (
	CLI   Interface = "CLI"
	MCP   Interface = "MCP"
	Shell Interface = "SHELL"
	Hook  Interface = "HOOK"
)

// A Who says on whose behalf something is done.
type Who struct {
	User      string // the account, with the agent's name behind a slash where there is one
	Interface Interface
	Task      string // the work item, "" for none
	Session   string // the run, "" for none
}

// An Action is what happened, as the log spells it.
type Action string

// The actions. Each is a kind of entry in the record, see [Event.RecordKind].
const (
	ActionRegister Action = "BASELINE" // a file is protected from now on
	// a run, or tada-run itself, wrote what it was allowed to write
	ActionWrite Action = "WRITE"
	// with Auto: and it was accepted automatically, because tamper_proof is off
	ActionDetected Action = "TAMPER_DETECTED"
	ActionAdopted  Action = "ADOPTED" // a run that died had been allowed to write it
	ActionShown    Action = "DIFF_SHOWN"
	ActionAccept   Action = "FORCE_ACCEPT"
	ActionRestore  Action = "RESTORE"
	ActionSetting  Action = "SETTING_CHANGE"
	ActionPruned   Action = "ARCHIVE_PRUNED"
)

// kinds are the names of the entries in the record. The two that [audit] judges completeness by
// carry the digest of what was shown.
var kinds = map[Action]string{
	ActionRegister: "tamper.registered", ActionWrite: "tamper.written",
	ActionDetected: "tamper.detected",
	ActionAdopted:  "tamper.adopted", ActionShown: "tamper.shown",
	ActionAccept: "tamper.accepted", ActionRestore: "tamper.restored",
	ActionSetting: "tamper.setting",
	ActionPruned:  "tamper.pruned",
}

// An Event is something that happened to protected files. The store keeps it until [Store.Logged]
// says that it is in the log, so that a process that dies in between loses none; an event that is
// in the log twice has the same Seq.
type Event struct {
	Seq       uint64    `json:"seq"`
	Time      time.Time `json:"time"`
	Action    Action    `json:"action"`
	User      string    `json:"user,omitempty"`
	Interface Interface `json:"interface,omitempty"`
	Task      string    `json:"task,omitempty"`
	Session   string    `json:"sid,omitempty"`
	Path      string    `json:"path,omitempty"`
	Kind      Kind      `json:"kind,omitempty"`
	Was       string    `json:"was,omitempty"`      // checksum before
	Checksum  string    `json:"checksum,omitempty"` // checksum after
	Digest    string    `json:"digest,omitempty"`   // of what was shown and decided
	Archive   string    `json:"archive,omitempty"`  // the folder with both versions
	Auto      bool      `json:"auto,omitempty"`     // no person decided
	Text      string    `json:"text,omitempty"`     // the description
}

// RecordKind is the kind of the log entry for this event.
func (e Event) RecordKind() string {
	if e.Action == ActionDetected && e.Auto {
		return "tamper.passed"
	}
	if kind, ok := kinds[e.Action]; ok {
		return kind
	}
	return "tamper.other"
}

// Body is the body of that entry: strings, integers and booleans, none of them empty.
func (e Event) Body() map[string]any {
	body := map[string]any{"event": strconv.FormatUint(e.Seq, 10), "at": stampText(e.Time),
		"action": string(e.Action), "auto": e.Auto}
	for name, value := range map[string]string{
		"user": e.User, "interface": string(e.Interface), "task": e.Task, "run": e.Session,
		"path": e.Path,
		"kind": string(e.Kind), "was": e.Was, "checksum": e.Checksum, "digest": e.Digest,
		"archive": e.Archive,
		"text":    e.Text,
	} {
		if value != "" {
			body[name] = value
		}
	}
	return body
}

// EventOf is the event of an entry's body, as encoding/json decodes it. Members of another type
// count as missing.
func EventOf(body map[string]any) Event {
	text := func(name string) string { s, _ := body[name].(string); return s }
	e := Event{
		Action: Action(text("action")), User: text("user"), Interface: Interface(text("interface")),
		Task:    text("task"),
		Session: text("run"), Path: text("path"), Kind: Kind(text("kind")), Was: text("was"),
		Checksum: text("checksum"),
		Digest:   text("digest"), Archive: text("archive"), Text: text("text"),
	}
	e.Seq, _ = strconv.ParseUint(text("event"), 10, 64)
	e.Time, _ = time.Parse(time.RFC3339Nano, text("at"))
	e.Auto, _ = body["auto"].(bool)
	return e
}

func stampText(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// columns of a line of the log.
const columns = 7

// Line is the event as one line of seven columns, without the newline:
//
//	TIMESTAMP | USER | INTERFACE | ACTION | TASK_ID | CHECKSUM | DESCRIPTION
//
// TIMESTAMP is RFC 3339 in UTC, CHECKSUM the first eight digits. In a column a backslash, a bar,
// and whatever is not graphic are escaped as in Go, so that one event is one line; an empty column
// is "-".
func (e Event) Line() string {
	cells := [columns]string{
		e.Time.UTC().Format(time.RFC3339), e.User, string(e.Interface), string(e.Action), e.Task,
		e.Checksum[:min(len(e.Checksum), 8)], e.Description(),
	}
	for i := range cells {
		cells[i] = escape(cells[i])
	}
	return strings.Join(cells[:], " | ")
}

// Description is the last column: what happened to which file.
func (e Event) Description() string {
	switch {
	case e.Path == "":
		return e.Text
	case e.Text == "":
		return e.Path
	}
	return e.Text + " (" + e.Path + ")"
}

func escape(s string) string {
	switch s {
	case "":
		return "-"
	case "-":
		return `\x2d`
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1, r < ' ', r == 0x7f, r == '|':
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\\':
			b.WriteString(`\\`)
		case !plain(r) && r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		case !plain(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// invisible are letters and marks that show nothing, or nothing by themselves, although Unicode
// counts them as graphic: fillers of Hangul, the blank pattern of Braille, the joiner of graphemes,
// variation selectors.
var invisible = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00ad, Hi: 0x00ad, Stride: 1}, {Lo: 0x034f, Hi: 0x034f, Stride: 1},
		{Lo: 0x115f, Hi: 0x1160, Stride: 1},
		{Lo: 0x17b4, Hi: 0x17b5, Stride: 1}, {Lo: 0x180b, Hi: 0x180f, Stride: 1},
		{Lo: 0x2800, Hi: 0x2800, Stride: 1},
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, {Lo: 0xfe00, Hi: 0xfe0f, Stride: 1},
		{Lo: 0xffa0, Hi: 0xffa0, Stride: 1},
	},
	R32:         []unicode.Range32{{Lo: 0xe0000, Hi: 0xe0fff, Stride: 1}},
	LatinOffset: 1,
}

// plain reports whether a character is shown as itself and moves nothing else.
func plain(r rune) bool {
	if r < 0x7f {
		return r >= ' '
	}
	return unicode.IsOneOf([]*unicode.RangeTable{unicode.L, unicode.M, unicode.N, unicode.P,
		unicode.S}, r) && !unicode.Is(invisible, r)
}

// Inert is text as a terminal can be shown it: what is not graphic, and what could be taken for a
// mark of ours, is written as ⟨U+XXXX⟩, a byte that is no UTF-8 as ⟨XX⟩. No two texts look the
// same.
func Inert(s string) string {
	clean := true
	for i := 0; i < len(s) && clean; i++ {
		clean = s[i] >= ' ' && s[i] < 0x7f
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "⟨%02X⟩", s[i])
		case !plain(r) || r == '⟨' || r == '⟩':
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}
