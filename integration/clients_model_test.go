package integration

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// A model is what the programs take for one: it asks for one tool after the other, and ends when it was told what came
// of the last.
type model struct {
	mu    sync.Mutex
	env   []string
	calls []toolCall
	seen  []string // requests
	told  []string // the results of the tools, as the program sent them
}

// A toolCall is what the model asks for. SESSION in its arguments stands for the number of the command that was left
// running last.
type toolCall struct {
	name   string
	args   any
	before func() // what a person does meanwhile
}

func (m *model) begin(calls []toolCall) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls, m.told, m.seen = calls, nil, nil
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

// resultMarks begin the result of a tool, one for each family of models; running is how Codex tells the number of a
// command that it left running.
var (
	resultMarks = []string{`"tool_result"`, `"function_call_output"`, `"role":"tool"`, `"functionResponse"`}
	running     = regexp.MustCompile(`session ID ([0-9]+)`)
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
	case strings.Contains(r.URL.Path, "GenerateContent"), strings.Contains(r.URL.Path, "generateContent"):
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
			told = parts[1:]
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
		call := m.calls[len(told)]
		if call.before != nil {
			call.before()
		}
		args, _ := json.Marshal(call.args)
		if found := running.FindAllStringSubmatch(conversation, -1); found != nil {
			args = []byte(strings.ReplaceAll(string(args), `"SESSION"`, found[len(found)-1][1]))
		}
		say.call(call.name, args, len(told))
	}
}

// A protocol is how one family of models streams an answer.
type protocol interface {
	text(string)
	call(name string, args json.RawMessage, n int) // the n-th call
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

func (a anthropic) block(start, delta o, stop string) {
	usage := o{"input_tokens": 1, "output_tokens": 1}
	event(a.w, "message_start", o{"type": "message_start", "message": o{"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage}})
	event(a.w, "content_block_start", o{"type": "content_block_start", "index": 0, "content_block": start})
	event(a.w, "content_block_delta", o{"type": "content_block_delta", "index": 0, "delta": delta})
	event(a.w, "content_block_stop", o{"type": "content_block_stop", "index": 0})
	event(a.w, "message_delta", o{"type": "message_delta", "delta": o{"stop_reason": stop, "stop_sequence": nil}, "usage": usage})
	event(a.w, "message_stop", o{"type": "message_stop"})
}

func (a anthropic) text(s string) {
	a.block(o{"type": "text", "text": ""}, o{"type": "text_delta", "text": s}, "end_turn")
}

func (a anthropic) call(name string, args json.RawMessage, n int) {
	a.block(o{"type": "tool_use", "id": fmt.Sprintf("toolu_%04d", n), "name": name, "input": o{}}, o{"type": "input_json_delta", "partial_json": string(args)}, "tool_use")
}

type responses struct{ w io.Writer }

func (p responses) item(item o) {
	event(p.w, "response.created", o{"type": "response.created", "response": o{"id": "r1"}})
	event(p.w, "response.output_item.done", o{"type": "response.output_item.done", "output_index": 0, "item": item})
	event(p.w, "response.completed", o{"type": "response.completed", "response": o{"id": "r1", "usage": o{"input_tokens": 1, "input_tokens_details": nil, "output_tokens": 1, "output_tokens_details": nil, "total_tokens": 2}}})
}

func (p responses) text(s string) {
	p.item(o{"type": "message", "role": "assistant", "id": "m1", "content": []any{o{"type": "output_text", "text": s}}})
}

func (p responses) call(name string, args json.RawMessage, n int) {
	p.item(o{"type": "function_call", "id": fmt.Sprintf("f%d", n), "call_id": fmt.Sprintf("call_%d", n), "name": name, "arguments": string(args)})
}

type completions struct{ w io.Writer }

func (p completions) chunk(delta o, finish any) {
	event(p.w, "", o{"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "mock", "choices": []any{o{"index": 0, "delta": delta, "finish_reason": finish}}})
}

func (p completions) end(reason string) {
	p.chunk(o{}, reason)
	fmt.Fprint(p.w, "data: [DONE]\n\n")
}

func (p completions) text(s string) {
	p.chunk(o{"role": "assistant", "content": s}, nil)
	p.end("stop")
}

func (p completions) call(name string, args json.RawMessage, n int) {
	p.chunk(o{"role": "assistant", "tool_calls": []any{o{"index": 0, "id": fmt.Sprintf("call_%d", n), "type": "function", "function": o{"name": name, "arguments": string(args)}}}}, nil)
	p.end("tool_calls")
}

type generate struct{ w io.Writer }

func (g generate) part(part o) {
	event(g.w, "", o{"candidates": []any{o{"index": 0, "content": o{"role": "model", "parts": []any{part}}, "finishReason": "STOP"}}, "usageMetadata": o{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}})
}

func (g generate) text(s string) { g.part(o{"text": s}) }

func (g generate) call(name string, args json.RawMessage, _ int) {
	g.part(o{"functionCall": o{"name": name, "args": args}})
}
