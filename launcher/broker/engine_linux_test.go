package broker

import (
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker/network"
	"github.com/tada-run/tada-run/launcher/seccomp"
)

// profiles are all kinds of them.
func profiles() (list []*Profile) {
	for bits := range 256 {
		p := &Profile{Shared: bits&1 != 0}
		if bits&2 != 0 {
			p.Write = []Tree{{Name: "/nowhere"}}
		}
		if bits&4 != 0 {
			p.Network = &Network{Servers: []netip.AddrPort{}}
		}
		if bits&8 != 0 {
			p.Request = os.Stdin
		}
		if bits&16 != 0 {
			p.View = &View{}
		}
		if bits&32 != 0 && p.Network != nil {
			p.Network.Reach.Rules = []network.Rule{{Name: "a.test", For: []network.Start{}}}
		}
		if bits&64 != 0 {
			p.Guard = &Guard{Far: []string{"/nowhere"}, Lead: []string{"/"}}
		}
		if bits&128 != 0 {
			p.Changes = &Capture{}
		}
		list = append(list, p)
	}
	return list
}

// Each call that a filter hands over has a customer, and one only; none waits for an answer that
// never comes. Without answers, nothing is handed over. E-bkr-1.
func TestEachCallHasItsCustomer(t *testing.T) {
	of := map[uint32]string{}
	for _, c := range customers {
		for nr := range c.calls {
			if other := of[nr]; other != "" {
				t.Errorf("call %d is answered by %s and %s", nr, other, c.name)
			}
			if of[nr] = c.name; nr >= maxCall {
				t.Errorf("%s: call %d is above %d", c.name, nr, maxCall)
			}
		}
	}
	asked := map[uint32]bool{unix.SYS_SOCKET: true} // by the sandbox's rules, which say what kinds
	for _, p := range profiles() {
		for _, r := range p.Rules(true) {
			if r.Verdict == seccomp.Ask {
				asked[r.Nr] = true
			}
			if r.Verdict == seccomp.Ask && of[r.Nr] == "" {
				t.Errorf("%+v: call %d has no customer", p, r.Nr)
			}
		}
		if p.Network != nil {
			continue // without answers a run that may reach hosts does not start
		}
		for _, r := range p.Rules(false) {
			if r.Verdict == seccomp.Ask {
				t.Errorf("%+v: call %d is handed over, and no one answers", p, r.Nr)
			}
		}
	}
	for nr, name := range of {
		if !asked[nr] {
			t.Errorf("%s answers call %d, which no filter hands over", name, nr)
		}
	}
}

// A call that has no customer fails, and the broker ends with its last caller.
func TestUnknownCallIsRefused(t *testing.T) {
	c := newCaller(t, 3)
	b := Open(&Profile{}, Handed{Listener: c.listener}, func(int) bool { return false })
	served := make(chan bool)
	go func() { b.Serve(); close(served) }()
	if said := c.goOn(t); !strings.HasPrefix(said, unix.ENOSYS.Error()) {
		t.Error(said)
	}
	<-served
	if _, err := unix.FcntlInt(uintptr(c.listener), unix.F_GETFD, 0); err != unix.EBADF {
		t.Errorf("the listener is open still: %v", err)
	}
}

// A slow is a customer that answers when it is told to.
type slow struct {
	came    chan bool
	release chan bool
}

func (s *slow) answer(c *call) {
	s.came <- true
	go func() { <-s.release; c.reply(unix.EPERM) }()
}

func (s *slow) close() {}

// A caller that is killed while it waits ends the broker's work for it; the answer goes nowhere.
func TestCallerDies(t *testing.T) {
	c := newCaller(t, 1)
	b := Open(&Profile{}, Handed{Listener: c.listener}, func(int) bool { return false })
	s := &slow{make(chan bool), make(chan bool)}
	b.customers[mediated] = s
	served := make(chan bool)
	go func() { b.Serve(); close(served) }()
	must(t, c.in.Close())
	<-s.came
	must(t, c.Process.Kill())
	_ = c.Wait()
	close(s.release)
	<-served
}

// The flag that has caller and answerer hand the processor to each other makes a call cheaper where
// the kernel has it; both in turn, because a machine is not the same for long.
func BenchmarkMediatedCall(b *testing.B) {
	const rounds, calls = 15, 4000
	took := map[bool][]float64{}
	for b.Loop() {
		for range rounds {
			for _, sync := range []bool{false, true} {
				c := newCaller(b, calls)
				broker := &Broker{listener: seccomp.Listener(c.listener), trees: &trees{}}
				if sync && broker.listener.SyncWakeUp() != nil {
					b.Skip("this kernel has no such flag")
				}
				go broker.Serve()
				said := c.goOn(b)
				var ns float64
				if _, err := fmt.Sscan(said[strings.LastIndexByte(said, ' ')+1:], &ns); err != nil {
					b.Fatal(said)
				}
				took[sync] = append(took[sync], ns)
			}
		}
	}
	median := func(list []float64) float64 { slices.Sort(list); return list[len(list)/2] }
	b.ReportMetric(median(took[false]), "ns/plain")
	b.ReportMetric(median(took[true]), "ns/sync")
}
