package mcp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// A Server answers one client.
type Server struct {
	Launcher *launcher.Launcher
	Env      []string // environment of commands before it is scrubbed, NAME=value
	Dir      string   // default directory of commands, absolute
	Sockets  string   // where the brokers of quarantine sessions listen

	// Quarantine is the session in which the client is confined, "" for a trusted client. A
	// confined client is offered only read_reference; a trusted client may not read untrusted
	// content.
	Quarantine string

	started started
}

// started are the runs that this server's client has started.
type started struct {
	mu  sync.Mutex
	ids map[string]bool
}

func (s *started) add(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids == nil {
		s.ids = map[string]bool{}
	}
	s.ids[id] = true
}

func (s *started) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids[id]
}

// Run serves until the client hangs up or ctx ends.
func (s *Server) Run(ctx context.Context, t sdk.Transport) error {
	server := sdk.NewServer(&sdk.Implementation{Name: "tada-run", Version: launcher.Version()},
		&sdk.ServerOptions{
			Instructions: "Commands run in a sandbox and are recorded. A denial says what is " +
				"allowed instead: do that, and do not try to get the same effect another way. " +
				"If a command needs approval, tell the user the tadactl command, wait, and send " +
				"the same call again.",
		})
	add(s, server, &sdk.Tool{
		Name: "read_reference", Description: "Read the file behind a typed:// reference. Only for " +
			"the quarantined agent.", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true},
	}, s.readReference)
	if s.Quarantine == "" {
		s.trusted(server)
	}
	err := server.Run(ctx, t)
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// trusted adds the tools for a client that is not in quarantine.
func (s *Server) trusted(server *sdk.Server) {
	add(s, server, &sdk.Tool{Name: "run_command",
		Description: "Run one shell command line in a sandbox. It is recorded, and may need the " +
			"user's approval."}, s.runCommand)
	add(s, server, &sdk.Tool{Name: "run_many",
		Description: "Run several command lines in order. The user is asked once and answers " +
			"for each."}, s.runMany)
	add(s, server, &sdk.Tool{
		Name: "check_command", Description: "Dry run: get the verdict on a command line. Runs " +
			"nothing.", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true},
	}, s.checkCommand)
	add(s, server, &sdk.Tool{
		Name: "pending_status", Description: "Get the state of questions to the user.",
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true},
	}, s.pendingStatus)
	add(s, server, &sdk.Tool{
		Name: "accept_tamper", Description: "Ask the user to accept a change to a protected file. " +
			"The user is shown the diff.",
	}, s.acceptTamper)
	add(s, server, &sdk.Tool{
		Name: "undo_run", Description: "Take back what a run changed in files. For your own last " +
			"run this needs no approval if nothing was changed since; otherwise the user is " +
			"asked. With check, only show what would be done.",
	}, s.undoRun)
}

// add offers a tool. A call that it cannot answer is not carried out. That is a decision like any
// other: it is recorded, and the error contains the record's head.
func add[In, Out any](s *Server, server *sdk.Server, tool *sdk.Tool,
	do sdk.ToolHandlerFor[In, Out]) {
	sdk.AddTool(server, tool, func(ctx context.Context, r *sdk.CallToolRequest,
		in In) (*sdk.CallToolResult, Out, error) {
		result, out, err := do(ctx, r, in)
		if err != nil {
			err = fmt.Errorf("%w\naudit=%s", err,
				s.tell(launcher.Notice{Platform: agent(r), Tool: tool.Name, Decision: "failed",
					Code: "internal"}))
		}
		return result, out, err
	})
}

// tell records a decision, and returns the head of the record that includes it, or why there is
// none. The run itself is already recorded, or did not happen.
func (s *Server) tell(n launcher.Notice) string {
	head, err := s.Launcher.Tell(n)
	if err != nil {
		return "none: " + err.Error()
	}
	return head
}

// agent returns what the client calls itself.
func agent(r *sdk.CallToolRequest) string {
	if p := r.Session.InitializeParams(); p != nil && p.ClientInfo != nil &&
		p.ClientInfo.Name != "" {
		return "mcp/" + p.ClientInfo.Name
	}
	return "mcp"
}

// maxWait is how long a call may wait for a person: below the 120 s after which common clients
// cancel a call.
const maxWait = 100 * time.Second

// request is what the calls of a client have in common.
func (s *Server) request(r *sdk.CallToolRequest, dir string, wait int) (launcher.Request, error) {
	switch {
	case dir == "":
		dir = s.Dir
	case !filepath.IsAbs(dir):
		dir = filepath.Join(s.Dir, dir)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return launcher.Request{}, fmt.Errorf("cwd %q is not a directory", dir)
	}
	req := launcher.Request{Env: s.Env, Dir: dir, Door: tamper.MCP, Agent: agent(r)}
	req.Wait = min(time.Duration(max(wait, 0))*time.Millisecond, maxWait)
	return req, nil
}

// refused is an error result: the line for a person, and the refusal in its form for programs.
func refused(f *refusal.Refusal, audit string) *sdk.CallToolResult {
	if audit != "" {
		f.Audit = audit
	}
	text := f.Line()
	if f.Code == tamper.Code {
		text = tamper.ToolText + "\n" + text
	}
	if f.Audit != "" {
		text += "\naudit=" + f.Audit
	}
	return &sdk.CallToolResult{IsError: true,
		Content: []sdk.Content{&sdk.TextContent{Text: text}, &sdk.TextContent{Text: f.JSON()}}}
}

// Pending is the input of pending_status.
type Pending struct {
	Envelope string `json:"envelope,omitempty" jsonschema:"the id of one question; if omitted, all open questions"`
}

// Questions is the answer of pending_status.
type Questions struct {
	Questions []Question `json:"questions"`
}

// A Question is one question to a person, without its content: the client that asked knows it.
type Question struct {
	Envelope string    `json:"envelope"`
	State    string    `json:"state" jsonschema:"pending, consumed, rejected, expired"`
	Answer   string    `json:"answer" jsonschema:"none, yes or no"`
	Message  string    `json:"message,omitempty" jsonschema:"the user's message"`
	Expires  time.Time `json:"expires"`
}

func (s *Server) pendingStatus(ctx context.Context, _ *sdk.CallToolRequest,
	in Pending) (*sdk.CallToolResult, Questions, error) {
	list, err := s.Launcher.Pending(ctx)
	out := Questions{Questions: []Question{}}
	if in.Envelope != "" {
		e, getErr := s.Launcher.Envelope(ctx, in.Envelope)
		list, err = append(list[:0], e), getErr
	}
	if err != nil {
		return nil, out, err
	}
	for _, e := range list {
		q := Question{Envelope: e.ID, State: string(e.State), Answer: "none", Expires: e.Expires}
		if e.Decision != nil {
			q.Answer = "no"
			if permit.Approves(e.Decision.Calls) {
				q.Answer = "yes"
			}
			for _, c := range e.Decision.Calls {
				if q.Message == "" {
					q.Message = c.Message
				}
			}
		}
		out.Questions = append(out.Questions, q)
	}
	return nil, out, nil
}
