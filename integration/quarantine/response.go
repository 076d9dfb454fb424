package quarantine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/tada-run/tada-run/audit"
)

// The limits of a response.
const (
	MaxResponse = 4 << 20 // bytes
	MaxFindings = 500
	MaxText     = 4096 // bytes of one text
)

// A ResponseError says why a response is invalid. It contains nothing of the response except names
// in the schema: text by an untrusted agent must not get out in an error either.
type ResponseError struct{ Reason string }

func (e *ResponseError) Error() string {
	return "the answer does not match the schema (tadactl quarantine schema): " + e.Reason
}

func invalid(format string, args ...any) error {
	return &ResponseError{fmt.Sprintf(format, args...)}
}

// A Finding is one thing that a quarantined agent found, in a form that can be shown. Its texts
// quote an agent that may have been persuaded: they have passed [Neutral], and contain neither a
// run of a reviewed file nor a credential of a known shape.
type Finding struct {
	ID          string `json:"id"` // f1, f2 ...; ours
	Type        string `json:"type"`
	Severity    string `json:"severity"`
	File        string `json:"file"` // the path below the root, escaped as in a URI
	Line        int    `json:"line"` // from 1; 0 is the file as a whole
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
}

// A Response is the answer of a quarantined agent, in a form that can be shown.
type Response struct {
	SessionID string         `json:"session_id"`
	Status    string         `json:"status"` // complete or partial
	Summary   string         `json:"summary,omitempty"`
	Counts    map[string]int `json:"counts"` // by severity
	Findings  []Finding      `json:"findings"`
	Changed   int            `json:"changed"` // how much in the texts was neutralized
	Cut       int            `json:"cut"`     // how many runs of reviewed files were cut out
}

var (
	statuses   = []string{"complete", "partial"}
	types      = []string{"security", "correctness", "quality", "injection", "other"}
	severities = []string{"critical", "high", "medium", "low", "info"}
)

// rawResponse and rawFinding are the schema: exactly these members, all of them required.
type rawResponse struct {
	SessionID *string       `json:"session_id"`
	Status    *string       `json:"status"`
	Summary   *string       `json:"summary"`
	Findings  *[]rawFinding `json:"findings"`
}

type rawFinding struct {
	Type        *string `json:"type"`
	Severity    *string `json:"severity"`
	File        *string `json:"file"`
	Line        *int    `json:"line"`
	Title       *string `json:"title"`
	Description *string `json:"description"`
}

// ParseResponse reads what a quarantined agent of this session printed. It returns all of it, in a
// form that can be shown, or only a [ResponseError].
func (s *Session) ParseResponse(text []byte) (Response, error) {
	raw, err := decodeResponse(text)
	if err != nil {
		return Response{}, err
	}
	if *raw.SessionID != s.ID {
		return Response{}, invalid("session_id is not this session's")
	}
	out := Response{SessionID: s.ID, Status: *raw.Status, Counts: map[string]int{},
		Findings: []Finding{}}
	q := newQuotes()
	q.add(*raw.Summary)
	paths := make([]string, len(*raw.Findings))
	for i, f := range *raw.Findings {
		if paths[i], err = s.named(*f.File); err != nil {
			return Response{}, invalid("finding %d: file is not a reference of this session", i+1)
		}
		q.add(*f.Title)
		q.add(*f.Description)
	}
	if !s.compare(q) {
		return Response{}, invalid("its texts cannot be distinguished from the files")
	}
	clean := func(text *string) string {
		whole, n := q.cut(*text)
		whole, hidden := audit.HideSecrets(whole)
		whole, changes := neutral(whole, MaxText)
		out.Cut, out.Changed = out.Cut+n, out.Changed+changes+hidden
		return whole
	}
	out.Summary = clean(raw.Summary)
	for i, f := range *raw.Findings {
		out.Counts[*f.Severity]++
		out.Findings = append(out.Findings, Finding{
			ID: fmt.Sprintf("f%d", i+1), Type: *f.Type, Severity: *f.Severity,
			File: s.shortly(paths[i]), Line: *f.Line,
			Title: clean(f.Title), Description: clean(f.Description),
		})
	}
	return out, nil
}

// Respond is ParseResponse, and records refusals in the security log.
func (s *Session) Respond(text []byte, log *Log) (Response, error) {
	if err := s.alive(); err != nil {
		return Response{}, err
	}
	r, err := s.ParseResponse(text)
	if err == nil {
		return r, nil
	}
	event := Event{Time: s.o.Now(), Type: EventResponseInvalid, Session: s.ID, Reason: err.Error()}
	return Response{}, errors.Join(err, log.Add(event))
}

// compare searches what the agents may have read: files that they were referred to, and everything
// below the folders that they searched.
func (s *Session) compare(q *quotes) bool {
	for _, seen := range s.seenPaths() {
		walked, whole := 0, true
		_ = filepath.WalkDir(seen, func(name string, d fs.DirEntry, err error) error {
			if walked++; walked > maxWalked {
				whole = false
				return fs.SkipAll
			}
			if err != nil || !d.Type().IsRegular() {
				return nil
			}
			content, err := s.load(name)
			if err == nil && !q.compare(content) {
				// otherwise it is gone, or larger than anything that was served
				whole = false
				return fs.SkipAll
			}
			return nil
		})
		if !whole {
			return false
		}
	}
	return true
}

// decodeResponse checks text against the schema.
func decodeResponse(text []byte) (raw rawResponse, err error) {
	text = bytes.TrimSpace(text)
	switch {
	case len(text) > MaxResponse:
		return raw, invalid("it has more than %d bytes", MaxResponse)
	case len(text) == 0:
		return raw, invalid("it is empty")
	case !utf8.Valid(text):
		return raw, invalid("it is not UTF-8")
	}
	if err := unambiguous(text); err != nil {
		return raw, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&raw); err != nil {
		return raw, invalid("it is not one JSON object of the members that were asked for")
	}
	if raw.SessionID == nil || raw.Status == nil || raw.Summary == nil || raw.Findings == nil {
		return raw, invalid("session_id, status, summary or findings is missing")
	}
	if !slices.Contains(statuses, *raw.Status) {
		return raw, invalid("status is none of %q", statuses)
	}
	if len(*raw.Summary) > MaxText {
		return raw, invalid("summary has more than %d bytes", MaxText)
	}
	if n := len(*raw.Findings); n > MaxFindings {
		return raw, invalid("it has %d findings, and %d are the most", n, MaxFindings)
	}
	for i, f := range *raw.Findings {
		if err := f.check(); err != nil {
			return raw, invalid("finding %d: %s", i+1, err)
		}
	}
	return raw, nil
}

func (f rawFinding) check() error {
	switch {
	case f.Type == nil || f.Severity == nil || f.File == nil || f.Line == nil || f.Title == nil ||
		f.Description == nil:
		return errors.New("type, severity, file, line, title or description is missing")
	case !slices.Contains(types, *f.Type):
		return fmt.Errorf("type is none of %q", types)
	case !slices.Contains(severities, *f.Severity):
		return fmt.Errorf("severity is none of %q", severities)
	case *f.Line < 0 || *f.Line > 1<<31-1:
		return errors.New("line is not a line number")
	case len(*f.File) > maxURI, len(*f.Title) > MaxText, len(*f.Description) > MaxText:
		return fmt.Errorf("a text has more than %d bytes", MaxText)
	}
	return nil
}

// unambiguous refuses an object in which a name occurs twice, or in another case than in the
// schema: encoding/json takes the last one, and ignores case; another reader may not. It also
// refuses a second value, and nesting that is not in the schema.
func unambiguous(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	known := []string{"session_id", "status", "summary", "findings", "type", "severity", "file",
		"line", "title", "description"}
	type level struct {
		object bool
		name   bool // a name comes next
		seen   map[string]bool
	}
	var open []level
	for {
		token, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return invalid("it is not JSON")
		}
		if len(open) == 0 && d.InputOffset() > 1 && token != json.Delim('}') &&
			token != json.Delim(']') {
			return invalid("other text is before or after it")
		}
		var top *level
		if len(open) > 0 {
			top = &open[len(open)-1]
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			if len(open) >= 3 || len(open) == 0 && token == json.Delim('[') {
				return invalid("it is not one object of the shape that was asked for")
			}
			if top != nil && top.object {
				top.name = true
			}
			open = append(open, level{object: token == json.Delim('{'), name: true,
				seen: map[string]bool{}})
			continue
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
			continue
		}
		if top == nil {
			return invalid("it is not an object")
		}
		if !top.object {
			continue
		}
		if !top.name {
			top.name = true
			continue
		}
		name, _ := token.(string)
		if !slices.Contains(known, name) || top.seen[name] {
			return invalid("a member is unknown or occurs twice")
		}
		top.seen[name], top.name = true, false
	}
}

// named returns the path of a reference that this session has signed. It may have expired: the
// agent is allowed to think.
func (s *Session) named(uri string) (string, error) {
	r, err := ParseURI(uri)
	if err != nil {
		return "", err
	}
	if r.SessionID != s.ID {
		return "", ErrWrongSession
	}
	return r.Path, s.authentic(r)
}

// shortly returns a path for people: below the root, escaped as in a URI, so that it contains no
// readable text of its own.
func (s *Session) shortly(path string) string {
	below, err := s.root.below(path)
	if err != nil {
		below = path
	}
	return string(appendEscaped(nil, below))
}
