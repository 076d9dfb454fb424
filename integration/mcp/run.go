package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// Command is the input of run_command and check_command.
type Command struct {
	Command string `json:"command" jsonschema:"the command line, for bash"`
	Cwd     string `json:"cwd,omitempty" jsonschema:"the directory to run it in"`
	CallID  string `json:"call_id,omitempty" jsonschema:"your own id for this call, for the record"`
	Timeout int    `json:"timeout_ms,omitempty" jsonschema:"end the command after this time; 0: never"`
	Wait    int    `json:"wait_ms,omitempty" jsonschema:"how long to wait for an approval, at most 100000"`
}

// Ran is the result of a command that ran, or of one that was refused.
type Ran struct {
	ID        string           `json:"id,omitempty"`
	Session   string           `json:"session,omitempty" jsonschema:"the run's id, for tadactl replay"`
	Status    int              `json:"status" jsonschema:"the exit status; 128+n when signal n ended it"`
	Signal    int              `json:"signal,omitempty"`
	Stdout    string           `json:"stdout"`
	Stderr    string           `json:"stderr"`
	Truncated bool             `json:"truncated,omitempty" jsonschema:"output was cut"`
	Refusal   *refusal.Refusal `json:"refusal,omitempty" jsonschema:"why it did not run"`
	Error     string           `json:"error,omitempty" jsonschema:"tada-run itself failed"`

	Asked []refusal.Connection `json:"asked,omitempty" jsonschema:"connections that it was refused until the user allows them"`

	past.RunChanges

	Audit string `json:"audit,omitempty" jsonschema:"the head of the log, or none: and the reason"`
}

// maxOutput is how many bytes of one stream are returned: more than that fills a model's context.
const maxOutput = 256 << 10

// A capture is the output of one command on its way back.
type capture struct {
	stdio    session.Stdio
	out, err kept
	readers  sync.WaitGroup
}

// kept is the beginning of a stream. The rest is read and dropped, so that the command does not
// stall.
type kept struct {
	text strings.Builder
	cut  bool
}

func (k *kept) Write(p []byte) (int, error) {
	room := min(maxOutput-k.text.Len(), len(p))
	k.text.Write(p[:room])
	k.cut = k.cut || room < len(p)
	return len(p), nil
}

func (k *kept) String() string { return strings.ToValidUTF8(k.text.String(), "\uFFFD") }

// newCapture opens the descriptors of a command: no input, and a pipe for each output.
func newCapture() (*capture, error) {
	c := &capture{}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	c.stdio.In = null
	for _, s := range []struct {
		file **os.File
		to   *kept
	}{{&c.stdio.Out, &c.out}, {&c.stdio.Err, &c.err}} {
		r, w, err := os.Pipe()
		if err != nil {
			c.close()
			return nil, fmt.Errorf("a pipe for the output: %w", err)
		}
		*s.file = w
		c.readers.Go(func() {
			_, _ = io.Copy(s.to, r) // it ends with the last writer
			r.Close()
		})
	}
	return c, nil
}

// close closes the command's ends and waits for the readers. Processes that a command left running
// are ended with it, so no one else has these ends.
func (c *capture) close() {
	for _, f := range []*os.File{c.stdio.In, c.stdio.Out, c.stdio.Err} {
		if f != nil {
			f.Close()
		}
	}
	c.readers.Wait()
}

// told is an outcome with what the command printed.
func (c *capture) told(id string, out launcher.Outcome, err error) Ran {
	r := Ran{
		ID: id, Session: out.Session, Status: out.Status, Signal: out.Signal,
		Stdout: c.out.String(), Stderr: c.err.String(),
		Truncated: c.out.cut || c.err.cut, Refusal: out.Refusal, Asked: out.Asked,
		RunChanges: out.RunChanges,
	}
	if err != nil {
		r.Error, r.Status = err.Error(), launcher.ExitOf(err)
	}
	return r
}

func (s *Server) runCommand(ctx context.Context, r *sdk.CallToolRequest,
	in Command) (*sdk.CallToolResult, Ran, error) {
	req, err := s.command(r, in)
	if err != nil {
		return nil, Ran{}, err
	}
	l, err := s.Launcher.Fresh()
	if err != nil {
		return nil, Ran{}, err
	}
	c, err := newCapture()
	if err != nil {
		return nil, Ran{}, err
	}
	req.Stdio = c.stdio
	out, runErr := l.Run(ctx, req)
	c.close()
	s.started.add(out.Session)
	ran := c.told("", out, runErr)
	ran.Audit = s.tellRun(req, "run_command", ran)
	return result(ran), ran, nil
}

// command returns the request for one command line.
func (s *Server) command(r *sdk.CallToolRequest, in Command) (launcher.Request, error) {
	req, err := s.request(r, in.Cwd, in.Wait)
	req.Shell = shell.Call{Text: in.Command, Name: "tada-run"}
	req.CallID, req.Timeout = in.CallID, time.Duration(max(in.Timeout, 0))*time.Millisecond
	return req, err
}

// tellRun records the answer to the client about one command.
func (s *Server) tellRun(req launcher.Request, tool string, ran Ran) string {
	n := launcher.Notice{Platform: req.Agent, Tool: tool, CallID: req.CallID, Decision: "allowed",
		Session: ran.Session, Command: req.Shell.Text}
	switch {
	case ran.Refusal != nil:
		n.Decision, n.Code, n.Envelope = ran.Refusal.Status, ran.Refusal.Code, ran.Refusal.Envelope
	case ran.Error != "":
		n.Decision, n.Code = "failed", "internal"
	}
	return s.tell(n)
}

// result is the text of an answer, for clients that do not read the structure.
func result(ran Ran) *sdk.CallToolResult {
	if ran.Refusal != nil {
		return refused(ran.Refusal, ran.Audit)
	}
	if ran.Error != "" {
		return &sdk.CallToolResult{IsError: true,
			Content: []sdk.Content{&sdk.TextContent{Text: "tada-run: " + ran.Error + "\naudit=" +
				ran.Audit}}}
	}
	text := ran.Stdout + ran.Stderr
	for _, c := range ran.Asked {
		text += "\ntada-run: " + c.Line()
	}
	if ran.Status != 0 {
		text += fmt.Sprintf("\n[exit status %d]", ran.Status)
	}
	if changes := ran.RunChanges.String(); changes != "" {
		text += fmt.Sprintf("\n[%s; run %s]", changes, ran.Session)
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// Many is the input of run_many.
type Many struct {
	Calls []Command `json:"calls" jsonschema:"1 to 64 command lines, each with its own call_id"`
	Stop  bool      `json:"stop,omitempty" jsonschema:"stop at the first that is denied"`
	Wait  int       `json:"wait_ms,omitempty" jsonschema:"how long to wait for an approval, at most 100000"`
}

// AllRan is the result of the calls, in their order.
type AllRan struct {
	Results []Ran  `json:"results"`
	Audit   string `json:"audit,omitempty" jsonschema:"the head of the log"`
}

func (s *Server) runMany(ctx context.Context, r *sdk.CallToolRequest,
	in Many) (*sdk.CallToolResult, AllRan, error) {
	none := AllRan{Results: []Ran{}}
	if len(in.Calls) > launcher.MaxCalls {
		return nil, none, launcher.ErrBatch
	}
	b := launcher.Batch{Stop: in.Stop}
	captures := make([]*capture, 0, len(in.Calls))
	defer func() {
		for _, c := range captures {
			c.close()
		}
	}()
	for i, call := range in.Calls {
		if call.CallID == "" {
			call.CallID = fmt.Sprintf("c%d", i+1)
		}
		req, err := s.command(r, call)
		if err != nil {
			return nil, none, err
		}
		c, err := newCapture()
		if err != nil {
			return nil, none, err
		}
		captures = append(captures, c)
		req.Stdio = c.stdio
		b.Calls = append(b.Calls, req)
	}
	if len(b.Calls) > 0 {
		req, _ := s.request(r, "", in.Wait) // the directory is the server's own
		b.Wait = req.Wait
	}
	l, err := s.Launcher.Fresh()
	if err != nil {
		return nil, none, err
	}
	results, err := l.RunBatch(ctx, b)
	if len(results) == 0 && err != nil {
		return nil, none, err
	}
	out, failed, tampered := none, false, false
	for i, one := range results {
		captures[i].close()
		s.started.add(one.Outcome.Session)
		ran := captures[i].told(one.ID, one.Outcome, one.Err)
		ran.Audit = s.tellRun(b.Calls[i], "run_many", ran)
		out.Results, out.Audit = append(out.Results, ran), ran.Audit
		failed = failed || ran.Refusal != nil || ran.Error != ""
		tampered = tampered || ran.Refusal != nil && ran.Refusal.Code == tamper.Code
	}
	told := &sdk.CallToolResult{IsError: failed}
	if tampered {
		all, err := json.Marshal(out)
		if err != nil {
			return nil, none, err
		}
		told.Content = []sdk.Content{&sdk.TextContent{Text: tamper.ToolText},
			&sdk.TextContent{Text: string(all)}}
	}
	return told, out, nil
}
