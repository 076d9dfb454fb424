package served

import (
	"net"
	"testing"
	"time"
)

// Every node answers when StartEtcd returns, and again after it was killed and started.
func TestStartEtcd(t *testing.T) {
	for _, n := range []int{1, 3} {
		at := time.Now()
		c := StartEtcd(t, n)
		t.Log(n, time.Since(at))
		if len(c.Endpoints()) != n {
			t.Errorf("%q", c.Endpoints())
		}
		c.Kill(0)
		if conn, err := net.Dial("tcp", c.Endpoints()[0]); err == nil {
			conn.Close()
			t.Error("a node that was killed answers")
		}
		c.Start(0)
		if err := c.nodes[0].serves(time.Minute); err != nil {
			t.Error(err)
		}
		c.Pause(0)
		c.Resume(0)
		at = time.Now()
		c.Stop()
		t.Log("stopped", time.Since(at))
	}
}
