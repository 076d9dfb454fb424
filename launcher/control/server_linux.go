package control

import (
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit/screen"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/launcher/session/wire"
)

// A Server lets clients watch and drive a session: the launcher's side of the connections to
// attached clients. It gets output after it has been recorded; input is recorded by the session
// before the program gets it, under an author that is decided here.
type Server struct {
	Session
	listener *os.File      // nil: no socket
	killed   chan struct{} // a person has ended the session
	epoch    atomic.Uint32 // of the lease, for readers that must not wait for mu
	working  sync.WaitGroup

	mu      sync.Mutex
	lease   session.Lease
	expiry  *time.Timer // of the lease
	clients map[int]*client
	last    int // the number of the newest client
	display
	input
}

// A display is what the session shows; guarded by Server.mu.
type display struct {
	private atomic.Bool    // what is shown now only the driver sees
	full    *screen.Screen // what the terminal shows
	open    *screen.Screen // what all clients may see; full, until something was private
	watch   *observed      // of the present lease; nil while the starter drives
	asked   []wire.Notice  // open questions, the newest last
}

// An input is what was admitted and is not yet typed; guarded by Server.mu.
type input struct {
	jobs []typing
	work *sync.Cond // there are jobs, or it is over
	over bool       // the session is
}

// leaseIdle is how long a person may look on without a key before a lease ends. It is long, because
// to watch a build is not to be away, and the end freezes that build.
const leaseIdle = 5 * time.Minute

// maxClients bounds what one session costs. No one watches from so many places.
const maxClients = 64

// New returns the server of a session that is about to begin.
func New(s Session) *Server {
	d := &Server{Session: s, clients: map[int]*client{}, killed: make(chan struct{}, 1)}
	d.work = sync.NewCond(&d.mu)
	return d
}

// Killed receives when a person has ended the session.
func (d *Server) Killed() <-chan struct{} { return d.killed }

// IsPrivate reports whether only the driver may see what is shown now.
func (d *Server) IsPrivate() bool { return d.private.Load() }

// A typing is input that was admitted and is not yet typed.
type typing struct {
	client *client
	epoch  uint32
	by     string
	keys   []byte
}

// A client is one client of a session: a connection, read and written each on its own goroutine,
// with a queue that is bounded. What does not fit is not kept: when the client reads again, it gets
// the screen as it is then.
type client struct {
	d    *Server
	n    int
	conn *os.File
	identity
	standing
	outbox
}

// A standing is what the server keeps of a client; guarded by Server.mu.
type standing struct {
	owed         int           // bytes of input that are not acknowledged
	refusedBytes int           // since the last hand-back
	cols, rows   int           // of its terminal
	idle         time.Duration // without a key, after which a lease of this client ends
	attempts     []wire.Kind   // orders that were refused and are on record
	device       string        // by its own word; "" for its terminal
}

// An outbox is what waits to be sent to a client.
type outbox struct {
	mu      sync.Mutex
	more    *sync.Cond
	orders  []byte // frames that are never dropped
	queue   []byte // frames of output
	lost    bool   // output was dropped: the next is a picture
	moved   time.Time
	last    []byte
	done    bool
	written chan struct{}
}

// An identity is what the kernel said about a client when it connected.
type identity struct {
	who     string // for people: "uid 0 at pts/3"
	starter bool   // it came with the session
	person  bool   // the kernel says: free of sandboxes, with the keys of a person's terminal
	why     error  // it is no person
	via     approval.Via
	uid     int
	tty     string
}
