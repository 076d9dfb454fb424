package integration

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// A model is what the programs use as their model: it asks for one tool after the other, or for
// some at once, and ends after the result of the last.
type model struct {
	mu    sync.Mutex
	env   []string
	calls []toolCall
	seen  []string // requests
	told  []string // the results of the tools, as the program sent them

	conversation string          // the last that was sent
	asked        time.Time       // when the last call was
	took         []time.Duration // from each call to its result
}

// A toolCall is what the model asks for. SESSION in its arguments is replaced by the number of the
// command that was left running last.
type toolCall struct {
	name   string
	args   any
	before func() // what a person does before it
	joined bool   // it comes in one answer with the call before it
}

func (m *model) begin(calls []toolCall) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls, m.told, m.seen, m.took = calls, nil, nil, nil
}

func (m *model) results() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.told
}

func (m *model) requests() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.seen, "\n")
}

// resultMarks begin the result of a tool, one for each family of models; running is how Codex
// reports the number of a command that it left running.
var (
	resultMarks = []string{`"tool_result"`, `"function_call_output"`, `"role":"tool"`,
		`"functionResponse"`}
	running = pattern(`session ID ([0-9]+)`)
)

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen = append(m.seen, r.Method+" "+r.URL.Path+" "+string(body[:min(len(body), 2000)]))
	var ask struct {
		Messages, Input, Contents, Tools json.RawMessage
		Stream                           bool
	}
	_ = json.Unmarshal(body, &ask)
	w.Header().Set("Content-Type", "text/event-stream")
	var say protocol
	switch {
	case strings.HasSuffix(r.URL.Path, "/messages"):
		say = anthropic{w}
	case strings.HasSuffix(r.URL.Path, "/responses"):
		say = responses{w}
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		say = completions{w}
	case strings.Contains(r.URL.Path, "GenerateContent"),
		strings.Contains(r.URL.Path, "generateContent"):
		say = generate{w}
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "{}")
		return
	}
	conversation := string(ask.Messages) + string(ask.Input) + string(ask.Contents)
	var told []string
	for _, mark := range resultMarks {
		if parts := strings.Split(conversation, mark); len(parts) > 1 {
			told = slices.DeleteFunc(parts[1:], func(part string) bool {
				// Copilot CLI reads by itself what goes on beside
				id, other := strings.CutPrefix(part, `,"tool_call_id":"`)
				return other && !strings.HasPrefix(id, "call_")
			})
		}
	}
	if len(ask.Tools) >= 10 {
		m.conversation = conversation
		if len(told) > len(m.took) {
			m.took = append(m.took, time.Since(m.asked))
		}
	}
	switch {
	case len(ask.Tools) < 10: // a title, a summary
		say.text("title")
	case len(told) >= len(m.calls):
		m.told = told
		say.text("done")
	default:
		m.told = told
		say.calls(m.next(len(told), conversation))
	}
}

// next returns the calls of one answer, from the n-th on, after doing what a person does before
// them.
func (m *model) next(n int, conversation string) (list []saidCall) {
	for i, call := range m.calls[n:] {
		if i > 0 && !call.joined {
			break
		}
		if call.before != nil {
			call.before()
		}
		args, _ := json.Marshal(call.args)
		if found := running().FindAllStringSubmatch(conversation, -1); found != nil {
			args = []byte(strings.ReplaceAll(string(args), `"SESSION"`, found[len(found)-1][1]))
		}
		m.asked = time.Now()
		list = append(list, saidCall{call.name, args, n + i})
	}
	return list
}

// A protocol is how one family of models streams an answer.
type protocol interface {
	text(string)
	calls([]saidCall)
}

// A saidCall is a call as the model sends it: the n-th of the conversation.
type saidCall struct {
	name string
	args json.RawMessage
	n    int
}

func event(w io.Writer, name string, v any) {
	raw, _ := json.Marshal(v)
	if name != "" {
		fmt.Fprintf(w, "event: %s\n", name)
	}
	fmt.Fprintf(w, "data: %s\n\n", raw)
}

type o = map[string]any

type anthropic struct{ w io.Writer }

func (a anthropic) blocks(stop string, pairs ...[2]o) {
	usage := o{"input_tokens": 1, "output_tokens": 1}
	message := o{"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage}
	event(a.w, "message_start", o{"type": "message_start", "message": message})
	for i, pair := range pairs {
		event(a.w, "content_block_start",
			o{"type": "content_block_start", "index": i, "content_block": pair[0]})
		event(a.w, "content_block_delta",
			o{"type": "content_block_delta", "index": i, "delta": pair[1]})
		event(a.w, "content_block_stop", o{"type": "content_block_stop", "index": i})
	}
	event(a.w, "message_delta", o{"type": "message_delta",
		"delta": o{"stop_reason": stop, "stop_sequence": nil}, "usage": usage})
	event(a.w, "message_stop", o{"type": "message_stop"})
}

func (a anthropic) text(s string) {
	a.blocks("end_turn", [2]o{{"type": "text", "text": ""}, {"type": "text_delta", "text": s}})
}

func (a anthropic) calls(list []saidCall) {
	var pairs [][2]o
	for _, c := range list {
		pairs = append(pairs, [2]o{
			{"type": "tool_use", "id": fmt.Sprintf("toolu_%04d", c.n), "name": c.name,
				"input": o{}},
			{"type": "input_json_delta", "partial_json": string(c.args)},
		})
	}
	a.blocks("tool_use", pairs...)
}

type responses struct{ w io.Writer }

func (p responses) items(items ...o) {
	usage := o{"input_tokens": 1, "input_tokens_details": nil, "output_tokens": 1,
		"output_tokens_details": nil, "total_tokens": 2}
	event(p.w, "response.created", o{"type": "response.created", "response": o{"id": "r1"}})
	for i, item := range items {
		event(p.w, "response.output_item.done",
			o{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	event(p.w, "response.completed",
		o{"type": "response.completed", "response": o{"id": "r1", "usage": usage}})
}

func (p responses) text(s string) {
	p.items(o{"type": "message", "role": "assistant", "id": "m1",
		"content": []any{o{"type": "output_text", "text": s}}})
}

// calls names the tools of a server separately from the server, with a space between them.
func (p responses) calls(list []saidCall) {
	var items []o
	for _, c := range list {
		item := o{"type": "function_call", "id": fmt.Sprintf("f%d", c.n),
			"call_id": fmt.Sprintf("call_%d", c.n), "name": c.name, "arguments": string(c.args)}
		if server, tool, apart := strings.Cut(c.name, " "); apart {
			item["namespace"], item["name"] = server, tool
		}
		items = append(items, item)
	}
	p.items(items...)
}

type completions struct{ w io.Writer }

func (p completions) chunk(delta o, finish any) {
	choice := o{"index": 0, "delta": delta, "finish_reason": finish}
	event(p.w, "", o{"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "mock",
		"choices": []any{choice}})
}

func (p completions) end(reason string) {
	p.chunk(o{}, reason)
	fmt.Fprint(p.w, "data: [DONE]\n\n")
}

func (p completions) text(s string) {
	p.chunk(o{"role": "assistant", "content": s}, nil)
	p.end("stop")
}

func (p completions) calls(list []saidCall) {
	var tools []any
	for i, c := range list {
		tools = append(tools, o{"index": i, "id": fmt.Sprintf("call_%d", c.n), "type": "function",
			"function": o{"name": c.name, "arguments": string(c.args)}})
	}
	p.chunk(o{"role": "assistant", "tool_calls": tools}, nil)
	p.end("tool_calls")
}

type generate struct{ w io.Writer }

func (g generate) parts(parts ...any) {
	usage := o{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
	candidate := o{"index": 0, "content": o{"role": "model", "parts": parts},
		"finishReason": "STOP"}
	event(g.w, "", o{"candidates": []any{candidate}, "usageMetadata": usage})
}

func (g generate) text(s string) { g.parts(o{"text": s}) }

func (g generate) calls(list []saidCall) {
	var parts []any
	for _, c := range list {
		parts = append(parts, o{"functionCall": o{"name": c.name, "args": c.args}})
	}
	g.parts(parts...)
}
