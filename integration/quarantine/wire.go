package quarantine

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// The protocol of a broker's socket: one JSON object on a line each way, then the end.

// A request is sent to a broker.
type request struct {
	Op   string `json:"op"`
	Path string `json:"path,omitempty"`
	Bind bool   `json:"bind,omitempty"`
	URI  string `json:"uri,omitempty"`
	Call *Call  `json:"call,omitempty"`
	Text []byte `json:"text,omitempty"`
}

// The operations.
const (
	opAbout   = "about"
	opRefer   = "refer"
	opVerify  = "verify"
	opEnforce = "enforce"
	opServe   = "serve"
	opRespond = "respond"
	opEnd     = "end"
)

// A reply with a code other than CodeOK has no other valid member.
type reply struct {
	Code     Code      `json:"code,omitempty"`
	Message  string    `json:"message,omitempty"`
	URI      string    `json:"uri,omitempty"`
	Result   *Result   `json:"result,omitempty"`
	About    *About    `json:"about,omitempty"`
	Decision *Decision `json:"decision,omitempty"`
	Content  []byte    `json:"content,omitempty"`
	Response *Response `json:"response,omitempty"`
}

// An About is what a session says about itself. It does not contain the key.
type About struct {
	Session  string  `json:"session"`
	Root     string  `json:"root"`
	TTL      int     `json:"ttl_seconds"`
	Deadline int64   `json:"deadline"` // in seconds since 1970
	Agents   []Agent `json:"agents"`
}

// The limits of a line. A reply may contain a file, in base64.
const (
	maxRequest = MaxResponse*3/2 + 1<<20
	maxReply   = maxContent*3/2 + 1<<20
)

func readLine(r io.Reader, limit int64, v any) error {
	line, err := bufio.NewReader(io.LimitReader(r, limit)).ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("incomplete message: %w", err)
	}
	return json.Unmarshal(line, v)
}

func writeLine(w io.Writer, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}
