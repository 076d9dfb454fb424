package served

import (
	"io"
	"net"
	"regexp"
	"sync"
	"testing"
)

// The wires are between the nodes of a cluster: a listener before each node, whose connections
// lose what one node says to another while these are parted.
type wires struct {
	at []net.Listener

	mu     sync.Mutex
	ids    map[string]int  // of nodes
	lost   map[[2]int]bool // what the first node says to the second one
	healed chan struct{}
}

// newWires listens before nodes with these addresses.
func newWires(t testing.TB, nodes []string) (*wires, error) {
	w := &wires{ids: map[string]int{}, lost: map[[2]int]bool{}, healed: make(chan struct{})}
	for i, to := range nodes {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { l.Close(); w.heal() })
		w.at = append(w.at, l)
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go w.serve(c, i, to)
			}
		}()
	}
	return w, nil
}

// name notes the id of a node, of the line "serving ID".
func (w *wires) name(i int, line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ids[line[len("serving "):]] = i
}

func (w *wires) part(i int, says, hears bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for other := range w.at {
		if other != i {
			w.lost[[2]int{i, other}], w.lost[[2]int{other, i}] = says, hears
		}
	}
}

func (w *wires) heal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.lost)
	close(w.healed)
	w.healed = make(chan struct{})
}

// serve passes on what a node says to node i and hears from it. A node says in the header of its
// requests who it is, though not of those by which it only asks whether another one is there; and
// for all of them it uses the same connections.
func (w *wires) serve(from net.Conn, i int, to string) {
	defer from.Close()
	node, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer node.Close()
	c := &wire{wires: w, to: i}
	go func() {
		defer node.Close()
		c.pass(node, from, true)
	}()
	c.pass(from, node, false)
}

// A wire is one connection to a node.
type wire struct {
	*wires
	to   int
	from string // the id of the node at the other end, once it has said it; under the lock of wires
}

var saysFrom = regexp.MustCompile("X-Server-From: ([0-9a-f]+)\r\n")

// pass copies until something is lost; then it waits for the end of that.
func (c *wire) pass(to io.Writer, from io.Reader, in bool) {
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		c.mu.Lock()
		if found := saysFrom.FindSubmatch(buf[:n]); in && found != nil {
			c.from = string(found[1])
		}
		other, known := c.ids[c.from]
		way := [2]int{c.to, other}
		if in {
			way = [2]int{other, c.to}
		}
		lost, healed := known && c.lost[way], c.healed
		c.mu.Unlock()
		if lost {
			<-healed
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}
