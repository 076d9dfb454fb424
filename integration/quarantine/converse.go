package quarantine

import (
	"bufio"
	"encoding/json"
	"io"
	"unicode/utf8"
)

// A question and an answer are one line each way between a reviewer and its session.
type question struct {
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
}

type answer struct {
	Allowed bool   `json:"allowed"`
	Reason  string `json:"reason,omitempty"`
	Text    string `json:"text,omitempty"`   // the content, when it is UTF-8
	Base64  []byte `json:"base64,omitempty"` // or else
}

// Converse answers a reviewer that has no tools of its own, until it hangs up. The answer to a line
// {"tool":"Read","input":{"file_path":"typed://..."}} is a line {"allowed":true,"text":"..."} or
// {"allowed":false,"reason":"..."}; Grep and Glob work in the same way. Every call is judged,
// counted and logged like one from a hook.
func (s *Session) Converse(c io.ReadWriter, agent string, log *Log) {
	in := bufio.NewReaderSize(c, 4<<10)
	for {
		line, err := boundedLine(in)
		if err != nil {
			return
		}
		var q question
		if json.Unmarshal(line, &q) != nil {
			q = question{} // a call without a tool: denied, counted and logged
		}
		d, content := s.Serve(Call{Agent: agent, Tool: q.Tool, Input: q.Input, Inside: true}, log)
		a := answer{Allowed: d.Allowed, Reason: d.Reason}
		if utf8.Valid(content) {
			a.Text = string(content)
		} else {
			a.Base64 = content
		}
		if writeLine(c, a) != nil {
			return
		}
	}
}

// boundedLine reads a line of at most maxRequest bytes.
func boundedLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if line = append(line, part...); len(line) > maxRequest {
			return nil, bufio.ErrTooLong
		}
		if err == nil {
			return line, nil
		}
		if err != bufio.ErrBufferFull {
			return nil, err
		}
	}
}
