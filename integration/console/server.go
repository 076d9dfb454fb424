package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	g "maragu.dev/gomponents"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/push"
)

// Limits of the input. A form has a message to the agent and a few short fields.
const (
	maxForm    = 16 << 10
	maxHeaders = 16 << 10
)

// A Server serves the inbox of one launcher.
type Server struct {
	inbox  *launcher.Launcher
	random io.Reader
	now    func() time.Time
	say    func(string) // prints one line for the person at the terminal

	door
	gate
	traffic
	sender *push.Sender

	mu    sync.Mutex
	codes map[string]*code
	shown map[string]time.Time // when the page of a question was first served
	away  string               // why the questions cannot be read, as the terminal has it
}

// A door is where browsers come in.
type door struct {
	listener net.Listener
	base     string // scheme://host, as browsers call it
	lift     func() // the bar
}

// A gate is who gets in, and to what.
type gate struct {
	link     link
	tickets  tickets
	sessions sessions
	pages    http.Handler // of a session
	public   http.Handler // of everybody
}

// traffic is what keeps browsers up to date, and the failed attempts of those that have no session.
type traffic struct {
	questions questions
	others    others
	learning  sync.Mutex // while somebody waits for what can be learned
	live      stream
	strangers strangers
	drawings  shared[drawing]
	diffs     shared[g.Node]
	plans     shared[string]
	planning  sync.Mutex // while one is made: a long one takes much memory
	viewers   places
}

// recorded is another text when the record has grown: the anchor is written with every entry, and
// the transcript of a run that goes on with its output.
func (s *Server) recorded() (text string) {
	home := s.inbox.Home()
	paths := []string{filepath.Join(home.Audit(), "anchor.json")}
	running, _ := audit.RunningIDs(home.Audit())
	for _, id := range running {
		paths = append(paths, home.Cast(id))
	}
	for _, path := range paths {
		if info, err := os.Lstat(path); err == nil {
			text += fmt.Sprintf("%d %d\n", info.ModTime().UnixNano(), info.Size())
		}
	}
	return text
}

// announce gives each new question a code, and prints it. On a machine of a fleet, the questions of
// the others may be known while its own are not.
func (s *Server) announce(ctx context.Context) error {
	list, away := s.questions.list(ctx)
	if away != nil && !errors.Is(away, approval.ErrOffline) {
		return away
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	isOpen := map[string]bool{}
	all := slices.Clone(list.all)
	for _, q := range s.others.now().Questions {
		all = append(all, question{Envelope: asEnvelope(q)})
	}
	for _, e := range all {
		isOpen[e.ID] = true
	}
	closed := func(id string) bool { return !isOpen[id] }
	maps.DeleteFunc(s.codes, func(id string, _ *code) bool { return closed(id) })
	maps.DeleteFunc(s.shown, func(id string, _ time.Time) bool { return closed(id) })
	for _, e := range all {
		wrong := 0
		if c := s.codes[e.ID]; c != nil {
			if wrong = c.wrong; c.plan == e.PlanHash {
				continue
			}
		}
		text, err := s.newCode()
		if err != nil {
			return err
		}
		c := &code{text: text, plan: e.PlanHash, wrong: wrong}
		s.codes[e.ID] = c
		s.say(fmt.Sprintf("%s  R%d  code %s  plan %s", e.ID, e.Risk, c.text,
			plan.Prefix(e.PlanHash)))
	}
	return away
}

// newCode returns the text of a code.
func (s *Server) newCode() (string, error) {
	var b [5]byte
	if _, err := io.ReadFull(s.random, b[:]); err != nil {
		return "", fmt.Errorf("create a code: %w", err)
	}
	return codeAlphabet.EncodeToString(b[:])[:codeLength], nil
}

// envelope returns the open question with exactly this id, as it is now.
func (s *Server) envelope(ctx context.Context, id string) (approval.Envelope, error) {
	e, err := s.inbox.Envelope(ctx, id)
	if err != nil || e.ID != id || e.State != approval.Pending || e.Decision != nil {
		return approval.Envelope{}, fmt.Errorf(
			"question %q is no longer open: it was answered, or it expired", id)
	}
	return e, nil
}
