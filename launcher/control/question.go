package control

import (
	"encoding/json"
	"errors"
)

// Inside a session a tada-run asks the one outside, over a descriptor that it has inherited, or
// that the kernel hands to it because it is in that sandbox: there is no path to find and no token
// to steal.
//
// The descriptor is one end of a pair of sockets (SOCK_SEQPACKET). A conversation begins with one
// message on it, which carries an end of a pair of streams; on that the question goes out and the
// answer comes back, as one JSON object each. So any number of processes can share the descriptor,
// and none sees the answer of another.
//
// Nothing sent over it can loosen anything. The answer says that a command line was judged,
// recorded and, if that takes a person, approved; the command then runs in the sandbox that was
// there before. A process that does not ask can run the same command in the same sandbox: the log
// then does not record it separately.

// Variable is the name of the variable that holds the number of the descriptor.
const Variable = "TADA_RUN_OUTSIDE"

// A Question is what a tada-run inside asks.
type Question struct {
	Line     bool     `json:"line,omitempty"` // of an interactive shell, which runs it by itself
	Entry    int      `json:"entry,omitempty"`
	Text     string   `json:"text,omitempty"`
	Words    []string `json:"words,omitempty"`
	Flags    []string `json:"flags,omitempty"`
	Name     string   `json:"name,omitempty"`
	Args     []string `json:"args,omitempty"`
	Script   string   `json:"script,omitempty"`
	Stdin    bool     `json:"stdin,omitempty"` // Text was read from standard input
	Dialect  int      `json:"dialect,omitempty"`
	Env      []string `json:"env"`
	Dir      string   `json:"cwd"`
	Agent    string   `json:"agent,omitempty"`
	WorkItem string   `json:"work_item,omitempty"`
	CallID   string   `json:"call_id,omitempty"`
	Profile  string   `json:"profile,omitempty"`
	Wait     int      `json:"wait_ms,omitempty"`
	Kind     string   `json:"stdin_kind,omitempty"`
	Check    bool     `json:"check,omitempty"` // only judge it
	// of a platform's hook: whether it may leave its calls to this session
	Hook bool `json:"hook,omitempty"`
}

// A Reply is the answer. Its zero value lets nothing run.
type Reply struct {
	Run     bool            `json:"run"`
	Text    string          `json:"text,omitempty"`    // what was judged, as it is to run
	Session string          `json:"session,omitempty"` // the id under which it is recorded
	Exit    int             `json:"exit,omitempty"`    // what to exit with where it may not run
	Line    string          `json:"line,omitempty"`    // why not, for a person
	Refusal json.RawMessage `json:"refusal,omitempty"` // and for a program
	Report  json.RawMessage `json:"report,omitempty"`  // of a check
	Error   string          `json:"error,omitempty"`
}

// ErrNoSession is returned by Ask where nothing can be asked: no session, a descriptor that
// was closed, or one that is something else.
var ErrNoSession = errors.New("the outer session cannot be reached")

// ErrUnanswered is returned by Ask where a session took the question and did not answer: it may
// have ended, or had no more descriptors. Nothing may run then, because nothing says that it is
// recorded.
var ErrUnanswered = errors.New("the session did not answer; run the command again")
