package hook

import (
	"context"
	"fmt"
	"io"
	"time"
)

// An Adapter is one platform: what it sends, and how it is told to go on or to block.
type Adapter struct {
	Name    string
	Events  map[string]func(Object) (Call, error) // by the name of the event, what it says
	Tools   map[string]Tool                       // the platform's built-in tools, byte for byte
	Wrapped func(Call, []string) bool             // whether its shell is tada-run already; nil for never

	Block func(event, reason string) Answer
	Pass  func(event string, d Decision, args Object) Answer // args are those to go on with
}

// An Answer is what a platform reads.
type Answer struct {
	Status         int
	Stdout, Stderr string
}

// EventName is the member in which every platform names the event.
const EventName = "hook_event_name"

// Serve reads one call and returns what the platform is to be told. Whatever happens, it returns within the limit,
// and everything but a decision that allows is the platform's block.
func Serve(ctx context.Context, a Adapter, c *Core, in io.Reader, limit time.Duration) Answer {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan Answer, 1)
	go func() {
		event := ""
		defer func() {
			if p := recover(); p != nil {
				done <- a.Block(event, fmt.Sprintf("tada-run: blocked: internal error: %v", p))
			}
		}()
		done <- a.serve(ctx, c, in, &event)
	}()
	select {
	case answer := <-done:
		return answer
	case <-ctx.Done():
		return a.Block("", fmt.Sprintf("tada-run: blocked: no decision within %v", limit))
	}
}

func (a Adapter) serve(ctx context.Context, c *Core, in io.Reader, event *string) Answer {
	o, err := Decode(in)
	if err != nil {
		return a.Block("", c.unread(Call{Platform: a.Name}, err).Reason)
	}
	*event, _ = o.Text(EventName)
	call, err := a.Call(o)
	if err != nil {
		call.Platform = a.Name
		return a.Block(*event, c.unread(call, err).Reason)
	}
	if a.Wrapped != nil {
		call.Wrapped = a.Wrapped(call, c.Env)
	}
	d := c.Decide(ctx, call)
	if !d.Allowed {
		return a.Block(*event, d.Reason)
	}
	return a.Pass(*event, d, call.Args.With(d.Change))
}

// Call reads what the platform sent.
func (a Adapter) Call(o Object) (Call, error) {
	event, _ := o.Text(EventName)
	extract := a.Events[event]
	if extract == nil {
		return Call{}, malformed("the event %q is not one that was registered", event)
	}
	call, err := extract(o)
	if err != nil {
		return Call{}, err
	}
	call.Platform = a.Name
	if t, ok := a.Tools[call.Tool]; ok {
		call.Builtin, call.Names = t.Builtin, t.Names
	}
	return call, nil
}

// Members says in which members a platform tells what a Call needs. All that are named must be there and be texts
// that are not empty; Args must be an object. Agent and Kind may be missing: the main agent has no id.
type Members struct{ Session, ID, Dir, Tool, Args, Agent, Kind string }

// Call reads the members of o.
func (m Members) Call(o Object) (c Call, err error) {
	for _, f := range []struct {
		name string
		to   *string
	}{{m.Session, &c.Session}, {m.ID, &c.ID}, {m.Dir, &c.Dir}, {m.Tool, &c.Tool}} {
		if f.name == "" {
			continue
		}
		if *f.to, _ = o.Text(f.name); *f.to == "" {
			return Call{}, malformed("it has no %s", f.name)
		}
	}
	c.Agent, _ = o.Text(m.Agent)
	c.Kind, _ = o.Text(m.Kind)
	c.Args, err = o.object(m.Args)
	return c, err
}
