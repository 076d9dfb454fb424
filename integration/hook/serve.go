package hook

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"
)

// An Adapter is one platform: what it sends, and how to answer it.
type Adapter struct {
	Name string
	// the member in which it names the event; EventName if ""
	Event  string
	Events map[string]func(Object) (Call, error) // by the name of the event, how to read it
	Tools  map[string]Tool                       // the platform's built-in tools, byte for byte
	// whether its shell is already tada-run; nil for never
	Wrapped func(Call, []string) bool

	Block func(reason string) Answer
	// blocks, and ends the agent's turn; nil if the platform has no such answer
	End  func(event, reason string) Answer
	Pass func(event string, d Decision, args Object) Answer // args are those to use
}

// An Answer is what a platform reads.
type Answer struct {
	Status         int
	Stdout, Stderr string
}

// EventName is the member in which most platforms name the event.
const EventName = "hook_event_name"

func (a Adapter) event() string { return cmp.Or(a.Event, EventName) }

// Serve reads one call and returns the answer for the platform. Whatever happens, it returns within
// the limit and [LastWord], and everything except a decision that allows is the platform's block.
func Serve(ctx context.Context, a Adapter, c *Core, in io.Reader, limit time.Duration) Answer {
	answer, err := attempt(ctx, limit,
		func(ctx context.Context) Answer { return a.serve(ctx, c, in) })
	if err != nil {
		return a.Block(c.Refuse(ctx, a.Name, err))
	}
	return answer
}

func (a Adapter) serve(ctx context.Context, c *Core, in io.Reader) Answer {
	o, err := Decode(in)
	if err != nil {
		return a.Block(c.unread(Call{Platform: a.Name}, err).Reason)
	}
	call, err := a.Call(o)
	if err != nil {
		call.Platform = a.Name
		return a.Block(c.unread(call, err).Reason)
	}
	if a.Wrapped != nil {
		call.Wrapped = a.Wrapped(call, c.Env)
	}
	d := c.Decide(ctx, call)
	event, _ := o.Text(a.event())
	switch {
	case d.Allowed:
		return a.Pass(event, d, call.Args.With(d.Change))
	case d.Ends && a.End != nil:
		return a.End(event, d.Reason)
	}
	return a.Block(d.Reason)
}

// Refuse returns, for the agent, why no call of the platform goes on: err, unless something else
// was decided. It is recorded like any decision. It returns within [LastWord].
func (c *Core) Refuse(ctx context.Context, platform string, err error) string {
	d, stuck := attempt(ctx, LastWord,
		func(context.Context) Decision { return c.unread(Call{Platform: platform}, err) })
	if stuck != nil {
		return unwitnessed(err, stuck).Reason
	}
	return d.Reason
}

// attempt returns what do returns, or an error if do panics or takes longer than the limit. Then do
// may go on, but its result is dropped.
func attempt[T any](ctx context.Context, limit time.Duration,
	do func(context.Context) T) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done, failed := make(chan T, 1), make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				failed <- fmt.Errorf("internal error: %v", p)
			}
		}()
		done <- do(ctx)
	}()
	var none T
	select {
	case v := <-done:
		return v, nil
	case err := <-failed:
		return none, err
	case <-ctx.Done():
		return none, fmt.Errorf("no answer within %v", limit)
	}
}

// Call reads what the platform sent.
func (a Adapter) Call(o Object) (Call, error) {
	event, _ := o.Text(a.event())
	extract := a.Events[event]
	if extract == nil {
		return Call{}, malformed("the event %q is not one that was registered", event)
	}
	call, err := extract(o)
	if err != nil {
		return Call{}, err
	}
	call.Platform = a.Name
	call.As = a.Tools[call.Tool]
	return call, nil
}

// Members says in which members a platform passes the parts of a Call. All named members must be
// there and be non-empty strings; Args must be an object. Agent and Kind may be missing: the main
// agent has no id.
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
