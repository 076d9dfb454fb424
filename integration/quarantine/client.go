package quarantine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher"
)

// Variable is the environment variable that says in which session an agent is confined. Its hooks
// inherit it. It can only confine an agent, never release it.
const Variable = launcher.QuarantineVariable

// A Client asks a session's broker. Every method makes a connection of its own.
type Client struct {
	Dir     string // where sockets are
	Session string
}

// Find returns the client of the session whose id begins with prefix; "" means the only one.
func Find(dir, prefix string) (Client, error) {
	ids, err := sessionsIn(dir, ".sock")
	if err != nil {
		return Client{}, err
	}
	var found []string
	for _, id := range ids {
		if strings.HasPrefix(id, prefix) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 1:
		return Client{dir, found[0]}, nil
	case 0:
		return Client{}, fmt.Errorf("session %q: %w", prefix, ErrUnknownSession)
	}
	return Client{}, fmt.Errorf("session %q: ambiguous id (%s); type more characters", prefix,
		audit.Plural(len(found), "session"))
}

// Alive returns what the sessions with a broker say about themselves, the one that ends first at
// the front.
func Alive(ctx context.Context, dir string) ([]About, error) {
	ids, err := sessionsIn(dir, ".sock")
	if err != nil {
		return nil, err
	}
	all := []About{}
	for _, id := range ids {
		if a, err := (Client{dir, id}).About(ctx); err == nil { // else it has died, or is dying
			all = append(all, a)
		}
	}
	slices.SortFunc(all, func(a, b About) int { return cmp.Compare(a.Deadline, b.Deadline) })
	return all, nil
}

// sessionsIn lists the sessions that have a file with this suffix in dir.
func sessionsIn(dir, ending string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ending); ok && isUUID(id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func (c Client) ask(ctx context.Context, r request) (reply, error) {
	var out reply
	folder, err := os.Open(c.Dir)
	if err != nil {
		return out, fmt.Errorf("session %q: %w", c.Session, ErrUnknownSession)
	}
	defer folder.Close()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", within(folder, c.Session+".sock"))
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist) {
		return out, fmt.Errorf("session %q: %w", c.Session, ErrUnknownSession)
	}
	if err != nil {
		return out, fmt.Errorf("session %q: %w", c.Session, err)
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline)
	}
	sent := writeLine(conn, r) // a refusal comes before the request is read
	if err := readLine(conn, maxReply, &out); err != nil {
		return out, fmt.Errorf("session %q: %w", c.Session, cmp.Or(sent, err))
	}
	return out, errorOf(out.Code, out.Message)
}

// About returns what the session says about itself.
func (c Client) About(ctx context.Context) (About, error) {
	r, err := c.ask(ctx, request{Op: opAbout})
	if err != nil || r.About == nil {
		return About{}, orEmpty(err)
	}
	return *r.About, nil
}

// Refer returns a reference to the file at an absolute path; see [Session.Refer].
func (c Client) Refer(ctx context.Context, path string, bind bool) (string, error) {
	r, err := c.ask(ctx, request{Op: opRefer, Path: path, Bind: bind})
	if err == nil && r.URI == "" {
		err = orEmpty(nil)
	}
	return r.URI, err
}

// Verify returns whether a reference is valid, or why not.
func (c Client) Verify(ctx context.Context, uri string) (Result, error) {
	r, err := c.ask(ctx, request{Op: opVerify, URI: uri})
	if err != nil || r.Result == nil {
		return Result{}, orEmpty(err)
	}
	return *r.Result, nil
}

// Enforce decides about a call; see [Session.Enforce].
func (c Client) Enforce(ctx context.Context, call Call) (Decision, error) {
	r, err := c.ask(ctx, request{Op: opEnforce, Call: &call})
	if err != nil || r.Decision == nil {
		return Decision{}, orEmpty(err)
	}
	return *r.Decision, nil
}

// Serve decides about a call and returns its result; see [Session.Serve]. It is for the quarantined
// agent: what it returns is untrusted.
func (c Client) Serve(ctx context.Context, call Call) (Decision, []byte, error) {
	r, err := c.ask(ctx, request{Op: opServe, Call: &call})
	if err != nil || r.Decision == nil {
		return Decision{}, nil, orEmpty(err)
	}
	return *r.Decision, r.Content, nil
}

// Respond reads the answer of a quarantined agent; see [Session.ParseResponse].
func (c Client) Respond(ctx context.Context, text []byte) (Response, error) {
	r, err := c.ask(ctx, request{Op: opRespond, Text: text})
	if err != nil || r.Response == nil {
		return Response{}, orEmpty(err)
	}
	return *r.Response, nil
}

// End destroys the session.
func (c Client) End(ctx context.Context) error {
	_, err := c.ask(ctx, request{Op: opEnd})
	return err
}

func orEmpty(err error) error {
	if err == nil {
		err = errors.New("the broker's answer is empty")
	}
	return err
}

// askTime is how long a hook waits for a broker: much less than platforms give a hook, because
// after their own time-out the call runs.
const askTime = 3 * time.Second

// Ask decides about a tool call for a hook: it finds the session that confines the caller, if any,
// and asks it. session is the session in the caller's environment, or "". A call that no session
// confines is returned with Quarantined false and is for the normal policy. Every failure is a
// denial, also of a broker that died, stalled or answered nonsense.
func Ask(ctx context.Context, dir, session string, call Call) Decision {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	if session != "" {
		if !isUUID(session) {
			return denied("this agent is in quarantine, but its session id is invalid")
		}
		call.Inside = true
		return Client{dir, session}.decide(ctx, call)
	}
	ids, err := sessionsIn(dir, ".json")
	if err != nil {
		return denied("cannot determine which agents are in quarantine: " + err.Error())
	}
	gone := false
	for _, id := range ids {
		c := Client{dir, id}
		d, err := c.Enforce(ctx, call)
		switch {
		case err == nil && !d.Quarantined:
		case err == nil:
			return d
		case c.held(call):
			gone = true // unless another live session also confines it
		}
	}
	if gone {
		return denied("the quarantine of this agent has ended, or its broker does not answer")
	}
	return Decision{Allowed: true}
}

func (c Client) decide(ctx context.Context, call Call) Decision {
	d, err := c.Enforce(ctx, call)
	if err != nil {
		return denied("this agent is in quarantine and its call could not be checked: " +
			shown(err.Error()))
	}
	if !d.Quarantined {
		return denied("this agent is in quarantine, but unknown to its session")
	}
	return d
}

// held reports whether a session without a broker confined the caller. If its file cannot be read,
// every caller counts as confined.
func (c Client) held(call Call) bool {
	text, err := os.ReadFile(filepath.Join(c.Dir, c.Session+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	var h held
	return err != nil || json.Unmarshal(text, &h) != nil || h.holds(call)
}

// Forget removes what is left of sessions that ended more than age ago. Until then their agents
// stay confined.
func Forget(ctx context.Context, dir string, age time.Duration, now time.Time) {
	ids, _ := sessionsIn(dir, ".json")
	for _, id := range ids {
		name := filepath.Join(dir, id+".json")
		info, err := os.Stat(name)
		if err != nil || now.Sub(info.ModTime()) < age {
			continue
		}
		if _, err := (Client{dir, id}).About(ctx); errors.Is(err, ErrUnknownSession) {
			_ = os.Remove(filepath.Join(dir, id+".sock"))
			_ = os.Remove(name)
		}
	}
}
